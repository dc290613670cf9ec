// On the same data, a kernel's largest error is at most twice that of cuBLAS. Both are measured against FP64,
// by cublasDgemm, in units of 2^-24 (|A| |B|): what rounding the exact result once would cost at most.
//
// Only shapes that fill a GPU with tiles when k is long: for others cuBLAS splits k among blocks, and a sum
// in several parts has by nature fewer rounding errors than one in a row. Those are bounded by the comparison
// loop.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cublas_handle.hpp"
#include "cuda_objects.hpp"
#include "device.hpp"
#include "kernel_table.hpp"
#include "tests/engine/random.hpp"
#include "tests/engine/reference.hpp"
#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    return sgemm_shim::testing::reason_without_gpu();
}

namespace sgemm_shim::testing {
namespace {

struct Shape {
    cublasOperation_t operation_a, operation_b;
    int m, n, k;

    int lda() const { return operation_a == CUBLAS_OP_N ? m : k; }
    int ldb() const { return operation_b == CUBLAS_OP_N ? k : n; }
    std::size_t floats_a() const { return static_cast<std::size_t>(m) * static_cast<std::size_t>(k); }
    std::size_t floats_b() const { return static_cast<std::size_t>(k) * static_cast<std::size_t>(n); }
    std::size_t floats_c() const { return static_cast<std::size_t>(m) * static_cast<std::size_t>(n); }
};

/// Numbers from [low, 1).
std::vector<float> random_numbers(std::size_t count, std::uint64_t seed, float low) {
    std::vector<float> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = low + static_cast<float>(hash(hash(seed) + i) >> 40) * 0x1p-24f * (1.0f - low);
    return numbers;
}

/// op(A) op(B) in FP64, or that of the magnitudes.
std::vector<double> multiply(const Handle& handle, const Shape& shape, const std::vector<float>& a,
                             const std::vector<float>& b, bool magnitudes) {
    const auto widen = [&](const std::vector<float>& values) {
        std::vector<double> wide(values.begin(), values.end());
        if (magnitudes)
            std::ranges::transform(wide, wide.begin(), [](double value) { return std::abs(value); });
        return wide;
    };
    const DeviceArray<double> wide_a(widen(a)), wide_b(widen(b)), wide_c(shape.floats_c());
    const double one = 1, zero = 0;
    check_cublas(
        cublasDgemm(handle, shape.operation_a, shape.operation_b, shape.m, shape.n, shape.k, &one,
                    wide_a.data(), shape.lda(), wide_b.data(), shape.ldb(), &zero, wide_c.data(), shape.m),
        "cublasDgemm");
    check_cuda(cudaDeviceSynchronize(), "cublasDgemm");
    return wide_c.download();
}

/// Infinity if anything is not finite.
double largest_error(const std::vector<float>& c, const std::vector<double>& exact,
                     const std::vector<double>& magnitude) {
    double largest = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
        const double error = std::abs(c[i] - exact[i]) / (unit_roundoff * magnitude[i]);
        if (!(error <= largest)) largest = std::isfinite(error) ? error : HUGE_VAL;
    }
    return largest;
}

void compare_with_cublas(const Handle& handle, const Shape& shape, float low) {
    const std::vector<float> host_a = random_numbers(shape.floats_a(), 1, low);
    const std::vector<float> host_b = random_numbers(shape.floats_b(), 2, low);
    const std::vector<double> exact = multiply(handle, shape, host_a, host_b, false);
    const std::vector<double> magnitude = multiply(handle, shape, host_a, host_b, true);
    const DeviceArray<float> a(host_a), b(host_b);
    DeviceArray<float> c(shape.floats_c());
    const float one = 1, zero = 0;

    check_cublas(cublasSgemm(handle, shape.operation_a, shape.operation_b, shape.m, shape.n, shape.k, &one,
                             a.data(), shape.lda(), b.data(), shape.ldb(), &zero, c.data(), shape.m),
                 "cublasSgemm");
    check_cuda(cudaDeviceSynchronize(), "cublasSgemm");
    const double error_of_cublas = largest_error(c.download(), exact, magnitude);

    GemmCall call;
    call.operation_a = static_cast<Operation>(shape.operation_a);
    call.operation_b = static_cast<Operation>(shape.operation_b);
    call.m = shape.m;
    call.n = shape.n;
    call.k = shape.k;
    call.alpha = &one;
    call.beta = &zero;
    call.a = {a.data(), nullptr, shape.lda(), 0};
    call.b = {b.data(), nullptr, shape.ldb(), 0};
    call.c = {c.data(), nullptr, shape.m, 0};
    call.pointer_mode = PointerMode::host;
    const DeviceFigures& figures = current_device_figures(nullptr);  // prepares the kernels
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation == nullptr || !kernel.implementation->supports(call)) continue;
        REQUIRE(figures.is_ready(kernel));
        c.fill_with_nan();
        CHECK(kernel.implementation->launch(call, {}, {}, nullptr) == cudaSuccess);
        check_cuda(cudaDeviceSynchronize(), kernel.name);
        const double error = largest_error(c.download(), exact, magnitude);
        std::printf("%-16s %c%c %5d %5d %5d  data [%g, 1)  error %.3f  cuBLAS %.3f\n", kernel.name,
                    "NTC"[shape.operation_a], "NTC"[shape.operation_b], shape.m, shape.n, shape.k,
                    static_cast<double>(low), error, error_of_cublas);
        CAPTURE(kernel.name);
        CAPTURE(shape.m);
        CAPTURE(shape.k);
        // One rounding of slack: with a k of 1 or 2 cuBLAS may happen to be exact.
        CHECK(error <= 2 * error_of_cublas + 1);
    }
}

constexpr cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T};

TEST_CASE("errors of short sums") {
    const Handle handle;
    for (const int k : {1, 2, 3, 8, 17, 64}) {
        for (const int size : {1, 33, 129, 513}) {
            for (const cublasOperation_t a : operations) {
                for (const cublasOperation_t b : operations)
                    compare_with_cublas(handle, {a, b, size, size + 1, k}, -1.0f);
            }
        }
    }
}

TEST_CASE("errors of long sums, of both signs and of one") {
    const Handle handle;
    for (const float low : {-1.0f, 0.0f}) {
        for (const cublasOperation_t a : operations) {
            for (const cublasOperation_t b : operations) {
                compare_with_cublas(handle, {a, b, 2049, 2047, 1000}, low);
                compare_with_cublas(handle, {a, b, 4096, 4096, 4096}, low);
            }
        }
    }
}

}  // namespace
}  // namespace sgemm_shim::testing
