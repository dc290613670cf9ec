#include "stream_workspaces.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "kernel_table.hpp"

namespace sgemm_shim {
namespace {

/// A program that has filled its GPU gets on without.
constexpr std::size_t least_free_times = 8;

/// Zeroes on a stream of its own: the legacy stream may have work, or be part of a capture.
bool clear(void* memory, std::size_t bytes) {
    cudaStream_t stream = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return false;
    const bool is_clear = cudaMemsetAsync(memory, 0, bytes, stream) == cudaSuccess &&
                          cudaStreamSynchronize(stream) == cudaSuccess;
    return cudaStreamDestroy(stream) == cudaSuccess && is_clear;
}

}  // namespace

template <std::size_t count>
Workspace StreamWorkspaces::Slots<count>::of(unsigned long long stream) {
    for (std::size_t i = 0; i < count; ++i) {
        unsigned long long owner = 0;
        if (owners[i].compare_exchange_strong(owner, stream + 1, std::memory_order_relaxed) ||
            owner == stream + 1)
            return {sums + i * sums_of_each, counters + i * counters_of_each, sums_of_each, counters_of_each};
    }
    return {};
}

void StreamWorkspaces::take(const DeviceFigures& device) {
    // Below it, the cost model neither shares nor divides: there are no clusters for the captures.
    constexpr int least_capability = 90;
    if (is_taken_.load(std::memory_order_relaxed) || device.compute_capability() < least_capability) return;
    for (const Kernel& kernel : kernel_table()) {
        if (!device.is_ready(kernel)) continue;
        const KernelImplementation& implementation = *kernel.implementation;
        const TileFigures& tile = implementation.tiles;
        const unsigned blocks = static_cast<unsigned>(device.multiprocessor_count) *
                                static_cast<unsigned>(tile.blocks_per_multiprocessor);
        const auto enlarge = [](std::size_t& size, std::size_t needed) { size = std::max(size, needed); };
        if (implementation.shares_tiles) {
            enlarge(shared_tiles_.sums_of_each, shared_sum_count(tile.m, tile.n, blocks));
            enlarge(shared_tiles_.counters_of_each, std::size_t{most_shared_waves} * blocks);
        }
        if (implementation.most_meeting_parts != 0) {
            // The cost model makes no more blocks than twice those that the GPU holds.
            const std::size_t most_blocks = std::size_t{2} * blocks;
            enlarge(meeting_parts_.sums_of_each, most_blocks * static_cast<std::size_t>(tile.m * tile.n));
            enlarge(meeting_parts_.counters_of_each, most_blocks);
        }
    }
    const std::size_t sum_bytes = (shared_tiles_.sum_count() + meeting_parts_.sum_count()) * sizeof(float);
    const std::size_t counter_bytes =
        (shared_tiles_.counter_count() + meeting_parts_.counter_count()) * sizeof(unsigned);
    std::size_t free_bytes = 0, total_bytes = 0;
    if (sum_bytes == 0 || cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess ||
        free_bytes / least_free_times < sum_bytes + counter_bytes)
        return;
    void* memory = nullptr;
    if (cudaMalloc(&memory, sum_bytes + counter_bytes) != cudaSuccess) return;
    if (!clear(static_cast<char*>(memory) + sum_bytes, counter_bytes)) {
        cudaFree(memory);
        return;
    }
    shared_tiles_.sums = static_cast<float*>(memory);
    meeting_parts_.sums = shared_tiles_.sums + shared_tiles_.sum_count();
    shared_tiles_.counters = reinterpret_cast<unsigned*>(meeting_parts_.sums + meeting_parts_.sum_count());
    meeting_parts_.counters = shared_tiles_.counters + shared_tiles_.counter_count();
    is_taken_.store(true, std::memory_order_release);
}

Workspace StreamWorkspaces::of(cudaStream_t stream, const Partition& partition) {
    unsigned long long id = 0;
    if (!is_taken_.load(std::memory_order_acquire) || cudaStreamGetId(stream, &id) != cudaSuccess) return {};
    return partition.shares_tiles ? shared_tiles_.of(id) : meeting_parts_.of(id);
}

}  // namespace sgemm_shim
