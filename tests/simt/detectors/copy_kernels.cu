// Faults in the use of asynchronous copies, beside correct uses. 64 threads, 64 floats.
#include "broken_kernels.cuh"
#include "kernel_list.hpp"

namespace sgemm_shim::broken {
namespace {

struct Staging {
    alignas(128) float values[64];
    float later[64];
    PhaseBarrier full;
};

/// Each thread copies one float; its neighbour reads it.
template <bool waits, bool synchronises>
void copy_and_read(float* memory, unsigned offset) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    copy_async<4>(&staging.values[thread], &memory[thread]);
    commit_copies();
    if (waits) wait_for_copies<0>();
    if (synchronises) synchronize_block();
    memory[thread] = staging.values[thread ^ offset];
}

__global__ void copy_correct(float* memory) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    copy_async<4>(&staging.values[thread], &memory[thread], thread < 50 ? 4 : 0);
    commit_copies();
    wait_for_copies<0>();
    synchronize_block();
    const float value = staging.values[thread ^ 1];
    synchronize_block();
    memory[thread] = value;
}
__global__ void copy_without_wait(float* memory) {
    copy_and_read<false, true>(memory, 0);
}
__global__ void copy_without_barrier(float* memory) {
    copy_and_read<true, false>(memory, 1);
}

/// Waits for all groups but the one that it reads.
__global__ void copy_wrong_group(float* memory) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    if (thread < 32) {
        copy_async<4>(&staging.values[thread], &memory[thread]);
        commit_copies();
        copy_async<4>(&staging.values[thread + 32], &memory[thread + 32]);
        commit_copies();
        wait_for_copies<1>();
        memory[thread] = staging.values[thread] + staging.values[thread + 32];
    }
}

__global__ void copy_overwrites_reader(float* memory) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    staging.values[thread] = 1.0f;
    synchronize_block();
    const float value = staging.values[thread ^ 1];
    copy_async<4>(&staging.values[thread], &memory[thread]);
    commit_copies();
    wait_for_copies<0>();
    memory[thread] = value;
}

__global__ void copy_misaligned(float* memory) {
    Staging& staging = shared_memory<Staging>();
    if (thread_index() == 2) copy_async<16>(&staging.values[4], &memory[1]);
}

__global__ void copy_past_end(float* memory) {
    Staging& staging = shared_memory<Staging>();
    if (thread_index() == 2) copy_async<16>(&staging.values[4], &memory[64]);
}

/// Copies that complete on an mbarrier: each thread's own, or the engine's.
enum class By { threads, bulk, tile };

template <By by, bool waits>
void copy_on_barrier(float* memory, unsigned announced) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    if (thread == 0) {
        initialize(staging.full, by == By::threads ? 64 : 1);
        publish_phase_barriers();
    }
    synchronize_block();
    if (by == By::threads) {
        copy_async<4>(&staging.values[thread], &memory[thread]);
        arrive_after_copies(staging.full);
    } else if (thread == 0) {
        arrive_and_expect(staging.full, announced);
        copy_bulk(staging.values, memory, 128, staging.full);
        copy_bulk(staging.values + 32, memory + 32, 128, staging.full);
    }
    if (waits) wait(staging.full, 0);
    const float value = staging.values[thread ^ 1];
    synchronize_block();
    memory[thread] = value;
}

__global__ void barrier_copies(float* memory) {
    copy_on_barrier<By::threads, true>(memory, 0);
}
__global__ void barrier_copies_without_wait(float* memory) {
    copy_on_barrier<By::threads, false>(memory, 0);
}

/// Copies that complete on an mbarrier, and later ones that the thread waits for itself, which is no wait for
/// its neighbours' earlier ones.
template <bool waits_for_barrier, bool waits_for_group>
void copy_both_ways(float* memory) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    if (thread == 0) initialize(staging.full, 64);
    synchronize_block();
    copy_async<4>(&staging.values[thread], &memory[thread]);
    arrive_after_copies(staging.full);
    copy_async<4>(&staging.later[thread], &memory[thread]);
    commit_copies();
    if (waits_for_group) wait_for_copies<0>();
    if (waits_for_barrier) wait(staging.full, 0);
    const float value = staging.values[thread ^ 1] + staging.later[thread];
    synchronize_block();
    memory[thread] = value;
}
__global__ void both_copies(float* memory) {
    copy_both_ways<true, true>(memory);
}
__global__ void both_copies_without_barrier(float* memory) {
    copy_both_ways<false, true>(memory);
}
__global__ void both_copies_without_group(float* memory) {
    copy_both_ways<true, false>(memory);
}

