// main() of the comparison loop, whatever the backend.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

#include "backend.hpp"
#include "gemm_case.hpp"
#include "kernel_table.hpp"
#include "loop_options.hpp"

namespace sgemm_shim::testing {

LoopOptions& loop_options() {
    static LoopOptions options;
    return options;
}

LoopTotals& loop_totals() {
    static LoopTotals totals;
    return totals;
}

namespace {

constexpr const char* help = R"(Compares every kernel of the table with an FP64 reference.

  --kernel=NAME       only this kernel (name, number or alias)
  --seed=N            another draw of everything that the sweeps do not walk (default 1)
  --selection=WHICH   full, reduced or quick (default: full on a GPU, reduced on the software GPU)
  --quick             the same as --selection=quick
  --list-kernels      print their names and end
  --case='LINE'       only this case. LINE is what a failure prints, or a part of it:
                        kernel=double_buffer ops=NT m=129 n=65 k=9 lda=129 ldb=65 ldc=132 align=0,1,2
                        scalars=device alpha=0x1p+0 beta=nan batch=2 layout=strided stride_a=0 stride_b=585
                        stride_c=8580 data=integers seed=7
                      Fields that are left out keep a default; ops letters are N, T, C; align counts floats
                      past a 16-byte boundary for A, B, C; scalars: host, device; layout: strided, arrays;
                      data: random, integers, fine_a, fine_b, denormal_in, denormal_out, zeros, huge, nan_in_a,
                      nan_in_b, inf_in_a

The last line counts cases times kernels. Exit status: 0 all passed, 77 no device, otherwise failed.
What follows is of the test framework; -ltc lists the sweeps, -tc=NAME runs one of them.

)";

/// The text after "name=" if the argument is that option.
bool is_option(std::string_view argument, std::string_view name, std::string& value) {
    if (!argument.starts_with(name) || argument.size() <= name.size() || argument[name.size()] != '=')
        return false;
    value = argument.substr(name.size() + 1);
    return true;
}

/// The framework passes over what it does not know, and a mistyped --kernel would run everything and pass.
bool is_of_the_framework(std::string_view argument) {
    constexpr std::string_view names[] = {
        "--test-case",      "--test-suite",    "--subcase",  "--source-file", "--list-",       "--reporters",
        "--order-by",       "--rand-seed",     "--first",    "--last",        "--abort-after", "--success",
        "--case-sensitive", "--exit",          "--duration", "--minimal",     "--quiet",       "--no-",
        "--force-colors",   "--gnu-file-line", "--out",      "--count",       "--version",     "--dt-"};
    if (argument.starts_with("-") && !argument.starts_with("--")) return true;
    for (const std::string_view name : names) {
        if (argument.starts_with(name)) return true;
    }
    return false;
}

void parse_arguments(int argc, char** argv, LoopOptions& options) {
    if (std::string_view(backend_name()) == "software GPU") options.breadth = Breadth::reduced;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        std::string value;
        if (is_option(argument, "--kernel", value)) {
            const Kernel* kernel = find_kernel(value);
            if (kernel == nullptr || kernel->implementation == nullptr)
                throw std::invalid_argument("no kernel '" + value + "'");
            options.kernel = kernel->name;
        } else if (is_option(argument, "--seed", value)) {
            options.seed = std::stoull(value);
        } else if (is_option(argument, "--selection", value)) {
            options.breadth = parse_breadth(value);
        } else if (argument == "--quick") {
            options.breadth = Breadth::quick;
        } else if (is_option(argument, "--case", value)) {
            options.case_line = to_line(parse_case(value));
        } else if (argument == "--help" || argument == "-h") {
            std::fputs(help, stdout);
        } else if (!is_of_the_framework(argument)) {
            throw std::invalid_argument("unknown option '" + std::string(argument) + "'; --help lists them");
        }
    }
}

int list_kernels() {
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation != nullptr) std::puts(kernel.name);
    }
    return 0;
}

int run(int argc, char** argv) {
    constexpr int skipped = 77;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--list-kernels") return list_kernels();
    }
    try {
        parse_arguments(argc, argv, loop_options());
    } catch (const std::logic_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    doctest::Context context(argc, argv);
    // A kernel that is wrong everywhere would print every case.
    if (loop_options().case_line.empty()) context.setOption("abort-after", 50);
    context.applyCommandLine(argc, argv);
    if (context.shouldExit()) return context.run();  // --help, -ltc
    if (const char* reason = reason_backend_is_missing()) {
        std::printf("skipped: %s\n", reason);
        return skipped;
    }
    const int status = context.run();
    const LoopTotals& totals = loop_totals();
    std::printf(
        "cases: %zu passed, %zu failed, %zu not supported, %zu left out (%s, selection %s, seed %llu)\n",
        totals.passed, totals.failed, totals.unsupported, totals.left_out, backend_name(),
        to_string(loop_options().breadth), static_cast<unsigned long long>(loop_options().seed));
    const bool nothing_ran = totals.passed + totals.failed == 0;
    if (nothing_ran) std::printf("no case ran\n");
    return status != 0 || nothing_ran ? 1 : 0;
}

}  // namespace
}  // namespace sgemm_shim::testing

int main(int argc, char** argv) {
    return sgemm_shim::testing::run(argc, argv);
}
