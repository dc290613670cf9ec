// The exported GEMM functions. cublas_v2.h calls cublasSgemm_v2 "cublasSgemm" by macro; the exported symbol
// of that name is the v1 function of another signature, and not ours.
#include "gemm_converters.hpp"
#include "intercept.hpp"

using namespace sgemm_shim;

extern "C" {

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const float* alpha, const float* A, int lda,
                              const float* B, int ldb, const float* beta, float* C, int ldc) {
    return intercept(__builtin_return_address(0), EntryPoint::sgemm, &RealCublas::cublasSgemm_v2, sgemm_call,
                     handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                 int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
                                 int64_t lda, const float* B, int64_t ldb, const float* beta, float* C,
                                 int64_t ldc) {
    return intercept(__builtin_return_address(0), EntryPoint::sgemm_64, &RealCublas::cublasSgemm_v2_64,
                     sgemm_call, handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

}  // extern "C"
