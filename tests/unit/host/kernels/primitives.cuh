// What kernels/gemm_arguments.cuh needs of the seam, for the host compiler: lets the helpers that run on the
// host (grid sizes, alignment) and the epilogue's arithmetic be tested by plain calls.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sgemm_shim {

inline bool is_vector_aligned(const float* address) {
    return reinterpret_cast<std::uintptr_t>(address) % sizeof(float4) == 0;
}

inline float fused_multiply_add(float a, float b, float c) {
    return std::fma(a, b, c);
}

/// There are no kernels to prepare.
inline cudaError_t allow_shared_memory(const void*, std::size_t) {
    return cudaErrorNotSupported;
}
inline cudaError_t allow_large_clusters(const void*) {
    return cudaErrorNotSupported;
}

}  // namespace sgemm_shim
