// The real cuBLAS, found for whoever calls us. Which library that is can differ from caller to caller: two
// cuBLAS majors can live in one process.
#pragma once

#pragma GCC visibility push(default)  // what cuBLAS declares and we define is exported
#include <cublas_v2.h>
#pragma GCC visibility pop

namespace sgemm_shim {

/// Every function of the real library that the shim calls. To forward one more, add its name here.
#define SGEMM_SHIM_REAL_CUBLAS_FUNCTIONS(function)                                                   \
    function(cublasCreate_v2) function(cublasGetStream_v2) function(cublasGetPointerMode_v2)         \
        function(cublasGetMathMode) function(cublasGetSmCountTarget) function(cublasLoggerConfigure) \
            function(cublasSetLoggerCallback) function(cublasSgemm_v2) function(cublasSgemm_v2_64)

/// One loaded cuBLAS. A pointer is NULL where that library lacks the function (cublasSgemm_v2_64 came with
/// CUDA 12, cublasGetSmCountTarget with 11.6).
struct RealCublas {
#define SGEMM_SHIM_DECLARE(name) decltype(&::name) name = nullptr;
    SGEMM_SHIM_REAL_CUBLAS_FUNCTIONS(SGEMM_SHIM_DECLARE)
#undef SGEMM_SHIM_DECLARE
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
