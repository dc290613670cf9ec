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

/// The same value, as if it had just been read: the compiler works out what depends on it after this, and
/// keeps nothing that it could have worked out before.
template <class Value>
__device__ inline Value unknown_to_compiler(Value value) {
    if constexpr (sizeof(Value) == 8)
        asm volatile("" : "+l"(value));
    else
        asm volatile("" : "+r"(value));
    return value;
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

/// To global memory, in one instruction: of store_vector(), the compiler makes four where it does not keep
/// the alignment in mind, and each of them touches every sector.
__device__ inline void store_global_vector(float* address, float4 value) {
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(address)),
                 "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
                 : "memory");
}

/// a * b + c with one rounding.
__device__ inline float fused_multiply_add(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}

// ---- dynamic shared memory --------------------------------------------------------------------------------

/// The launch's shared_bytes, 16-byte aligned.
__device__ inline void* dynamic_shared_memory() {
    extern __shared__ float4 storage[];
    return storage;
}

// ---- less than a block ------------------------------------------------------------------------------------

/// Barrier `number` (1 to 15) of the block for `threads` threads, a multiple of 32: waits for that many,
/// counting those that only arrive. Called by whole warps.
__device__ inline void synchronize_threads(unsigned number, unsigned threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ inline void arrive_threads(unsigned number, unsigned threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/// Waits for the lanes of the warp and orders their accesses.
__device__ inline void synchronize_warp() {
    __syncwarp();
}

/// The value that lane `source` of the warp passes to its own call. Every lane of the warp calls it. Orders
/// no memory accesses.
template <class Value>
__device__ inline Value shuffle(Value value, unsigned source) {
    return __shfl_sync(0xffffffffu, value, static_cast<int>(source));
}
/// The value of lane (own lane ^ mask).
template <class Value>
__device__ inline Value shuffle_xor(Value value, unsigned mask) {
    return __shfl_xor_sync(0xffffffffu, value, static_cast<int>(mask));
}

/// Whether shrink_registers() and grow_registers() do anything.
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool registers_can_move = false;
#else
constexpr bool registers_can_move = true;
#endif

/// Gives registers of the warpgroup back, or takes them: `count` is what each of its threads has from then
/// on, a multiple of 8. Every thread of the warpgroup calls it. Does nothing where the hardware cannot, so a
/// kernel must fit into what it was launched with there.
template <int count>
__device__ inline void shrink_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
#endif
}
template <int count>
__device__ inline void grow_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
#endif
}

// ---- clusters: of one block before compute capability 9.0 -------------------------------------------------

__device__ inline unsigned cluster_rank() {  ///< of this block
    unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}
__device__ inline unsigned cluster_size() {  ///< in blocks
    unsigned size = 1;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
    return size;
}

/// Waits for every thread of the cluster, and makes what each wrote to its block's shared memory visible to
/// the others.
__device__ inline void synchronize_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}

/// The same place in the shared memory of the cluster's block `rank`, which must have started (an earlier
/// synchronize_cluster()) and not ended (a later one).
template <class T>
__device__ inline T* remote_shared(T* own, unsigned rank) {
#if __CUDA_ARCH__ >= 900
    std::uint64_t address = 0;
    asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(own), "r"(rank));
    return reinterpret_cast<T*>(address);
#else
    return own;
#endif
}

// ---- the whole grid ---------------------------------------------------------------------------------------

/// Adds to a counter in global memory and returns what it held. Whoever comes later sees what the thread
/// wrote before, and what a barrier, be it one of some of the block's threads, has ordered before the call;
/// the other threads see it after a barrier more.
__device__ inline unsigned count_in_order(unsigned* counter, unsigned addend) {
    __threadfence();
    const unsigned before = atomicAdd(counter, addend);
    __threadfence();
    return before;
}

// ---- asynchronous copies by a thread (compute capability 8.0) ---------------------------------------------

__device__ inline unsigned shared_address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// Starts copying `bytes` (4, 8 or 16, both addresses a multiple of it) from global to shared memory. 16
/// bytes pass the L1 cache by.
template <int bytes>
__device__ inline void copy_async(void* shared, const void* global) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
#if __CUDA_ARCH__ >= 800
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)), "l"(global)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(shared)), "l"(global),
                     "n"(bytes)
                     : "memory");
#else
    __trap();
