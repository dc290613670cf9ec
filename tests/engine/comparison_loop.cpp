// The one loop that compares every kernel of the table with the FP64 reference: on a GPU and on the software
// GPU. A new row of kernel_table() is tested here without another line.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "case_runner.hpp"
#include "case_selection.hpp"
#include "loop_options.hpp"

namespace sgemm_shim::testing {
namespace {

/// The last number of the teaching ladder: up to here a kernel must serve every call.
constexpr int last_of_ladder = 7;

std::vector<const Kernel*> chosen_kernels(const std::string& name_in_case = "") {
    const std::string& name = name_in_case.empty() ? loop_options().kernel : name_in_case;
    std::vector<const Kernel*> kernels;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation != nullptr && (name.empty() || kernel.name == name))
            kernels.push_back(&kernel);
    }
    return kernels;
}

void report(const Kernel& kernel, const GemmCase& gemm_case, const std::string& finding) {
    LoopTotals& totals = loop_totals();
    ++(finding.empty() ? totals.passed : totals.failed);
    if (finding.empty()) return;
    GemmCase reproduction = gemm_case;
    reproduction.kernel = kernel.name;
    FAIL_CHECK("--case='" << to_line(reproduction) << "': " << finding);
}

enum class Way { direct, through_plan };

/// The software GPU runs every thread in turn. A product of many tiles shows it nothing that one of three
/// tiles a side does not, nor one of many slices that a few do not show, and takes minutes.
bool is_too_large(const Kernel& kernel, const GemmCase& gemm_case) {
    const auto limit = [](int tile) { return std::max<std::int64_t>(32, std::int64_t{3} * tile); };
    constexpr std::int64_t deep = 300, largest_for_deep = 2048;  // steps of k, elements of a tile
    const TileFigures& tiles = kernel.implementation->tiles;
    return loop_options().breadth != Breadth::full && tiles.m > 0 &&
           (gemm_case.m > limit(tiles.m) || gemm_case.n > limit(tiles.n) ||
            (gemm_case.k > deep && std::int64_t{tiles.m} * tiles.n > largest_for_deep));
}

void run_case(const GemmCase& gemm_case, Way way = Way::direct) {
    PreparedCase prepared(gemm_case);
    for (const Kernel* kernel : chosen_kernels(gemm_case.kernel)) {
        if (!prepared.is_supported_by(*kernel)) {
            ++loop_totals().unsupported;
            if (kernel->number <= last_of_ladder)
                report(*kernel, gemm_case, "the kernel does not support it");
            continue;
        }
        if (is_too_large(*kernel, gemm_case)) {
            ++loop_totals().left_out;
            continue;
        }
        report(*kernel, gemm_case,
               way == Way::direct ? prepared.run(*kernel) : prepared.run_through_plan(*kernel));
    }
}

void run_all(std::span<const GemmCase> cases, Way way = Way::direct) {
    REQUIRE_FALSE(cases.empty());
    const std::size_t failed_before = loop_totals().failed;
    for (const GemmCase& gemm_case : cases) run_case(gemm_case, way);
    CHECK(loop_totals().failed == failed_before);
}

/// A sweep runs unless one case was asked for.
void run_sweep(std::vector<GemmCase> (*sweep)(Breadth, std::uint64_t)) {
    if (!loop_options().case_line.empty()) return;
    run_all(sweep(loop_options().breadth, loop_options().seed));
}

TEST_CASE("the case of the command line") {
    if (loop_options().case_line.empty()) return;
    run_case(parse_case(loop_options().case_line));
}

TEST_CASE("every kernel is ready on this device") {
    const DeviceFigures figures = backend_figures();
    CHECK(figures.obstacle == ForwardReason::none);
    for (const Kernel* kernel : chosen_kernels()) {
        CAPTURE(kernel->name);
        CHECK(figures.is_ready(*kernel));
    }
}

TEST_CASE("sizes around every tile edge") {
    run_sweep(size_sweep);
}
TEST_CASE("depths around every slice edge") {
    run_sweep(depth_sweep);
}
TEST_CASE("misalignment of A, B and C") {
    run_sweep(alignment_sweep);
}
TEST_CASE("leading dimensions of A, B and C") {
    run_sweep(leading_dimension_sweep);
}
TEST_CASE("special scalars on the host and on the device") {
    run_sweep(scalar_sweep);
}
TEST_CASE("batches by stride and by pointer") {
    run_sweep(batch_sweep);
}
TEST_CASE("data that shows lost precision, lost products and stray reads") {
    run_sweep(pattern_sweep);
}
TEST_CASE("calls that go through plan()") {
    if (!loop_options().case_line.empty()) return;
    const std::vector<GemmCase> cases = depth_sweep(loop_options().breadth, loop_options().seed);
    // A third of the quick ones: clusters of small tiles take the software GPU a minute.
    const std::size_t step = loop_options().breadth == Breadth::quick ? 3 : 1;
    std::vector<GemmCase> chosen;
    for (std::size_t i = 0; i < cases.size(); i += step) chosen.push_back(cases[i]);
    run_all(chosen, Way::through_plan);
}

TEST_CASE("the same call gives the same bits") {
    if (!loop_options().case_line.empty()) return;
    for (const char* line :
         {"ops=NN m=129 n=65 k=257 alpha=1.7 beta=-0.3", "ops=TN m=64 n=260 k=64 align=1,2,3",
          "ops=NT m=5 n=3 k=1000 batch=3 stride_a=5000 stride_b=3000 stride_c=15"}) {
        const GemmCase gemm_case = parse_case(line);
        PreparedCase prepared(gemm_case);
        for (const Kernel* kernel : chosen_kernels()) {
            if (!prepared.is_supported_by(*kernel)) continue;
            report(*kernel, gemm_case, prepared.run(*kernel));
            const std::vector<float> first = prepared.result();
            report(*kernel, gemm_case, prepared.run(*kernel));
            const bool same = std::equal(
                first.begin(), first.end(), prepared.result().begin(),
                [](float a, float b) { return std::bit_cast<unsigned>(a) == std::bit_cast<unsigned>(b); });
            CHECK_MESSAGE(same, kernel->name << ": another result for " << line);
        }
    }
}

}  // namespace
}  // namespace sgemm_shim::testing
