// Every product of cuBLAS that the library exports, once: function(enumerator, symbol), or overloaded(...)
// where cublas_v2.h gives the symbol a second signature, for old C++ code. The enumeration, the names in the
// log, the symbol map, the look-up of the real functions and the stubs of the dlsym hook are made from this
// list, by the C++ compiler, the assembler and the preprocessor.
#pragma once

// clang-format off
#define SGEMM_SHIM_PRODUCTS(function, overloaded) \
    function(sgemm, cublasSgemm_v2) \
    function(sgemm_64, cublasSgemm_v2_64) \
    function(strided_batched, cublasSgemmStridedBatched) \
    function(strided_batched_64, cublasSgemmStridedBatched_64) \
    function(batched, cublasSgemmBatched) \
    function(batched_64, cublasSgemmBatched_64) \
    function(sgemm_ex, cublasSgemmEx) \
    function(sgemm_ex_64, cublasSgemmEx_64) \
    overloaded(gemm_ex, cublasGemmEx) \
    function(gemm_ex_64, cublasGemmEx_64) \
    overloaded(strided_batched_ex, cublasGemmStridedBatchedEx) \
    function(strided_batched_ex_64, cublasGemmStridedBatchedEx_64) \
    overloaded(batched_ex, cublasGemmBatchedEx) \
    function(batched_ex_64, cublasGemmBatchedEx_64) \
    function(grouped, cublasSgemmGroupedBatched) \
    function(grouped_64, cublasSgemmGroupedBatched_64) \
    function(grouped_ex, cublasGemmGroupedBatchedEx) \
    function(grouped_ex_64, cublasGemmGroupedBatchedEx_64)
// clang-format on
