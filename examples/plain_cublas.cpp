// A plain cuBLAS program: it multiplies two row-major n x n matrices and knows nothing of any shim. No device
// code, only the C interfaces of cuBLAS and of the CUDA runtime.
//
//     plain_cublas [n]          (default 4096)
//
// Exit status: 0; 1 if the product is wrong or a call fails; 2 for a bad argument; 77 without a GPU.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int exit_without_gpu = 77;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "plain_cublas: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(EXIT_FAILURE);
}

void check(cublasStatus_t status, const char* what) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    std::fprintf(stderr, "plain_cublas: %s: %s\n", what, cublasGetStatusString(status));
    std::exit(EXIT_FAILURE);
}

#define CHECK(call) check(call, #call)

/// Reproducible values in [-1, 1), so that two runs can be compared.
std::vector<float> make_matrix(std::size_t elements, std::uint32_t seed) {
    std::vector<float> matrix(elements);
    for (float& element : matrix) {
        seed = seed * 1664525u + 1013904223u;
        element = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    }
    return matrix;
}

float* to_device(const std::vector<float>& host) {
    float* device = nullptr;
    CHECK(cudaMalloc(reinterpret_cast<void**>(&device), host.size() * sizeof(float)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

/// cuBLAS stores columns one after another, so a row-major C = A B is its C^T = B^T A^T.
void multiply(cublasHandle_t handle, int n, const float* a, const float* b, float* c) {
    const float alpha = 1.0f;
    const float beta = 0.0f;
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, b, n, a, n, &beta, c, n));
}

/// Milliseconds for one product, the median of several.
float median_time(cublasHandle_t handle, int n, const float* a, const float* b, float* c) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::array<float, 11> times{};
    for (float& time : times) {
        CHECK(cudaEventRecord(begin, nullptr));
        multiply(handle, n, a, b, c);
        CHECK(cudaEventRecord(end, nullptr));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&time, begin, end));
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

struct Comparison {
    double largest_error = 0;
    bool within_bound = true;
};

/// A few elements, the corners among them, against FP64. An FP32 sum of n products is off by at most
/// (n + 2) 2^-24 sum |a b|, whatever its order.
Comparison compare(int n, const std::vector<float>& a, const std::vector<float>& b,
                   const std::vector<float>& c) {
    Comparison comparison;
    const auto size = static_cast<std::size_t>(n);
    const std::size_t places[] = {0, size / 3, size / 2, size - 1};
    for (const std::size_t row : places) {
        for (const std::size_t column : places) {
            double sum = 0;
            double magnitude = 0;
            for (std::size_t i = 0; i < size; ++i) {
                const double product =
                    static_cast<double>(a[row * size + i]) * static_cast<double>(b[i * size + column]);
                sum += product;
                magnitude += std::fabs(product);
            }
            const double error = std::fabs(static_cast<double>(c[row * size + column]) - sum);
            // Written so that NaN fails.
            if (!(error <= (n + 2) * std::ldexp(magnitude, -24))) comparison.within_bound = false;
            if (!(error <= comparison.largest_error)) comparison.largest_error = error;
        }
    }
    return comparison;
}

}  // namespace

int main(int argc, char** argv) {
    const long size = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 4096;
    if (argc > 2 || size < 1 || size > 99999) {
        std::fprintf(stderr, "usage: plain_cublas [n]     (1 to 99999)\n");
        return 2;
    }
    int device_count = 0;
    const cudaError_t found = cudaGetDeviceCount(&device_count);
    if (found != cudaSuccess || device_count == 0) {
        std::fprintf(stderr, "No CUDA GPU can be used here (%s), so nothing was multiplied.\n",
                     found == cudaErrorInsufficientDriver ? "no NVIDIA driver, or one that is too old"
                     : found != cudaSuccess               ? cudaGetErrorString(found)
                                                          : "none present");
        return exit_without_gpu;
    }

    const int n = static_cast<int>(size);
    const std::size_t elements = static_cast<std::size_t>(n) * n;
    const std::vector<float> a = make_matrix(elements, 1);
    const std::vector<float> b = make_matrix(elements, 2);
    std::vector<float> c(elements);
    float* const device_a = to_device(a);
    float* const device_b = to_device(b);
    float* const device_c = to_device(c);

    cublasHandle_t handle = nullptr;
    CHECK(cublasCreate(&handle));
    multiply(handle, n, device_a, device_b, device_c);
    CHECK(cudaMemcpy(c.data(), device_c, elements * sizeof(float), cudaMemcpyDeviceToHost));
    const Comparison comparison = compare(n, a, b, c);
    const float milliseconds = median_time(handle, n, device_a, device_b, device_c);
    CHECK(cublasDestroy(handle));
    for (float* matrix : {device_a, device_b, device_c}) CHECK(cudaFree(matrix));

    double checksum = 0;
    for (const float element : c) checksum += static_cast<double>(element);
    std::printf("problem: %d x %d, FP32, row-major\n", n, n);
    std::printf("checksum: %.4f\n", checksum);
    std::printf("largest error: %.3g (%s)\n", comparison.largest_error,
                comparison.within_bound ? "right" : "WRONG");
    std::printf("median time: %.4f ms\n", static_cast<double>(milliseconds));
    std::printf("speed: %.2f TFLOP/s\n", 2e-9 * n * n * n / static_cast<double>(milliseconds));
    return comparison.within_bound ? EXIT_SUCCESS : EXIT_FAILURE;
}
