// Products whose sizes, offsets and tile counts pass the limits of 16, 31 and 32 bits, and ordinary large
// ones. SGEMM_TEST_KERNEL=name restricts the program to one kernel.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "cuda_objects.hpp"
#include "large_call.hpp"
#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    return sgemm_shim::testing::reason_without_gpu();
}

namespace sgemm_shim::testing {
namespace {

constexpr Operation N = Operation::none, T = Operation::transpose, C = Operation::conjugate_transpose;

void check_large(const LargeCall& incomplete) {
    const LargeCall call = complete(incomplete);
    std::size_t free_bytes = 0, total_bytes = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    if (call.gibibytes() + 1.0 > static_cast<double>(free_bytes) / 0x1p30) {
        char why[160];
        std::snprintf(why, sizeof why, "%s needs %.1f GiB of device memory", call.name, call.gibibytes());
        note_skipped_case(why);
        return;
    }
    const char* kernel = std::getenv("SGEMM_TEST_KERNEL");
    int kernels_run = 0;
    const std::vector<std::string> findings = run_large(call, kernel != nullptr ? kernel : "", kernels_run);
    for (const std::string& finding : findings) FAIL_CHECK(call.name << ": " << finding);
    CHECK(kernels_run > 0);
}

TEST_CASE("more than 65535 tiles along m or n") {
    constexpr std::int64_t many = 9000000;
    check_large({.name = "m = 9e6 NN", .m = many, .n = 4, .k = 4});
    check_large(
        {.name = "m = 9e6 + 1 TT", .operation_a = T, .operation_b = T, .m = many + 1, .n = 3, .k = 5});
    check_large({.name = "n = 9e6 NN", .m = 4, .n = many, .k = 4, .beta = 0.5f});
    check_large({.name = "n = 9e6 + 3 NT", .operation_b = C, .m = 5, .n = many + 3, .k = 4});
}

TEST_CASE("C of more than 2^31 elements") {
    check_large({.name = "46341 x 46341 NN", .m = 46341, .n = 46341, .k = 8});
    check_large(
        {.name = "46344 x 46344 TN, beta", .operation_a = T, .m = 46344, .n = 46344, .k = 8, .beta = 0.5f});
}

TEST_CASE("A or B of more than 2^31 elements") {
    check_large({.name = "A 70000 x 32768", .m = 70000, .n = 4, .k = 32768});
    check_large({.name = "A 32768 x 70000, transposed", .operation_a = T, .m = 70000, .n = 4, .k = 32768});
    check_large({.name = "B 32768 x 70000", .m = 4, .n = 70000, .k = 32768});
    check_large({.name = "B 70000 x 32768, transposed", .operation_b = T, .m = 4, .n = 70000, .k = 32768});
}

TEST_CASE("leading dimensions that put elements past 2^31 and 2^32") {
    check_large({.name = "ld = 14.4e6 NN",
                 .m = 300,
                 .n = 150,
                 .k = 300,
                 .lda = 14400001,
                 .ldb = 14400003,
                 .ldc = 14400005});
    check_large({.name = "ld = 14.4e6 TT",
                 .operation_a = T,
                 .operation_b = T,
                 .m = 152,
                 .n = 300,
                 .k = 300,
                 .lda = 14400000,
                 .ldb = 14400004,
                 .ldc = 7200000});
}

TEST_CASE("a long k") {
    // What one thread adds up alone takes a third of a microsecond a step.
    check_large({.name = "k = 1e6 TN", .operation_a = T, .m = 2, .n = 2, .k = 1000000, .sparsity = 100});
    check_large({.name = "k = 1e6, lda = 2200", .m = 2, .n = 2, .k = 1000000, .lda = 2200, .sparsity = 100});
    check_large({.name = "k = 1e6 + 1, ldb = 2200, NT",
                 .operation_b = T,
                 .m = 3,
                 .n = 2,
                 .k = 1000001,
                 .ldb = 2200,
                 .sparsity = 100});
}

TEST_CASE("many and distant matrices") {
    check_large({.name = "batch 65537",
                 .m = 8,
                 .n = 8,
                 .k = 8,
                 .batch_count = 65537,
                 .stride_a = 64,
                 .stride_b = 64,
                 .stride_c = 64});
    check_large({.name = "batch 200001",
                 .operation_a = T,
                 .m = 3,
                 .n = 2,
                 .k = 5,
                 .beta = 1.0f,
                 .batch_count = 200001,
                 .stride_a = 15,
                 .stride_b = 0,
                 .stride_c = 6});
    check_large({.name = "stride 1.1e9",
                 .m = 65,
                 .n = 33,
                 .k = 9,
                 .batch_count = 4,
                 .stride_a = 1100000000,
                 .stride_b = 1100000001,
                 .stride_c = 1100000004});
}

TEST_CASE("ordinary large sizes") {
    for (const bool random : {false, true}) {
        for (const Operation a : {N, T}) {
            for (const Operation b : {N, C}) {
                check_large({.name = "1024 1024 1024",
                             .operation_a = a,
                             .operation_b = b,
                             .m = 1024,
                             .n = 1024,
                             .k = 1024,
                             .beta = 0.5f,
                             .random = random});
                check_large({.name = "4097 4095 1025",
                             .operation_a = a,
                             .operation_b = b,
                             .m = 4097,
                             .n = 4095,
                             .k = 1025,
                             .random = random});
                check_large({.name = "2048 1023 4097",
                             .operation_a = a,
                             .operation_b = b,
                             .m = 2048,
                             .n = 1023,
                             .k = 4097,
                             .alpha = -2.0f,
                             .random = random});
                check_large({.name = "4096 4096 4096",
                             .operation_a = a,
                             .operation_b = b,
                             .m = 4096,
                             .n = 4096,
                             .k = 4096,
                             .random = random});
            }
        }
    }
}

}  // namespace
}  // namespace sgemm_shim::testing
