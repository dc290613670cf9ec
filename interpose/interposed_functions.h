// Every function of cuBLAS that this library exports, for C++ and for the assembler: the dlsym hook catches
// these. To export one more, add its name here and in symbols.map.in (a test compares the two), and to
// SGEMM_SHIM_REAL_CUBLAS_FUNCTIONS.
#pragma once

// clang-format off
#define SGEMM_SHIM_INTERPOSED_FUNCTIONS(function) \
    function(cublasSgemm_v2)                      \
    function(cublasSgemm_v2_64)                   \
    function(cublasSgemmStridedBatched)           \
    function(cublasSgemmStridedBatched_64)        \
    function(cublasSgemmBatched)                  \
    function(cublasSgemmBatched_64)               \
    function(cublasSgemmEx)                       \
    function(cublasSgemmEx_64)                    \
    function(cublasGemmEx)                        \
    function(cublasGemmEx_64)                     \
    function(cublasGemmStridedBatchedEx)          \
    function(cublasGemmStridedBatchedEx_64)       \
    function(cublasGemmBatchedEx)                 \
    function(cublasGemmBatchedEx_64)              \
    function(cublasCreate_v2)                     \
    function(cublasLoggerConfigure)               \
    function(cublasSetLoggerCallback)
// clang-format on

/// How many cuBLAS libraries a program can look up with dlsym and have served: 11, 12, 13, and one that came
/// twice. Each has a stub for each function. The functions of further ones stay as they are.
#define SGEMM_SHIM_STUB_LIBRARIES 4

/// Bytes between stubs.
#define SGEMM_SHIM_STUB_SIZE 32
