// The part of end_to_end that lives as Julia's programs do: the handle stays in device pointer mode, and
// scalars that one call computes are used by the next, without a word to the host.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "cublas_program.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr int m = 64, n = 20;

/// Few and small integers: a chain of products of it stays exact in FP32.
std::vector<float> sparse_matrix() {
    std::vector<float> a(std::size_t{m} * m, 0.0f);
    for (int row = 0; row < m; ++row) {
        a[static_cast<std::size_t>(row + m * ((row * 7 + 3) % m))] += 1.0f;
        a[static_cast<std::size_t>(row + m * ((row * 5 + 11) % m))] -= 1.0f;
    }
    return a;
}

std::vector<float> small_integers(int seed) {
    std::vector<float> values(std::size_t{m} * n);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>((i * 5 + static_cast<std::size_t>(seed)) % 7) - 3.0f;
    return values;
}

struct Step {
    float alpha, beta;
};
constexpr Step steps[] = {{2.0f, 1.0f}, {-1.0f, 0.0f}, {1.0f, -1.0f}, {0.0f, 2.0f}, {2.0f, -1.0f}};

/// next = alpha a current + beta next.
void multiply(const std::vector<float>& a, const std::vector<float>& current, std::vector<float>& next,
              Step step) {
    for (int column = 0; column < n; ++column) {
        for (int row = 0; row < m; ++row) {
            double sum = 0;
            for (int k = 0; k < m; ++k)
                sum += double{a[static_cast<std::size_t>(row + m * k)]} *
                       double{current[static_cast<std::size_t>(k + m * column)]};
            float& element = next[static_cast<std::size_t>(row + m * column)];
            element = static_cast<float>(double{step.alpha} * sum + double{step.beta} * double{element});
        }
    }
}

TEST_CASE("a chain of cublasGemmEx whose scalars never leave the device") {
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    check_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");

    const std::vector<float> a = sparse_matrix();
    const DeviceArray<float> device_a(a);
    // Every scalar is a dot product of two pairs: (1, 1) and (scalar - 1, 1).
    std::vector<float> pairs;
    for (const Step step : steps)
        for (const float scalar : {step.alpha, step.beta}) pairs.insert(pairs.end(), {scalar - 1.0f, 1.0f});
    const DeviceArray<float> ones(std::vector<float>{1.0f, 1.0f}), device_pairs(pairs);

    for (const EntryWidth width : both_widths) {
        std::vector<float> current = small_integers(1), next = small_integers(4);
        DeviceArray<float> buffers[] = {DeviceArray<float>(current), DeviceArray<float>(next)};
        DeviceArray<float> scalars(std::size(steps) * 2);  // NaN until they are computed
        for (std::size_t i = 0; i < std::size(steps); ++i) {
            float* alpha = scalars.data() + 2 * i;
            float* beta = alpha + 1;
            check_cublas(cublasSdot(handle, 2, ones.data(), 1, device_pairs.data() + 4 * i, 1, alpha),
                         "cublasSdot");
            check_cublas(cublasSdot(handle, 2, ones.data(), 1, device_pairs.data() + 4 * i + 2, 1, beta),
                         "cublasSdot");
            const float* in = buffers[i % 2].data();
            float* out = buffers[(i + 1) % 2].data();
            count_call(CallClass::ordinary, {Function::gemm_ex, width});
            constexpr cudaDataType type = CUDA_R_32F;
            const cublasStatus_t status =
                width == EntryWidth::bits_64
                    ? cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, m, alpha, device_a.data(), type,
                                      m, in, type, m, beta, out, type, m, CUBLAS_COMPUTE_32F,
                                      CUBLAS_GEMM_DEFAULT)
                    : cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, m, alpha, device_a.data(), type, m,
                                   in, type, m, beta, out, type, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
            CHECK(status == CUBLAS_STATUS_SUCCESS);
            multiply(a, current, next, steps[i]);
            std::swap(current, next);
        }
        stream.synchronize();
        CHECK(buffers[std::size(steps) % 2].download() == current);
        CHECK(buffers[(std::size(steps) + 1) % 2].download() == next);
    }
}

}  // namespace
}  // namespace sgemm_shim::testing