#endif
}
/// The same for the first `valid` bytes; the others become zero and are not read.
template <int bytes>
__device__ inline void copy_async(void* shared, const void* global, int valid) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
#if __CUDA_ARCH__ >= 800
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
                     "l"(global), "r"(valid)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(shared)),
                     "l"(global), "n"(bytes), "r"(valid)
                     : "memory");
#else
    __trap();
#endif
}

/// Closes the thread's current group of copies.
__device__ inline void commit_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#else
    __trap();
#endif
}
/// Waits until at most `pending` of the thread's latest groups are incomplete. The other threads may read
/// what arrived after a barrier.
template <int pending>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#else
    __trap();
#endif
}

// ---- mbarriers (compute capability 8.0) -------------------------------------------------------------------

/// An mbarrier, in shared memory. A phase completes when the expected number of arrivals is there; phases
/// alternate between parity 0 and 1, beginning with 0. The phase before the first counts as complete.
struct alignas(8) PhaseBarrier {
    std::uint64_t state;
};

/// By one thread; the others may use it after a barrier.
__device__ inline void initialize(PhaseBarrier& barrier, unsigned arrivals) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals)
                 : "memory");
#else
    __trap();
#endif
}
__device__ inline void arrive(PhaseBarrier& barrier) {
#if __CUDA_ARCH__ >= 800
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(
                     shared_address(&barrier))
                 : "memory");
#else
    __trap();
#endif
}
/// Arrives (as one of the expected arrivals) when all copy_async() of this thread so far are complete.
__device__ inline void arrive_after_copies(PhaseBarrier& barrier) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&barrier))
                 : "memory");
#else
    __trap();
#endif
}
/// Waits until the phase of that parity is complete. Asks again and again, which takes issue slots from those
/// who work: for short waits only.
__device__ inline void wait(PhaseBarrier& barrier, unsigned parity) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n\t"
        ".reg .pred complete;\n\t"
        "retry:\n\t"
        "mbarrier.try_wait.parity.shared.b64 complete, [%0], %1;\n\t"
        "@!complete bra retry;\n\t"
        "}" ::"r"(shared_address(&barrier)),
        "r"(parity)
        : "memory");
#elif __CUDA_ARCH__ >= 800
    asm volatile(
        "{\n\t"
        ".reg .pred complete;\n\t"
        "retry:\n\t"
        "mbarrier.test_wait.parity.shared.b64 complete, [%0], %1;\n\t"
        "@!complete bra retry;\n\t"
        "}" ::"r"(shared_address(&barrier)),
        "r"(parity)
        : "memory");
#else
    __trap();
#endif
}

// ---- launches ---------------------------------------------------------------------------------------------

/// Before a launch with more than 48 KiB of shared memory in all, once for each context.
inline cudaError_t allow_shared_memory(const void* kernel, std::size_t dynamic_bytes) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(dynamic_bytes));
}

/// Before a launch in clusters of more than 8 blocks, once for each context.
inline cudaError_t allow_large_clusters(const void* kernel) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

/// Every launch of the project. Blocks in clusters of `cluster` share the grid out; 1 is none at all. The
/// status is the launch's own: an error that an earlier call left behind stays where it is.
template <class... Parameters>
cudaError_t launch_clusters(void (*kernel)(Parameters...), unsigned cluster, unsigned grid, unsigned block,
                            std::size_t shared_bytes, cudaStream_t stream,
                            std::type_identity_t<Parameters>... arguments) {
    cudaLaunchAttribute cluster_dimension{};
    cluster_dimension.id = cudaLaunchAttributeClusterDimension;
    cluster_dimension.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(grid);
    configuration.blockDim = dim3(block);
    configuration.dynamicSmemBytes = shared_bytes;
    configuration.stream = stream;
    configuration.attrs = &cluster_dimension;
    configuration.numAttrs = cluster > 1 ? 1 : 0;
    void* addresses[] = {static_cast<void*>(&arguments)...};
    return cudaLaunchKernelExC(&configuration, reinterpret_cast<const void*>(kernel), addresses);
}

template <class... Parameters>
cudaError_t launch(void (*kernel)(Parameters...), unsigned grid, unsigned block, std::size_t shared_bytes,
                   cudaStream_t stream, std::type_identity_t<Parameters>... arguments) {
    return launch_clusters(kernel, 1, grid, block, shared_bytes, stream, arguments...);
}

}  // namespace sgemm_shim
