// The real cuBLAS, found for whoever calls us. Which library that is can differ from caller to caller: two
// cuBLAS majors can live in one process.
#pragma once

#include "cublas.hpp"
#include "interposed_functions.h"

namespace sgemm_shim {

/// The types of three functions whose names cublas_v2.h overloads for old code, so that the names alone do
/// not tell.
using cublasGemmEx_type = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                         const void*, const void*, cudaDataType, int, const void*,
                                         cudaDataType, int, const void*, void*, cudaDataType, int,
                                         cublasComputeType_t, cublasGemmAlgo_t);
using cublasGemmStridedBatchedEx_type = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                                       int, int, int, const void*, const void*, cudaDataType,
                                                       int, long long int, const void*, cudaDataType, int,
                                                       long long int, const void*, void*, cudaDataType, int,
                                                       long long int, int, cublasComputeType_t,
                                                       cublasGemmAlgo_t);
using cublasGemmBatchedEx_type = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                                int, int, const void*, const void* const[], cudaDataType, int,
                                                const void* const[], cudaDataType, int, const void*,
                                                void* const[], cudaDataType, int, int, cublasComputeType_t,
                                                cublasGemmAlgo_t);

/// What the shim asks of a handle.
// clang-format off
#define SGEMM_SHIM_QUERIES(function) \
    function(cublasGetStream_v2) \
    function(cublasGetPointerMode_v2) \
    function(cublasGetMathMode) \
    function(cublasGetSmCountTarget)
// clang-format on

/// One loaded cuBLAS. A pointer is NULL where that library lacks the function (cublasSgemm_v2_64 came with
/// CUDA 12, cublasGetSmCountTarget with 11.6).
struct RealCublas {
#define SGEMM_SHIM_DECLARE(name) decltype(&::name) name = nullptr;
#define SGEMM_SHIM_DECLARE_PRODUCT(enumerator, name) SGEMM_SHIM_DECLARE(name)
#define SGEMM_SHIM_DECLARE_OVERLOADED(enumerator, name) name##_type* name = nullptr;
    SGEMM_SHIM_QUERIES(SGEMM_SHIM_DECLARE)
    SGEMM_SHIM_HELPERS(SGEMM_SHIM_DECLARE)
    SGEMM_SHIM_PRODUCTS(SGEMM_SHIM_DECLARE_PRODUCT, SGEMM_SHIM_DECLARE_OVERLOADED)
#undef SGEMM_SHIM_DECLARE
#undef SGEMM_SHIM_DECLARE_PRODUCT
#undef SGEMM_SHIM_DECLARE_OVERLOADED
};

/// The library that the code at `caller` (a return address) means, found in this order:
///   1. the file that SGEMM_SHIM_CUBLAS names;
///   2. the library that the called function was looked up in, if that was by dlsym;
///   3. the loaded library whose soname the calling module is linked to;
///   4. any loaded libcublas.so.13, .12 or .11;
///   5. the same names through the loader's search path.
/// NULL if there is none; that is said once on stderr. The answer is remembered for each call site, and
/// reading it back takes no lock. For exported functions alone, once a call, first of all.
const RealCublas* real_cublas_for(const void* caller);

/// The loaded cuBLAS that `function` lies in, which is never closed from then on; NULL if it lies elsewhere.
/// Clears dlerror().
const RealCublas* cublas_that_holds(const void* function);

}  // namespace sgemm_shim
