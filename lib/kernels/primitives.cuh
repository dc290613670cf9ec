// The seam between the kernels and CUDA: everything that device code needs of the machine, by name, and the
// one function that launches. The tests' software GPU has a header of the same name and the same meaning, so
// that the same kernel sources run on a CPU; kernels therefore use nothing of CUDA that is not listed here
// (the keywords __global__, __device__ and __launch_bounds__ aside).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sgemm_shim {

/// Blocks and grids have one dimension: it is the only one that reaches beyond 65535 blocks.
__device__ inline unsigned thread_index() {
    return threadIdx.x;
}
__device__ inline unsigned block_index() {
    return blockIdx.x;
}

/// Waits for every thread of the block, and makes what each wrote to shared and global memory visible to the
/// others.
__device__ inline void synchronize_block() {
    __syncthreads();
}

/// The block's own instance of T in shared memory, uninitialised. T is a plain struct of arrays; one T a
/// kernel.
template <class T>
__device__ inline T& shared_memory() {
    static_assert(std::is_trivially_default_constructible_v<T>);
    __shared__ T storage;
    return storage;
}

__device__ inline bool is_vector_aligned(const float* address) {
    return reinterpret_cast<std::uintptr_t>(address) % sizeof(float4) == 0;
}

/// Says that an address is one of global memory, where the compiler cannot see it: its loads then need not
/// ask.
__device__ inline void assume_global(const float* address) {
    __builtin_assume(__isGlobal(address));
}

/// 16-byte accesses: the address must be a multiple of 16.
__device__ inline float4 load_vector(const float* address) {
    return *reinterpret_cast<const float4*>(address);
}
__device__ inline void store_vector(float* address, float4 value) {
    *reinterpret_cast<float4*>(address) = value;
}

/// a * b + c with one rounding.
__device__ inline float fused_multiply_add(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}

/// Every launch of the project. The status is the launch's own: an error that an earlier call left behind
/// stays where it is.
template <class... Parameters>
cudaError_t launch(void (*kernel)(Parameters...), unsigned grid, unsigned block, std::size_t shared_bytes,
                   cudaStream_t stream, std::type_identity_t<Parameters>... arguments) {
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(grid);
    configuration.blockDim = dim3(block);
    configuration.dynamicSmemBytes = shared_bytes;
    configuration.stream = stream;
    void* addresses[] = {static_cast<void*>(&arguments)...};
    return cudaLaunchKernelExC(&configuration, reinterpret_cast<const void*>(kernel), addresses);
}

}  // namespace sgemm_shim
