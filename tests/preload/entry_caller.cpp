// A program that calls every product of cuBLAS that the shim knows, and prints the status of each. With the
// argument "null", on no handle.
#include <cstdio>
#include <cstring>

#include "entry_points.hpp"

int main(int argc, char** argv) {
    using namespace sgemm_shim::testing;
    const float one = 1.0f;
    cublasHandle_t handle = nullptr;
    const bool without_handle = argc > 1 && std::strcmp(argv[1], "null") == 0;
    if (!without_handle && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    float* const nowhere = reinterpret_cast<float*>(0x1000);
    const StandInCall call = {
        handle,
        CUBLAS_OP_N,
        CUBLAS_OP_N,
        8,
        8,
        8,
        &one,
        nowhere,
        8,
        nowhere,
        8,
        &one,
        nowhere,
        8,
        {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {64, 64, 64}, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT}};
    for (const EntryPoint& entry : entry_points()) {
        const cublasStatus_t status = entry.send(call);
        std::printf("%s=%d\n", entry.name, static_cast<int>(status));
    }
}
