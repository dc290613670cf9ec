// Faults in how threads wait for each other, beside correct uses. Tests run them with 64 threads, and some
// with two blocks.
#include "broken_kernels.cuh"
#include "kernel_list.hpp"

namespace sgemm_shim::broken {
namespace {

struct Buffer {
    float values[64];
};

struct BarrierAndBuffer {
    PhaseBarrier full, empty;
    float values[64];
};

/// Warp 0 writes, warp 1 reads; `arrives` is the barrier in between.
template <class Signal, class Wait>
void hand_over(float* memory, Signal signal, Wait wait) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    if (thread < 32) {
        buffer.values[thread] = memory[thread];
        signal();
    } else {
        wait();
        memory[thread] = buffer.values[thread - 32];
    }
}

__global__ void named_barrier(float* memory) {
    hand_over(
        memory, [] { arrive_threads(1, 64); }, [] { synchronize_threads(1, 64); });
}

/// The writer signals one barrier and the reader waits on another.
__global__ void wrong_named_barrier(float* memory) {
    hand_over(
        memory, [] { arrive_threads(1, 64); }, [] { synchronize_threads(2, 64); });
}

/// The reader's barrier is complete without the writer.
__global__ void named_barrier_of_one_warp(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    buffer.values[thread_index()] = 0.0f;
    synchronize_block();
    hand_over(
        memory, [] {}, [] { synchronize_threads(1, 32); });
}

__global__ void named_barrier_counts(float* memory) {
    hand_over(
        memory, [] { arrive_threads(1, 64); }, [] { synchronize_threads(1, 32); });
}

/// Neighbours within a warp exchange through shared memory.
template <bool synchronises>
void exchange_in_warp(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    buffer.values[thread] = 0.0f;
    synchronize_block();
    buffer.values[thread] = memory[thread];
    if (synchronises) synchronize_warp();
    memory[thread] = buffer.values[thread ^ 1];
}

__global__ void warp_barrier(float* memory) {
    exchange_in_warp<true>(memory);
}
__global__ void missing_warp_barrier(float* memory) {
    exchange_in_warp<false>(memory);
}

/// The warp's barrier orders nothing between warps.
__global__ void warp_barrier_for_block(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    buffer.values[thread] = 0.0f;
    synchronize_block();
    buffer.values[thread] = memory[thread];
    synchronize_warp();
    memory[thread] = buffer.values[thread ^ 32];
}

__global__ void half_a_warp_waits(float* memory) {
    if (thread_index() % 2 == 0) synchronize_warp();
    memory[thread_index()] = 1.0f;
}

__global__ void sum_by_shuffles(float* memory) {
    float sum = memory[thread_index()];
    for (unsigned mask = 16; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    memory[thread_index()] = sum + shuffle(thread_index() % 32 == 3 ? 100.0f : 0.0f, 3);
}

__global__ void shuffle_out_of_range(float* memory) {
    memory[thread_index()] = shuffle(memory[thread_index()], thread_index() % 32 + 1);
}

__global__ void shuffle_not_by_all(float* memory) {
    if (thread_index() != 4) memory[thread_index()] = shuffle(memory[thread_index()], 0);
}

/// Producer and consumer warps with a full and an empty mbarrier, three rounds through one buffer.
template <bool waits_for_full, bool waits_for_empty>
void ring(float* memory) {
    BarrierAndBuffer& shared = shared_memory<BarrierAndBuffer>();
    const unsigned thread = thread_index();
    if (thread == 0) {
        initialize(shared.full, 32);
        initialize(shared.empty, 32);
    }
    shared.values[thread] = 0.0f;
    synchronize_block();
    float sum = 0.0f;
    for (unsigned round = 0; round < 3; ++round) {
        if (thread < 32) {
            if (waits_for_empty && round > 0) wait(shared.empty, (round - 1) % 2);
            shared.values[thread] = memory[thread] + static_cast<float>(round);
            arrive(shared.full);
        } else {
            if (waits_for_full) wait(shared.full, round % 2);
            sum += shared.values[63 - thread];
            arrive(shared.empty);
        }
    }
    if (thread >= 32) memory[thread] = sum;
}

__global__ void mbarrier_ring(float* memory) {
    ring<true, true>(memory);
}
__global__ void ring_without_full(float* memory) {
    ring<false, true>(memory);
}
__global__ void ring_without_empty(float* memory) {
    ring<true, false>(memory);
}

__global__ void mbarrier_never_arrives(float* memory) {
    BarrierAndBuffer& shared = shared_memory<BarrierAndBuffer>();
    if (thread_index() == 0) initialize(shared.full, 2);
    synchronize_block();
    if (thread_index() == 0) arrive(shared.full);
    wait(shared.full, 0);
    memory[thread_index()] = 1.0f;
}

__global__ void mbarrier_not_initialised(float* memory) {
    arrive(shared_memory<BarrierAndBuffer>().full);
    memory[0] = 1.0f;
}

__global__ void mbarrier_used_too_early(float* memory) {
    BarrierAndBuffer& shared = shared_memory<BarrierAndBuffer>();
    if (thread_index() == 0) initialize(shared.full, 64);
    synchronize_warp();
    arrive(shared.full);
    memory[thread_index()] = 1.0f;
}

__global__ void too_many_arrivals(float* memory) {
    BarrierAndBuffer& shared = shared_memory<BarrierAndBuffer>();
    if (thread_index() == 0) {
        initialize(shared.full, 1);
        initialize(shared.empty, 1);
        arrive_and_expect(shared.full, 16);
        arrive(shared.full);
    }
    memory[thread_index()] = 1.0f;
}

/// Each block of the cluster reads what the other wrote.
template <bool synchronises_before, bool synchronises_after>
void exchange_in_cluster(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    buffer.values[thread] = memory[thread] + static_cast<float>(cluster_rank());
    if (synchronises_before) synchronize_cluster();
    const float value = *remote_shared(&buffer.values[thread], cluster_rank() ^ 1);
    if (cluster_rank() == 0) memory[thread] = value;
    if (synchronises_after) synchronize_cluster();
}

__global__ void cluster_exchange(float* memory) {
    exchange_in_cluster<true, true>(memory);
}
__global__ void cluster_without_first_barrier(float* memory) {
    exchange_in_cluster<false, true>(memory);
}
__global__ void cluster_without_last_barrier(float* memory) {
    exchange_in_cluster<true, false>(memory);
}

/// The two halves of the barrier: what comes between them is ordered by neither.
template <bool writes_late>
void split_cluster_barrier(float* memory) {
    Buffer& buffer = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    if (!writes_late) buffer.values[thread] = memory[thread];
    arrive_cluster();
    if (writes_late) buffer.values[thread] = memory[thread];
    wait_cluster();
    const float value = *remote_shared(&buffer.values[thread], cluster_rank() ^ 1);
    if (cluster_rank() == 0) memory[thread] = value;
    synchronize_cluster();
}

__global__ void cluster_halves(float* memory) {
    split_cluster_barrier<false>(memory);
}
__global__ void write_between_cluster_halves(float* memory) {
    split_cluster_barrier<true>(memory);
}

/// Each block leaves 8 floats; the one that counts last adds them up. The counter is element 63.
template <bool synchronises, bool counts>
void last_block_reduces(float* memory) {
    Buffer& is_last = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    constexpr unsigned blocks = 4;
    if (thread < 8) memory[8 * block_index() + thread] = static_cast<float>(block_index() + 1);
    if (synchronises) synchronize_block();
    if (thread == 0) {
        const unsigned before =
            counts ? count_in_order(reinterpret_cast<unsigned*>(memory + 63), 1) : block_index();
        is_last.values[0] = before == blocks - 1 ? 1.0f : 0.0f;
    }
    synchronize_block();
    if (is_last.values[0] == 0.0f || thread >= 8) return;
    float sum = 0.0f;
    for (unsigned block = 0; block < blocks; ++block) sum += memory[8 * block + thread];
    memory[32 + thread] = sum;
}

__global__ void last_block(float* memory) {
    last_block_reduces<true, true>(memory);
}
__global__ void last_block_without_barrier(float* memory) {
    last_block_reduces<false, true>(memory);
}
__global__ void last_block_without_counter(float* memory) {
    last_block_reduces<true, false>(memory);
}

/// The same by the first of two warps, whose threads meet at a barrier of their own.
template <bool synchronises>
void last_warp_reduces(float* memory) {
    Buffer& is_last = shared_memory<Buffer>();
    const unsigned thread = thread_index();
    constexpr unsigned blocks = 4;
    if (thread >= 32) return;
    if (thread % 4 == 0) memory[8 * block_index() + thread / 4] = static_cast<float>(block_index() + 1);
    if (synchronises) synchronize_threads(1, 32);
    if (thread == 0) {
        const unsigned before = count_in_order(reinterpret_cast<unsigned*>(memory + 63), 1);
        is_last.values[0] = before == blocks - 1 ? 1.0f : 0.0f;
    }
    synchronize_threads(1, 32);
    if (is_last.values[0] == 0.0f || thread >= 8) return;
    float sum = 0.0f;
    for (unsigned block = 0; block < blocks; ++block) sum += memory[8 * block + thread];
    memory[32 + thread] = sum;
}

__global__ void last_warp(float* memory) {
    last_warp_reduces<true>(memory);
}
__global__ void last_warp_without_barrier(float* memory) {
    last_warp_reduces<false>(memory);
}

__global__ void dynamic_past_end(float* memory) {
    auto* values = static_cast<float*>(dynamic_shared_memory());
    const unsigned thread = thread_index();
    values[thread] = memory[thread];  // 60 floats
    memory[thread] = values[thread];
}

__global__ void dynamic_of_64_kib(float* memory) {
    auto* values = static_cast<float*>(dynamic_shared_memory());
    const unsigned thread = thread_index();
    values[16384 - 64 + thread] = memory[thread];
    memory[thread] = values[16384 - 64 + thread] + 1.0f;
}

}  // namespace

const KernelList synchronisation_kernels = {
    {"named_barrier", named_barrier},
    {"wrong_named_barrier", wrong_named_barrier},
    {"named_barrier_of_one_warp", named_barrier_of_one_warp},
    {"named_barrier_counts", named_barrier_counts},
    {"warp_barrier", warp_barrier},
    {"missing_warp_barrier", missing_warp_barrier},
    {"warp_barrier_for_block", warp_barrier_for_block},
    {"half_a_warp_waits", half_a_warp_waits},
    {"sum_by_shuffles", sum_by_shuffles},
    {"shuffle_out_of_range", shuffle_out_of_range},
    {"shuffle_not_by_all", shuffle_not_by_all},
    {"mbarrier_ring", mbarrier_ring},
    {"ring_without_full", ring_without_full},
    {"ring_without_empty", ring_without_empty},
    {"mbarrier_never_arrives", mbarrier_never_arrives},
    {"mbarrier_not_initialised", mbarrier_not_initialised},
    {"mbarrier_used_too_early", mbarrier_used_too_early},
    {"too_many_arrivals", too_many_arrivals},
    {"cluster_exchange", cluster_exchange, 0, 2},
    {"cluster_without_first_barrier", cluster_without_first_barrier, 0, 2},
    {"cluster_without_last_barrier", cluster_without_last_barrier, 0, 2},
    {"cluster_halves", cluster_halves, 0, 2},
    {"write_between_cluster_halves", write_between_cluster_halves, 0, 2},
    {"last_block", last_block},
    {"last_block_without_barrier", last_block_without_barrier},
    {"last_block_without_counter", last_block_without_counter},
    {"last_warp", last_warp},
    {"last_warp_without_barrier", last_warp_without_barrier},
    {"dynamic_past_end", dynamic_past_end, 240},
    {"dynamic_of_64_kib", dynamic_of_64_kib, 65536},
};

}  // namespace sgemm_shim::broken
