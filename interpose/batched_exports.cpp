// The exported functions for batches of FP32 matrices: a stride from one matrix to the next, or a device
// array of pointers.
#include "gemm_converters.hpp"
#include "intercept.hpp"

using namespace sgemm_shim;

extern "C" {

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k, const float* alpha,
                                         const float* A, int lda, long long int strideA, const float* B,
                                         int ldb, long long int strideB, const float* beta, float* C, int ldc,
                                         long long int strideC, int batchCount) {
    return intercept(__builtin_return_address(0), EntryPoint::strided_batched,
                     &RealCublas::cublasSgemmStridedBatched, strided_batched_call, handle, transa, transb, m,
                     n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC, batchCount);
}

cublasStatus_t cublasSgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
                                            cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                            const float* alpha, const float* A, int64_t lda,
                                            long long int strideA, const float* B, int64_t ldb,
                                            long long int strideB, const float* beta, float* C, int64_t ldc,
                                            long long int strideC, int64_t batchCount) {
    return intercept(__builtin_return_address(0), EntryPoint::strided_batched_64,
                     &RealCublas::cublasSgemmStridedBatched_64, strided_batched_call, handle, transa, transb,
                     m, n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC, batchCount);
}

cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                  int m, int n, int k, const float* alpha, const float* const Aarray[],
                                  int lda, const float* const Barray[], int ldb, const float* beta,
                                  float* const Carray[], int ldc, int batchCount) {
    return intercept(__builtin_return_address(0), EntryPoint::batched, &RealCublas::cublasSgemmBatched,
                     batched_call, handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta,
                     Carray, ldc, batchCount);
}

cublasStatus_t cublasSgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa,
                                     cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                     const float* alpha, const float* const Aarray[], int64_t lda,
                                     const float* const Barray[], int64_t ldb, const float* beta,
                                     float* const Carray[], int64_t ldc, int64_t batchCount) {
    return intercept(__builtin_return_address(0), EntryPoint::batched_64, &RealCublas::cublasSgemmBatched_64,
                     batched_call, handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta,
                     Carray, ldc, batchCount);
}

}  // extern "C"
