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

void StreamWorkspaces::take(int multiprocessors) {
    if (slab_.load(std::memory_order_relaxed) != nullptr) return;
    sums_of_slot_ = counters_of_slot_ = 0;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation == nullptr || !kernel.implementation->shares_tiles) continue;
        const TileFigures& tile = kernel.implementation->tiles;
        const unsigned blocks =
            static_cast<unsigned>(multiprocessors) * static_cast<unsigned>(tile.blocks_per_multiprocessor);
        sums_of_slot_ = std::max(sums_of_slot_, shared_sum_count(tile.m, tile.n, blocks));
        counters_of_slot_ = std::max(counters_of_slot_, static_cast<std::size_t>(most_shared_waves) * blocks);
    }
    const std::size_t sum_bytes = slot_count * sums_of_slot_ * sizeof(float);
    const std::size_t counter_bytes = slot_count * counters_of_slot_ * sizeof(unsigned);
    std::size_t free_bytes = 0, total_bytes = 0;
    if (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess ||
        free_bytes / least_free_times < sum_bytes + counter_bytes)
        return;
    void* memory = nullptr;
    if (cudaMalloc(&memory, sum_bytes + counter_bytes) != cudaSuccess) return;
    if (!clear(static_cast<char*>(memory) + sum_bytes, counter_bytes)) {
        cudaFree(memory);
        return;
    }
    slab_.store(static_cast<float*>(memory), std::memory_order_release);
}

Workspace StreamWorkspaces::of(cudaStream_t stream) {
    float* const slab = slab_.load(std::memory_order_acquire);
    unsigned long long id = nobody;
    if (slab == nullptr || cudaStreamGetId(stream, &id) != cudaSuccess) return {};
    for (std::size_t i = 0; i < slot_count; ++i) {
        unsigned long long owner = nobody;
        if (slots_[i].stream.compare_exchange_strong(owner, id, std::memory_order_relaxed) || owner == id) {
            auto* const counters = reinterpret_cast<unsigned*>(slab + slot_count * sums_of_slot_);
            return {slab + i * sums_of_slot_, counters + i * counters_of_slot_, sums_of_slot_,
                    counters_of_slot_};
        }
    }
    return {};
}

}  // namespace sgemm_shim
