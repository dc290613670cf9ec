// The software GPU's side of the seam: same names and meaning as lib/kernels/primitives.cuh, for the host
// compiler. This folder stands before lib/ in the include path, so the kernels' own sources pick this header
// up and carry no #ifdef. What they do with memory is seen by the compiler's instrumentation (README.md);
// what they ask of the machine goes to machine/ through the functions declared here.
#pragma once

#include <driver_types.h>
#include <vector_types.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "machine/launch.hpp"

#undef __global__
#undef __device__
#undef __host__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __grid_constant__

namespace sgemm_shim {

unsigned thread_index();
unsigned block_index();

/// The line of a kernel that waits, for reports.
using CallPlace = simt::CallPlace;

void synchronize_block(CallPlace place = CallPlace::current());

template <class T>
inline T& shared_memory() {
    static_assert(std::is_trivially_default_constructible_v<T>);
    return *static_cast<T*>(simt::static_shared_memory(sizeof(T), alignof(T)));
}

inline bool is_vector_aligned(const float* address) {
    return reinterpret_cast<std::uintptr_t>(address) % sizeof(float4) == 0;
}
template <class Value>
inline Value unknown_to_compiler(Value value) {
    return value;
}
/// An error if the address is of anything else.
void assume_global(const float* address);
float4 load_vector(const float* address);
void store_vector(float* address, float4 value);
inline void store_global_vector(float* address, float4 value) {
    assume_global(address);
    store_vector(address, value);
}

inline float fused_multiply_add(float a, float b, float c) {
    return std::fma(a, b, c);
}

// ---- dynamic shared memory --------------------------------------------------------------------------------

/// The launch's shared_bytes, 16-byte aligned; behind the static part.
void* dynamic_shared_memory();

// ---- less than a block ------------------------------------------------------------------------------------

/// Barrier `number` (1 to 15) of the block for `threads` threads, a multiple of 32: waits for that many,
/// counting those that only arrive.
void synchronize_threads(unsigned number, unsigned threads, CallPlace place = CallPlace::current());
void arrive_threads(unsigned number, unsigned threads, CallPlace place = CallPlace::current());

/// Waits for the lanes of the mask and orders their accesses.
void synchronize_warp(unsigned lanes = 0xffffffffu, CallPlace place = CallPlace::current());

/// The value that lane `source` of the warp passes to its own call. Every lane of the warp calls it; a lane
/// that does not exist is an error. Orders no memory accesses.
float shuffle(float value, unsigned source, CallPlace place = CallPlace::current());
unsigned shuffle(unsigned value, unsigned source, CallPlace place = CallPlace::current());
int shuffle(int value, unsigned source, CallPlace place = CallPlace::current());
/// The value of lane (own lane ^ mask).
template <class Value>
inline Value shuffle_xor(Value value, unsigned mask, CallPlace place = CallPlace::current()) {
    return shuffle(value, thread_index() % 32 ^ mask, place);
}

/// The software GPU has registers without end.
constexpr bool registers_can_move = true;
template <int count>
void shrink_registers() {}
template <int count>
void grow_registers() {}

// ---- clusters ---------------------------------------------------------------------------------------------

unsigned cluster_rank();  ///< of this block
unsigned cluster_size();  ///< in blocks
void synchronize_cluster(CallPlace place = CallPlace::current());
/// The two halves of synchronize_cluster().
void arrive_cluster(CallPlace place = CallPlace::current());
void wait_cluster(CallPlace place = CallPlace::current());

namespace simt {
void* remote_address(void* own, unsigned rank);
}
/// The same place in the shared memory of the cluster's block `rank`, which must have started (an earlier
/// synchronize_cluster()) and not ended (a later one).
template <class T>
inline T* remote_shared(T* own, unsigned rank) {
    return static_cast<T*>(simt::remote_address(own, rank));
}

// ---- the whole grid ---------------------------------------------------------------------------------------

/// Adds to a counter in global memory and returns what it held. Whoever comes later sees what the thread
/// wrote before, and what a barrier, be it one of some of the block's threads, has ordered before the call;
/// the other threads see it after a barrier more.
unsigned count_in_order(unsigned* counter, unsigned addend);

// ---- asynchronous copies by a thread ----------------------------------------------------------------------

/// Starts copying `bytes` (4, 8 or 16, both addresses a multiple of it) from global to shared memory. What
/// lies past the first `valid` bytes becomes zero and is not read.
template <int bytes>
inline void copy_async(void* shared, const void* global, int valid = bytes) {
    static_assert(bytes == 4 || bytes == 8 || bytes == 16);
    simt::copy_async(shared, global, bytes, valid);
}
/// Closes the thread's current group of copies.
void commit_copies();
/// Waits until at most `pending` of the thread's latest groups are incomplete. The other threads may read
/// what arrived after a barrier.
template <int pending>
inline void wait_for_copies() {
    simt::wait_for_copies(pending);
}

// ---- mbarriers --------------------------------------------------------------------------------------------

/// An mbarrier, in shared memory. A phase completes when the expected number of arrivals and all announced
/// bytes are there; phases alternate between parity 0 and 1, beginning with 0.
struct alignas(8) PhaseBarrier {
    std::uint64_t state;
};

/// By one thread; the others may use it after a barrier.
void initialize(PhaseBarrier& barrier, unsigned arrivals);
/// After initialize(): lets the copy engine and the other blocks of the cluster see it.
void publish_phase_barriers();
void arrive(PhaseBarrier& barrier);
/// Announces bytes that copies will bring in this phase, and arrives.
void arrive_and_expect(PhaseBarrier& barrier, unsigned bytes);
/// Arrives (as one of the expected arrivals) when all copy_async() of this thread so far are complete.
void arrive_after_copies(PhaseBarrier& barrier);
/// Whether the phase of that parity is complete. May wait a while, may answer no although it is.
bool try_wait(PhaseBarrier& barrier, unsigned parity, CallPlace place = CallPlace::current());
inline void wait(PhaseBarrier& barrier, unsigned parity, CallPlace place = CallPlace::current()) {
    while (!try_wait(barrier, parity, place)) {
    }
}

// ---- copies by the engine ---------------------------------------------------------------------------------

/// One thread starts copying from global to shared memory; addresses and `bytes` are multiples of 16. The
/// bytes count towards the barrier's announced ones.
void copy_bulk(void* shared, const void* global, unsigned bytes, PhaseBarrier& barrier);

/// A matrix in global memory for copy_tile(), made by the host. `inner` is the contiguous dimension.
struct TensorMap {
    const float* base;
    std::uint64_t inner, outer;          ///< elements
    std::uint64_t leading_dimension;     ///< elements from one outer index to the next
    std::uint32_t box_inner, box_outer;  ///< of one tile
    std::uint32_t swizzle_bytes;         ///< 0, 32, 64 or 128
};
/// False where the hardware could not do it: base not on 16 bytes, leading dimension no multiple of 4, a box
/// side over 256, an inner box side that is no multiple of 16 bytes or longer than the swizzle.
bool make_tensor_map(TensorMap& map, const float* base, std::uint64_t inner, std::uint64_t outer,
                     std::uint64_t leading_dimension, std::uint32_t box_inner, std::uint32_t box_outer,
                     std::uint32_t swizzle_bytes);
/// One thread starts copying the box at (inner, outer) to shared memory, 128-byte aligned. Elements outside
/// the matrix become zero; the whole box counts towards the barrier.
void copy_tile(void* shared, const TensorMap& map, int inner, int outer, PhaseBarrier& barrier);

// ---- launches ---------------------------------------------------------------------------------------------

/// Before a launch with more than 48 KiB of shared memory in all.
cudaError_t allow_shared_memory(const void* kernel, std::size_t dynamic_bytes);

/// Before a launch in clusters of more than 8 blocks.
cudaError_t allow_large_clusters(const void* kernel);

/// As launch(), with clusters of `cluster` blocks.
template <class... Parameters>
cudaError_t launch_clusters(void (*kernel)(Parameters...), unsigned cluster, unsigned grid, unsigned block,
                            std::size_t shared_bytes, cudaStream_t stream,
                            std::type_identity_t<Parameters>... arguments) {
    using Arguments = std::tuple<Parameters...>;
    struct Call {
        void (*kernel)(Parameters...);
        Arguments arguments;
    } call{kernel, Arguments(arguments...)};
    simt::LaunchRequest request;
    request.kernel = reinterpret_cast<const void*>(kernel);
    request.grid = grid;
    request.block = block;
    request.cluster = cluster;
    request.dynamic_shared_bytes = shared_bytes;
    request.stream = stream;
    request.constants = &call;
    request.constant_bytes = sizeof(call);
    request.run_thread = [](const void* opaque) {
        const Call& own = *static_cast<const Call*>(opaque);
        std::apply(own.kernel, own.arguments);
    };
    return simt::run_grid(request);
}

template <class... Parameters>
cudaError_t launch(void (*kernel)(Parameters...), unsigned grid, unsigned block, std::size_t shared_bytes,
                   cudaStream_t stream, std::type_identity_t<Parameters>... arguments) {
    return launch_clusters(kernel, 1, grid, block, shared_bytes, stream, arguments...);
}

}  // namespace sgemm_shim
