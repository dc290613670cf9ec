// The exported functions that name their data types. FP32 matrices with FP32 arithmetic are ours to serve;
// every other combination is forwarded under the reason "type", "compute type" or "algo".
#include "gemm_converters.hpp"
#include "intercept.hpp"

using namespace sgemm_shim;

extern "C" {

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                             int n, int k, const float* alpha, const void* A, cudaDataType Atype, int lda,
                             const void* B, cudaDataType Btype, int ldb, const float* beta, void* C,
                             cudaDataType Ctype, int ldc) {
    return intercept(__builtin_return_address(0), EntryPoint::sgemm_ex, &RealCublas::cublasSgemmEx,
                     sgemm_ex_call, handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb,
                     beta, C, Ctype, ldc);
}

cublasStatus_t cublasSgemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                int64_t m, int64_t n, int64_t k, const float* alpha, const void* A,
                                cudaDataType Atype, int64_t lda, const void* B, cudaDataType Btype,
                                int64_t ldb, const float* beta, void* C, cudaDataType Ctype, int64_t ldc) {
    return intercept(__builtin_return_address(0), EntryPoint::sgemm_ex_64, &RealCublas::cublasSgemmEx_64,
                     sgemm_ex_call, handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb,
                     beta, C, Ctype, ldc);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                            int n, int k, const void* alpha, const void* A, cudaDataType Atype, int lda,
                            const void* B, cudaDataType Btype, int ldb, const void* beta, void* C,
                            cudaDataType Ctype, int ldc, cublasComputeType_t computeType,
                            cublasGemmAlgo_t algo) {
    return intercept(__builtin_return_address(0), EntryPoint::gemm_ex, &RealCublas::cublasGemmEx,
                     gemm_ex_call, handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta,
                     C, Ctype, ldc, computeType, algo);
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                               int64_t m, int64_t n, int64_t k, const void* alpha, const void* A,
                               cudaDataType Atype, int64_t lda, const void* B, cudaDataType Btype,
                               int64_t ldb, const void* beta, void* C, cudaDataType Ctype, int64_t ldc,
                               cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
    return intercept(__builtin_return_address(0), EntryPoint::gemm_ex_64, &RealCublas::cublasGemmEx_64,
                     gemm_ex_call, handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta,
                     C, Ctype, ldc, computeType, algo);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                          const void* A, cudaDataType Atype, int lda, long long int strideA,
                                          const void* B, cudaDataType Btype, int ldb, long long int strideB,
                                          const void* beta, void* C, cudaDataType Ctype, int ldc,
                                          long long int strideC, int batchCount,
                                          cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
    return intercept(__builtin_return_address(0), EntryPoint::strided_batched_ex,
                     &RealCublas::cublasGemmStridedBatchedEx, strided_batched_ex_call, handle, transa, transb,
                     m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb, strideB, beta, C, Ctype, ldc,
                     strideC, batchCount, computeType, algo);
}

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa,
                                             cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                             const void* alpha, const void* A, cudaDataType Atype,
                                             int64_t lda, long long int strideA, const void* B,
                                             cudaDataType Btype, int64_t ldb, long long int strideB,
                                             const void* beta, void* C, cudaDataType Ctype, int64_t ldc,
                                             long long int strideC, int64_t batchCount,
                                             cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
    return intercept(__builtin_return_address(0), EntryPoint::strided_batched_ex_64,
                     &RealCublas::cublasGemmStridedBatchedEx_64, strided_batched_ex_call, handle, transa,
                     transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb, strideB, beta, C, Ctype,
                     ldc, strideC, batchCount, computeType, algo);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                   int m, int n, int k, const void* alpha, const void* const Aarray[],
                                   cudaDataType Atype, int lda, const void* const Barray[],
                                   cudaDataType Btype, int ldb, const void* beta, void* const Carray[],
                                   cudaDataType Ctype, int ldc, int batchCount,
                                   cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
    return intercept(__builtin_return_address(0), EntryPoint::batched_ex, &RealCublas::cublasGemmBatchedEx,
                     batched_ex_call, handle, transa, transb, m, n, k, alpha, Aarray, Atype, lda, Barray,
                     Btype, ldb, beta, Carray, Ctype, ldc, batchCount, computeType, algo);
}

cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa,
                                      cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                      const void* alpha, const void* const Aarray[], cudaDataType Atype,
                                      int64_t lda, const void* const Barray[], cudaDataType Btype,
                                      int64_t ldb, const void* beta, void* const Carray[], cudaDataType Ctype,
                                      int64_t ldc, int64_t batchCount, cublasComputeType_t computeType,
                                      cublasGemmAlgo_t algo) {
    return intercept(__builtin_return_address(0), EntryPoint::batched_ex_64,
                     &RealCublas::cublasGemmBatchedEx_64, batched_ex_call, handle, transa, transb, m, n, k,
                     alpha, Aarray, Atype, lda, Barray, Btype, ldb, beta, Carray, Ctype, ldc, batchCount,
                     computeType, algo);
}

}  // extern "C"
