// Every function of cuBLAS that this library exports, for C++, for the assembler and for the symbol map: the
// dlsym hook catches these.
#pragma once

#include "entry_points.h"

/// Functions that compute nothing, of which the shim must know.
// clang-format off
#define SGEMM_SHIM_HELPERS(function) \
    function(cublasCreate_v2) \
    function(cublasLoggerConfigure) \
    function(cublasSetLoggerCallback)
// clang-format on

/// function(enumerator, symbol) for the products, helper(symbol) for the others.
#define SGEMM_SHIM_INTERPOSED_FUNCTIONS(function, helper) \
    SGEMM_SHIM_PRODUCTS(function, function)               \
    SGEMM_SHIM_HELPERS(helper)

/// How many cuBLAS libraries a program can look up with dlsym and have served: 11, 12, 13, and one that came
/// twice. Each has a stub for each function. The functions of further ones stay as they are.
#define SGEMM_SHIM_STUB_LIBRARIES 4

/// Bytes between stubs.
#define SGEMM_SHIM_STUB_SIZE 32
