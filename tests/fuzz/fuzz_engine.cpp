// libFuzzer target: a kernel and a call of the engine, on the software GPU with every operand guarded,
// against FP64. SGEMM_FUZZ_KERNEL: one kernel only. A failure prints the line that tests/simt's programs
// repeat.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "drawn_case.hpp"
#include "tests/engine/case_runner.hpp"

using namespace sgemm_shim;
using namespace sgemm_shim::testing;

namespace {

std::vector<const Kernel*> chosen_kernels() {
    const char* name = std::getenv("SGEMM_FUZZ_KERNEL");
    std::vector<const Kernel*> kernels;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation != nullptr && (name == nullptr || find_kernel(name) == &kernel))
            kernels.push_back(&kernel);
    }
    if (kernels.empty()) {
        std::fprintf(stderr, "SGEMM_FUZZ_KERNEL: there is no kernel '%s'\n", name);
        std::exit(2);
    }
    return kernels;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<const Kernel*> kernels = chosen_kernels();
    const std::vector<std::uint8_t> drawn_from = extended(data, size);
    FuzzedDataProvider bytes(drawn_from.data(), drawn_from.size());
    const Kernel& kernel = *kernels[bytes.ConsumeIntegral<std::uint8_t>() % kernels.size()];
    const bool through_plan = bytes.ConsumeBool();
    GemmCase drawn = draw_case(bytes);
    drawn.kernel = kernel.name;
    PreparedCase prepared(drawn);
    if (!prepared.is_supported_by(kernel)) return -1;  // nothing to learn from such bytes
    const std::string finding = through_plan ? prepared.run_through_plan(kernel) : prepared.run(kernel);
    if (finding.empty()) return 0;
    std::fprintf(stderr, "%s\n--case='%s'\n", finding.c_str(), to_line(drawn).c_str());
    std::abort();
}
