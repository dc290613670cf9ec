// A program that uses cuBLAS and has never heard of the shim. Prints the statuses it gets; with the argument
// "handle", also those of calls with the handle that it made (for a library that computes nothing: the
// operands do not exist).
#include <cublas_v2.h>
#ifdef USES_THE_SHIM
#include "sgemm_shim/sgemm_shim.h"
#endif

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    const bool use_handle = argc > 1 && std::strcmp(argv[1], "handle") == 0;
    const float alpha = 1.0f;
    const float beta = 0.0f;
    float* nowhere = reinterpret_cast<float*>(0x1000);
    cublasHandle_t handle = nullptr;
    std::printf("create=%d", cublasCreate(&handle));
    std::printf(" logger=%d", cublasLoggerConfigure(0, 0, 0, nullptr));
    std::printf(" null=%d", cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &alpha, nowhere, 8,
                                        nowhere, 8, &beta, nowhere, 8));
    std::printf(" null_64=%d", cublasSgemm_64(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &alpha, nowhere, 8,
                                              nowhere, 8, &beta, nowhere, 8));
    if (use_handle) {
        std::printf(" sgemm=%d", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &alpha, nowhere, 8,
                                             nowhere, 8, &beta, nowhere, 8));
        std::printf(" sgemm_64=%d", cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &alpha, nowhere,
                                                   8, nowhere, 8, &beta, nowhere, 8));
    }
    std::printf(" destroy=%d\n", cublasDestroy(handle));
#ifdef USES_THE_SHIM
    return sgemm_shim_kernel_count() > 0 ? 0 : 1;
#else
    return 0;
#endif
}
