// What kernels/gemm_arguments.cuh needs of the seam, for the host compiler: lets the helpers that run on the
// host (grid sizes, alignment) and the epilogue's arithmetic be tested by plain calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>

namespace sgemm_shim {

inline float4 load_vector(const float* address) {
    return *reinterpret_cast<const float4*>(address);
}
inline void store_vector(float* address, float4 value) {
    *reinterpret_cast<float4*>(address) = value;
}

inline float fused_multiply_add(float a, float b, float c) {
    return std::fma(a, b, c);
}

}  // namespace sgemm_shim
