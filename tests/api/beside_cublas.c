/* A cublasHandle_t and a cublasOperation_t go into the interface without a cast. */
#include <cublas_v2.h>

#include "sgemm_shim/sgemm_shim.h"

int multiply(cublasHandle_t handle, const float* one, const float* a, float* c);

int multiply(cublasHandle_t handle, const float* one, const float* a, float* c) {
    return sgemm_shim_sgemm(handle, SGEMM_SHIM_ROW_MAJOR, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, one, a, 2, a, 2,
                            one, c, 2);
}
