// A program that is linked to no cuBLAS and calls it if it happens to be there. Three calls, from two places.
#include <cublas_v2.h>

#include <cstdio>

#pragma weak cublasSgemm_v2
#pragma weak cublasCreate_v2

int main() {
    if (cublasSgemm_v2 == nullptr || cublasCreate_v2 == nullptr) {
        std::printf("absent\n");
        return 0;
    }
    cublasHandle_t handle = nullptr;
    const cublasStatus_t create = cublasCreate_v2(&handle);
    std::printf("create=%d", create);
    for (int i = 0; i < 2; ++i)
        std::printf(" sgemm=%d", cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, nullptr, nullptr,
                                                8, nullptr, 8, nullptr, nullptr, 8));
    std::printf("\n");
    return 0;
}
