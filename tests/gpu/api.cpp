// The C interface on a GPU, by a program that is linked to the shim: what sgemm_shim_sgemm computes in both
// storage orders, by every kernel, against FP64; and that choices, explanations and counters tell the truth
// about it.
#include "sgemm_shim/sgemm_shim.h"

#include <cublas_v2.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cuda_objects.hpp"
#include "tests/engine/random.hpp"
#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    return sgemm_shim::testing::reason_without_gpu();
}

namespace sgemm_shim::testing {
namespace {

struct Handle {
    cublasHandle_t handle = nullptr;
    Handle() { REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS); }
    ~Handle() { cublasDestroy(handle); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
};

/// A matrix as the header of the interface defines it, with two elements of padding to each line.
struct Matrix {
    int order;
    std::int64_t rows, columns;
    std::int64_t leading_dimension = (order == SGEMM_SHIM_ROW_MAJOR ? columns : rows) + 2;
    std::vector<float> values = std::vector<float>(
        static_cast<std::size_t>(leading_dimension * (order == SGEMM_SHIM_ROW_MAJOR ? rows : columns)));

    std::size_t index(std::int64_t i, std::int64_t j) const {
        return static_cast<std::size_t>(order == SGEMM_SHIM_ROW_MAJOR ? i * leading_dimension + j
                                                                      : i + j * leading_dimension);
    }
    float at(std::int64_t i, std::int64_t j, int operation) const {
        return values[operation == SGEMM_SHIM_NO_TRANSPOSE ? index(i, j) : index(j, i)];
    }
};

Matrix stored(int order, std::int64_t rows, std::int64_t columns, int operation, std::uint64_t seed) {
    if (operation != SGEMM_SHIM_NO_TRANSPOSE) std::swap(rows, columns);
    Matrix matrix{order, rows, columns};
    Random random(seed);
    for (float& value : matrix.values) value = static_cast<float>(random.below(1 << 20)) * 0x1p-19f - 1.0f;
    return matrix;
}

constexpr std::int64_t m = 67, n = 129, k = 35;
constexpr float alpha = 1.5f, beta = -0.5f;

/// Elements of C, padding included, that are not what they must be.
int wrong_elements(const Matrix& a, const Matrix& b, const Matrix& c, int transa, int transb,
                   std::vector<float> result) {
    int wrong = 0;
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0, magnitude = 0;
            for (std::int64_t l = 0; l < k; ++l) {
                const double product = double{a.at(i, l, transa)} * b.at(l, j, transb);
                sum += product;
                magnitude += std::fabs(product);
            }
            const double before = c.values[c.index(i, j)];
            const double expected = alpha * sum + beta * before;
            const double bound = (k + 4) * 0x1p-24 * (alpha * magnitude + std::fabs(beta * before));
            float& element = result[c.index(i, j)];
            if (!(std::fabs(element - expected) <= bound)) ++wrong;
            element = c.values[c.index(i, j)];
        }
    }
    return result == c.values ? wrong : wrong + 1;
}

/// One product, explained, computed and counted. `kernel` is who must serve it.
void check_product(cublasHandle_t handle, const std::string& kernel, int order, int transa, int transb) {
    CAPTURE(kernel);
    CAPTURE(order);
    CAPTURE(transa);
    CAPTURE(transb);
    const Matrix a = stored(order, m, k, transa, 1);
    const Matrix b = stored(order, k, n, transb, 2);
    const Matrix c = stored(order, m, n, SGEMM_SHIM_NO_TRANSPOSE, 3);
    const DeviceArray<float> device_a(a.values), device_b(b.values), device_c(c.values);
    sgemm_shim_reset_counters();

    sgemm_shim_explanation explanation;
    CHECK(sgemm_shim_explain(handle, order, transa, transb, m, n, k, &alpha, device_a.data(),
                             a.leading_dimension, device_b.data(), b.leading_dimension, &beta,
                             device_c.data(), c.leading_dimension, &explanation) == 0);
    CHECK(explanation.kernel_name == kernel);
    CHECK(explanation.forwarded == (kernel == "cublas"));
    CHECK(device_c.download() == c.values);
    CHECK(sgemm_shim_read_counters(nullptr, 0) == 0);

    CHECK(sgemm_shim_sgemm(handle, order, transa, transb, m, n, k, &alpha, device_a.data(),
                           a.leading_dimension, device_b.data(), b.leading_dimension, &beta, device_c.data(),
                           c.leading_dimension) == 0);
    check_cuda(cudaDeviceSynchronize(), "the product");
    CHECK(wrong_elements(a, b, c, transa, transb, device_c.download()) == 0);

    sgemm_shim_counter row;
    REQUIRE(sgemm_shim_read_counters(&row, 1) == 1);
    CHECK(std::string(row.entry_point) == "sgemm_shim_sgemm");
    CHECK(row.kernel_name == kernel);
    CHECK(row.reason == explanation.reason);
    CHECK(row.calls == 1);
    CHECK(row.flops == 2.0 * m * n * k);
}

TEST_CASE("every kernel, both orders, all transpositions") {
    const Handle cublas;
    check_cuda(cudaSetDevice(0), "cudaSetDevice");
    for (std::size_t index = 0; index < sgemm_shim_kernel_count(); ++index) {
        sgemm_shim_kernel kernel;
        REQUIRE(sgemm_shim_kernel_at(index, &kernel) == 0);
        REQUIRE(sgemm_shim_choose_kernel_for_thread(kernel.name) == 0);
        for (const int order : {SGEMM_SHIM_COLUMN_MAJOR, SGEMM_SHIM_ROW_MAJOR}) {
            for (const int transa : {0, 1, 2}) {
                for (const int transb : {0, 1, 2})
                    check_product(cublas.handle, kernel.name, order, transa, transb);
            }
        }
    }
    CHECK(sgemm_shim_choose_kernel_for_thread(nullptr) == 0);
}

TEST_CASE("an explanation has the GPU's figures") {
    const Handle cublas;
    const DeviceArray<float> memory(16);
    REQUIRE(sgemm_shim_choose_kernel("auto") == 0);
    sgemm_shim_explanation explanation;
    CHECK(sgemm_shim_explain(cublas.handle, SGEMM_SHIM_ROW_MAJOR, 0, 0, 2, 2, 2, &alpha, memory.data(), 2,
                             memory.data(), 2, &beta, memory.data() + 8, 2, &explanation) == 0);
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    CHECK(explanation.compute_capability_major == properties.major);
    CHECK(explanation.compute_capability_minor == properties.minor);
    CHECK(explanation.multiprocessor_count == properties.multiProcessorCount);
    CHECK(explanation.forwarded == 0);
    CHECK(std::string(explanation.text).find("is served by ") != std::string::npos);
    CHECK(sgemm_shim_choose_kernel(nullptr) == 0);
}

}  // namespace
}  // namespace sgemm_shim::testing
