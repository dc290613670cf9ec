// Many places that call cublasSgemm_v2: the shim remembers an answer for each, up to a limit.
#pragma once

#include <cublas_v2.h>

inline constexpr int call_site_count = 5000;

/// Calls from place `site` with m = `m`.
cublasStatus_t call_from_site(int site, cublasHandle_t handle, int m);
