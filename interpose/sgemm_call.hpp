// The arguments of an SGEMM, in the order of cublasSgemm, as the engine's value.
#pragma once

#include "gemm_call.hpp"

namespace sgemm_shim {

template <class Size>
GemmCall sgemm_call(int transa, int transb, Size m, Size n, Size k, const float* alpha, const float* A,
                    Size lda, const float* B, Size ldb, const float* beta, float* C, Size ldc) {
    GemmCall call;
    call.operation_a = static_cast<Operation>(transa);
    call.operation_b = static_cast<Operation>(transb);
    call.m = m;
    call.n = n;
    call.k = k;
    call.alpha = alpha;
    call.beta = beta;
    call.a = {A, nullptr, lda, 0};
    call.b = {B, nullptr, ldb, 0};
    call.c = {C, nullptr, ldc, 0};
    return call;
}

}  // namespace sgemm_shim
