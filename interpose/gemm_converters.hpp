// From the arguments of a cuBLAS function, in its order, to the engine's value. Size is int or int64_t.
// Pointers are not looked at.
#pragma once

#include "cublas.hpp"
#include "gemm_call.hpp"

namespace sgemm_shim {

/// What all of them have in common.
inline GemmCall call_of_shape(cublasOperation_t transa, cublasOperation_t transb, std::int64_t m,
                              std::int64_t n, std::int64_t k, const void* alpha, const void* beta) {
    GemmCall call;
    call.operation_a = static_cast<Operation>(transa);
    call.operation_b = static_cast<Operation>(transb);
    call.m = m;
    call.n = n;
    call.k = k;
    call.alpha = static_cast<const float*>(alpha);
    call.beta = static_cast<const float*>(beta);
    return call;
}

inline constexpr auto strided_batched_call =
    []<class Size>(cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, Size k,
                   const void* alpha, const void* A, Size lda, long long strideA, const void* B, Size ldb,
                   long long strideB, const void* beta, void* C, Size ldc, long long strideC,
                   Size batchCount) {
        GemmCall call = call_of_shape(transa, transb, m, n, k, alpha, beta);
        call.a = {static_cast<const float*>(A), nullptr, lda, strideA};
        call.b = {static_cast<const float*>(B), nullptr, ldb, strideB};
        call.c = {static_cast<float*>(C), nullptr, ldc, strideC};
        call.batch_count = batchCount;
        return call;
    };

inline constexpr auto sgemm_call = []<class Size>(cublasOperation_t transa, cublasOperation_t transb, Size m,
                                                  Size n, Size k, const void* alpha, const void* A, Size lda,
                                                  const void* B, Size ldb, const void* beta, void* C,
                                                  Size ldc) {
    return strided_batched_call(transa, transb, m, n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0,
                                Size{1});
};

inline constexpr auto batched_call =
    []<class Size>(cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, Size k,
                   const void* alpha, const void* Aarray, Size lda, const void* Barray, Size ldb,
                   const void* beta, const void* Carray, Size ldc, Size batchCount) {
        GemmCall call = call_of_shape(transa, transb, m, n, k, alpha, beta);
        call.a = {nullptr, static_cast<const float* const*>(Aarray), lda, 0};
        call.b = {nullptr, static_cast<const float* const*>(Barray), ldb, 0};
        call.c = {nullptr, static_cast<float* const*>(Carray), ldc, 0};
        call.batch_count = batchCount;
        return call;
    };

// The Ex functions. The matrices have the types that the call names, and are FP32 only where `demand` says
// so: plan() forwards the others without a look at them.

inline GemmCall with_demand(GemmCall call, Demand demand) {
    call.demand = demand;
    return call;
}

inline constexpr auto sgemm_ex_call =
    []<class Size>(cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, Size k,
                   const void* alpha, const void* A, cudaDataType Atype, Size lda, const void* B,
                   cudaDataType Btype, Size ldb, const void* beta, void* C, cudaDataType Ctype, Size ldc) {
        return with_demand(sgemm_call(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc),
                           demand_of_types(Atype, Btype, Ctype));
    };

inline constexpr auto gemm_ex_call =
    []<class Size>(cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, Size k,
                   const void* alpha, const void* A, cudaDataType Atype, Size lda, const void* B,
                   cudaDataType Btype, Size ldb, const void* beta, void* C, cudaDataType Ctype, Size ldc,
                   cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
        return with_demand(sgemm_call(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc),
                           demand_of_arguments(Atype, Btype, Ctype, computeType, algo));
    };

inline constexpr auto strided_batched_ex_call =
    []<class Size>(cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, Size k,
                   const void* alpha, const void* A, cudaDataType Atype, Size lda, long long strideA,
                   const void* B, cudaDataType Btype, Size ldb, long long strideB, const void* beta, void* C,
                   cudaDataType Ctype, Size ldc, long long strideC, Size batchCount,
                   cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
        return with_demand(strided_batched_call(transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb,
                                                strideB, beta, C, ldc, strideC, batchCount),
                           demand_of_arguments(Atype, Btype, Ctype, computeType, algo));
    };

inline constexpr auto batched_ex_call =
    []<class Size>(cublasOperation_t transa, cublasOperation_t transb, Size m, Size n, Size k,
                   const void* alpha, const void* Aarray, cudaDataType Atype, Size lda, const void* Barray,
                   cudaDataType Btype, Size ldb, const void* beta, const void* Carray, cudaDataType Ctype,
                   Size ldc, Size batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
        return with_demand(batched_call(transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta,
                                        Carray, ldc, batchCount),
                           demand_of_arguments(Atype, Btype, Ctype, computeType, algo));
    };

}  // namespace sgemm_shim
