// The real cuBLAS, found for whoever calls us. Which library that is can differ from caller to caller: two
// cuBLAS majors can live in one process.
#pragma once

#include "cublas.hpp"

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

/// Every function of the real library that the shim calls. To forward one more, add its name here.
// clang-format off
#define SGEMM_SHIM_REAL_CUBLAS_FUNCTIONS(function, overloaded) \
    function(cublasCreate_v2) \
    function(cublasGetStream_v2) \
    function(cublasGetPointerMode_v2) \
    function(cublasGetMathMode) \
    function(cublasGetSmCountTarget) \
    function(cublasLoggerConfigure) \
    function(cublasSetLoggerCallback) \
    function(cublasSgemm_v2) \
    function(cublasSgemm_v2_64) \
    function(cublasSgemmStridedBatched) \
    function(cublasSgemmStridedBatched_64) \
    function(cublasSgemmBatched) \
    function(cublasSgemmBatched_64) \
    function(cublasSgemmEx) \
    function(cublasSgemmEx_64) \
    function(cublasGemmEx_64) \
    function(cublasGemmStridedBatchedEx_64) \
    function(cublasGemmBatchedEx_64) \
    overloaded(cublasGemmEx) \
    overloaded(cublasGemmStridedBatchedEx) \
    overloaded(cublasGemmBatchedEx)
// clang-format on

/// One loaded cuBLAS. A pointer is NULL where that library lacks the function (cublasSgemm_v2_64 came with
/// CUDA 12, cublasGetSmCountTarget with 11.6).
struct RealCublas {
#define SGEMM_SHIM_DECLARE(name) decltype(&::name) name = nullptr;
#define SGEMM_SHIM_DECLARE_OVERLOADED(name) name##_type* name = nullptr;
    SGEMM_SHIM_REAL_CUBLAS_FUNCTIONS(SGEMM_SHIM_DECLARE, SGEMM_SHIM_DECLARE_OVERLOADED)
#undef SGEMM_SHIM_DECLARE
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