__global__ void bulk_copies(float* memory) {
    copy_on_barrier<By::bulk, true>(memory, 256);
}
__global__ void bulk_copies_without_wait(float* memory) {
    copy_on_barrier<By::bulk, false>(memory, 256);
}
__global__ void bulk_copies_more_announced(float* memory) {
    copy_on_barrier<By::bulk, true>(memory, 272);
}

/// The engine's data has landed, and a barrier has passed, but the thread did not wait on the mbarrier.
__global__ void bulk_copy_behind_barrier(float* memory) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    if (thread == 0) {
        initialize(staging.full, 1);
        publish_phase_barriers();
        arrive_and_expect(staging.full, 256);
        copy_bulk(staging.values, memory, 256, staging.full);
    }
    for (int i = 0; i < 50; ++i) synchronize_block();
    const float value = staging.values[thread];
    synchronize_block();
    memory[thread] = value;
}

/// One thread waits, and a barrier tells the others.
__global__ void bulk_copy_told_by_barrier(float* memory) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    if (thread == 0) {
        initialize(staging.full, 1);
        publish_phase_barriers();
        arrive_and_expect(staging.full, 256);
        copy_bulk(staging.values, memory, 256, staging.full);
        wait(staging.full, 0);
    }
    synchronize_block();
    const float value = staging.values[63 - thread];
    synchronize_block();
    memory[thread] = value;
}

__global__ void bulk_copy_not_published(float* memory) {
    Staging& staging = shared_memory<Staging>();
    if (thread_index() == 0) {
        initialize(staging.full, 1);
        arrive_and_expect(staging.full, 256);
        copy_bulk(staging.values, memory, 256, staging.full);
    }
}

/// A box of 8 x 4 at (4, -1) of a 10 x 5 matrix with leading dimension 12.
__global__ void tile_copy(float* memory) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    if (thread == 0) {
        initialize(staging.full, 1);
        publish_phase_barriers();
        TensorMap map{memory, 10, 5, 12, 8, 4, 0};
        arrive_and_expect(staging.full, 8 * 4 * 4);
        copy_tile(staging.values, map, 4, -1, staging.full);
    }
    synchronize_block();
    wait(staging.full, 0);
    const float value = thread < 32 ? staging.values[thread] : -1.0f;
    synchronize_block();
    memory[thread] = value;
}

/// The 8 x 8 matrix in rows of 32 bytes whose 16-byte halves change places in every other group of four rows.
__global__ void swizzled_tile_copy(float* memory) {
    Staging& staging = shared_memory<Staging>();
    const unsigned thread = thread_index();
    if (thread == 0) {
        initialize(staging.full, 1);
        publish_phase_barriers();
        TensorMap map{memory, 8, 8, 8, 8, 8, 32};
        arrive_and_expect(staging.full, 8 * 8 * 4);
        copy_tile(staging.values, map, 0, 0, staging.full);
    }
    synchronize_block();
    wait(staging.full, 0);
    const float value = staging.values[thread];
    synchronize_block();
    memory[thread] = value;
}

}  // namespace

const KernelList copy_kernels = {
    {"copy_correct", copy_correct},
    {"copy_without_wait", copy_without_wait},
    {"copy_without_barrier", copy_without_barrier},
    {"copy_wrong_group", copy_wrong_group},
    {"copy_overwrites_reader", copy_overwrites_reader},
    {"copy_misaligned", copy_misaligned},
    {"copy_past_end", copy_past_end},
    {"barrier_copies", barrier_copies},
    {"barrier_copies_without_wait", barrier_copies_without_wait},
    {"both_copies", both_copies},
    {"both_copies_without_barrier", both_copies_without_barrier},
    {"both_copies_without_group", both_copies_without_group},
    {"bulk_copies", bulk_copies},
    {"bulk_copies_without_wait", bulk_copies_without_wait},
    {"bulk_copies_more_announced", bulk_copies_more_announced},
    {"bulk_copy_behind_barrier", bulk_copy_behind_barrier},
    {"bulk_copy_told_by_barrier", bulk_copy_told_by_barrier},
    {"bulk_copy_not_published", bulk_copy_not_published},
    {"tile_copy", tile_copy},
    {"swizzled_tile_copy", swizzled_tile_copy},
};

}  // namespace sgemm_shim::broken
