// The production kernels: one source for every tile size.
//
// The idea: the warps of a block have different jobs. The producers start asynchronous copies from global to
// shared memory, several slices of k ahead, and do the addresses, the edges and the transpositions
// (stage_copies.cuh); the consumers do nothing but multiply from shared memory, each a
// rectangle of the tile, or a share of the steps of k of one (warp_tile.cuh). What kernel 7 does in turn, one
// instruction stream does here beside the other, and the consumers' stream is nearly all multiply-adds. A
// ring of stages lies between them. The consumers wait until a stage has been filled, which an mbarrier
// tells; it is asked again and again, but seldom has to be asked twice. The producers wait until all
// consumers have read a stage, which is most of the time, and do so at a named barrier, where they take no
// issue slots. A block goes on from tile to tile, and the producers fetch the next one while the consumers
// write the last.
//
// Where there are fewer tiles than multiprocessors, k is divided among the blocks of a cluster: each sums
// its share, and then they add up the parts of one tile out of each other's shared memory, always in the
// order of k, so that the result does not depend on who was first. It takes no workspace. Where there are a
// few more tiles than multiprocessors, or a few more than two or three times as many, the blocks share them
// evenly (shared_tiles.cuh).
#pragma once

#include <type_traits>

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "shared_tiles.cuh"
#include "stage_copies.cuh"
#include "tile_output.cuh"
#include "tile_tasks.cuh"
#include "warp_tile.cuh"

namespace sgemm_shim::tile_pipeline {

/// Numbers of the block's named barriers, after those of tile_output.cuh.
constexpr unsigned first_stage_barrier = 2;  ///< one for each stage: it has been read
constexpr unsigned last_barrier = 15;

/// `blocks` is how many blocks a multiprocessor holds at the same time. `moves_registers` says that the
/// producers are a whole warpgroup which gives its registers to the consumers.
template <class WarpTilingOfConsumers, int producer_warps, int slice_k, int slices_in_flight, int blocks,
          int producer_registers = 0, int consumer_registers = 0>
struct PipelineShape {
    using Tiling = WarpTilingOfConsumers;
    static constexpr int tile_m = Tiling::tile_m, tile_n = Tiling::tile_n, tile_k = slice_k;
    static constexpr int stages = slices_in_flight;
    static constexpr int producers = producer_warps * 32, consumers = Tiling::threads;
    static constexpr int threads = consumers + producers;
    static constexpr int blocks_per_multiprocessor = blocks;
    static constexpr int registers_of_producer = producer_registers;
    static constexpr int registers_of_consumer = consumer_registers;
    static constexpr bool moves_registers = producer_registers != 0;
    /// Of a slice, that a warp multiplies.
    static constexpr int steps_of_warp = tile_k / Tiling::warps_k;
    /// Where registers cannot move, every thread gets what a consumer needs, and fewer blocks are held.
    static constexpr int registers_of_multiprocessor = 65536;
    static constexpr int least_blocks = !moves_registers || registers_can_move ? blocks
                                        : threads * consumer_registers > registers_of_multiprocessor
                                            ? 1
                                            : registers_of_multiprocessor / (threads * consumer_registers);
    /// Of smaller tiles there are enough; in larger ones the compiler finds no registers for it.
    static constexpr bool shares_tiles = tile_m * tile_n >= 64 * 64 && tile_m * tile_n <= 128 * 128;
    static_assert(first_stage_barrier + slices_in_flight - 1 <= last_barrier);
    static_assert(!moves_registers || (producers % 128 == 0 && consumers % 128 == 0));
    /// What a thread is launched with, in units of 8: the consumers would wait for ever for more than that.
    static constexpr int registers_at_launch = registers_of_multiprocessor / (threads * blocks) / 8 * 8;
    static_assert(!moves_registers || producers * producer_registers + consumers * consumer_registers <=
                                          threads * registers_at_launch);

    struct Stage {
        StageSlice<tile_m, tile_k> a;
        StageSlice<tile_n, tile_k> b;
    };
    /// A tile's sums on their way to the other blocks of a cluster, as the threads hold them: the runs of
    /// each lane.
    struct Sums {
        alignas(16) float at[Tiling::warps][Tiling::runs][32][Tiling::square];
        /// Between those of warps that divide k.
        static constexpr int part_stride = Tiling::rectangles * Tiling::runs * 32 * Tiling::square;
    };
    /// A part of them, for a block that writes alone and must leave the stages to the producers.
    static constexpr int runs_at_once = Tiling::runs < 4 ? Tiling::runs : 4;
    struct SomeSums {
        alignas(16) float at[Tiling::warps][runs_at_once][32][Tiling::square];
        static constexpr int part_stride = Tiling::rectangles * runs_at_once * 32 * Tiling::square;
    };
    struct Ring {
        Stage stages[PipelineShape::stages];
        SomeSums sums;
    };
    union Storage {
        Ring ring;
        Sums sums;
    };
    static constexpr std::size_t shared_bytes = sizeof(Storage);
};

/// A stage of the ring, and the parity of its phase.
template <int stages>
struct RingPosition {
    int stage = 0;
    unsigned parity = 0;

    __device__ void advance() {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

template <int stages>
struct BlockState {
    PhaseBarrier full[stages];  ///< the stage has been filled
    unsigned arrivals;          ///< of other blocks at a shared tile
};

/// The producers' end of the ring.
template <class Shape>
class RingOfProducers {
  public:
    __device__ RingOfProducers(typename Shape::Stage* stages, PhaseBarrier (&full)[Shape::stages])
        : stages_(stages), full_(full) {}

    /// The next stage, when it has been read.
    __device__ typename Shape::Stage& acquire() {
        if (is_used_) wait_until_read();
        return stages_[position_.stage];
    }
    /// Passes it on when all copies that the thread has started are complete.
    __device__ void pass_on_after_copies() {
        arrive_after_copies(full_[position_.stage]);
        advance();
    }

    /// Waits for the consumers to read what they have not: every arrival at a barrier finds its wait.
    __device__ void drain() {
        const int used = is_used_ ? Shape::stages : position_.stage;
        if (!is_used_) position_.stage = 0;
        for (int i = 0; i < used; ++i) {
            wait_until_read();
            advance();
        }
    }

  private:
    __device__ void wait_until_read() {
        synchronize_threads(first_stage_barrier + static_cast<unsigned>(position_.stage), Shape::threads);
    }
    __device__ void advance() {
        position_.advance();
        if (position_.stage == 0) is_used_ = true;
    }

    typename Shape::Stage* stages_;
    PhaseBarrier (&full_)[Shape::stages];
    RingPosition<Shape::stages> position_;
    bool is_used_ = false;  ///< every stage has been filled before
};

/// How much of a tile that begins at `first` lies before `count`.
__device__ inline int valid_part(std::int64_t count, std::int64_t first, int tile) {
    return count - first < tile ? static_cast<int>(count - first) : tile;
}

/// Fills the ring with the slices of a tile, by copies of so many floats.
template <class Shape, Major major_a, Major major_b, int width_a, int width_b>
__device__ inline void produce(const GemmArguments& arguments, const TileTask<Shape>& task,
                               RingOfProducers<Shape>& ring, unsigned thread) {
    const TilePosition& position = task.position;
    const std::int64_t first_k = std::int64_t{task.range.first} * Shape::tile_k;
    SliceCopies<major_a, Shape::tile_m, Shape::tile_k, Shape::producers, width_a> a(
        view_of_a<major_a>(arguments, position.batch), position.m,
        valid_part(arguments.m, position.m, Shape::tile_m), first_k, thread);
    SliceCopies<major_b, Shape::tile_n, Shape::tile_k, Shape::producers, width_b> b(
        view_of_b<major_b>(arguments, position.batch), position.n,
        valid_part(arguments.n, position.n, Shape::tile_n), first_k, thread);
    for (int slice = 0; slice < task.range.count_whole; ++slice) {
        auto& stage = ring.acquire();
        a.start(stage.a);
        b.start(stage.b);
        ring.pass_on_after_copies();
    }
    if (task.range.last_steps > 0) {
        auto& stage = ring.acquire();
        a.start_short(stage.a, task.range.last_steps);
        b.start_short(stage.b, task.range.last_steps);
        ring.pass_on_after_copies();
    }
}

/// The same with the widest copies that the operands allow. Without a step of k there may be no operands.
template <class Shape, Major major_a, Major major_b>
__device__ inline void produce(const GemmArguments& arguments, const TileTask<Shape>& task,
                               RingOfProducers<Shape>& ring, unsigned thread) {
    if (task.range.count_whole == 0 && task.range.last_steps == 0) return;
    constexpr bool widens_a = major_a == Major::mn, widens_b = major_b == Major::mn;
    constexpr int wide_a = widens_a ? 4 : 1, wide_b = widens_b ? 4 : 1;
    const bool is_wide_a = allows_wide_copies(view_of_a<major_a>(arguments, task.position.batch),
                                              valid_part(arguments.m, task.position.m, Shape::tile_m));
    const bool is_wide_b = allows_wide_copies(view_of_b<major_b>(arguments, task.position.batch),
                                              valid_part(arguments.n, task.position.n, Shape::tile_n));
    if ((is_wide_a || !widens_a) && (is_wide_b || !widens_b))
        produce<Shape, major_a, major_b, wide_a, wide_b>(arguments, task, ring, thread);
    else if (is_wide_a)
        produce<Shape, major_a, major_b, wide_a, 1>(arguments, task, ring, thread);
    else if (is_wide_b)
        produce<Shape, major_a, major_b, 1, wide_b>(arguments, task, ring, thread);
    else
        produce<Shape, major_a, major_b, 1, 1>(arguments, task, ring, thread);
}

/// The consumers' end of the ring.
template <class Shape>
class RingOfConsumers {
  public:
    __device__ RingOfConsumers(typename Shape::Stage* stages, PhaseBarrier (&full)[Shape::stages],
                               const PlaceInTile<typename Shape::Tiling>& place)
        : first_step_(place.share_of_k * Shape::steps_of_warp),
          a_(&stages[0].a.at[first_step_][place.m]),
          b_(&stages[0].b.at[first_step_][place.n]),
          full_(full) {}

    /// The thread's steps of a slice that has only so many.
    __device__ int own_steps(int steps) const {
        if constexpr (Shape::Tiling::warps_k == 1) return steps;
        const int own = steps - first_step_;
        return own < 0 ? 0 : own < Shape::steps_of_warp ? own : Shape::steps_of_warp;
    }

    /// Waits for the stage at whose first step the ring stands.
    __device__ void begin_slice() { wait(*full_, position_.parity); }
    /// Loads the step at which the ring stands, or one after it.
    __device__ void load(Fragments<typename Shape::Tiling>& step, int ahead = 0) const {
        step.load(a_ + ahead * row_a, b_ + ahead * row_b);
    }
    __device__ void advance(int steps) {
        a_ += steps * row_a;
        b_ += steps * row_b;
    }
    /// Leaves the stage, whose step `step` the ring stands at, for the next one's first;
    /// release(end_slice()), when everything in it has been loaded, gives it back. All addresses come from
    /// the ones before: from the ring's beginning and the thread's place, the compiler would work them out
    /// anew for every slice.
    __device__ unsigned end_slice(int step) {
        const unsigned read = first_stage_barrier + static_cast<unsigned>(position_.stage);
        position_.advance();
        const int stages_on = position_.stage == 0 ? 1 - Shape::stages : 1;
        a_ += stages_on * stage_length - step * row_a;
        b_ += stages_on * stage_length - step * row_b;
        full_ += stages_on;
        return read;
    }
    __device__ static void release(unsigned read) { arrive_threads(read, Shape::threads); }

  private:
    static constexpr int row_a = StageSlice<Shape::tile_m, Shape::tile_k>::row_length;
    static constexpr int row_b = StageSlice<Shape::tile_n, Shape::tile_k>::row_length;
    static constexpr int stage_length = sizeof(typename Shape::Stage) / sizeof(float);

    int first_step_;
    const float* a_;  ///< the thread's place in the step's row
    const float* b_;
    PhaseBarrier* full_;
    RingPosition<Shape::stages> position_;
};

/// A few steps of k, loaded together.
template <class Tiling, int count>
struct Steps {
    Fragments<Tiling> at[count];

    /// From the step on that lies `ahead` of where the ring stands.
    template <class Ring>
    __device__ void load(const Ring& ring, int ahead = 0) {
#pragma unroll
        for (int step = 0; step < count; ++step) ring.load(at[step], ahead + step);
    }
    __device__ void multiply_add(ThreadSums<Tiling>& sums) const {
#pragma unroll
        for (int step = 0; step < count; ++step) sums.multiply_add(at[step]);
    }
};

/// Multiplies the slices of a tile.
///
/// Each group of steps is loaded while the one before is multiplied, two groups in turn. For large rectangles
/// a group is one step, in a loop that is not unrolled any further: unrolled, the compiler moves the sums
/// from register to register between the steps, into banks where they collide with the fragments, and the
/// loop outgrows the instruction cache. The products of one step of a small rectangle take less time than a
/// load, so there a group is two steps, and a slice, which is not long then, is unrolled.
template <class Shape>
__device__ inline void consume(ThreadSums<typename Shape::Tiling>& sums, const SliceRange& range,
                               RingOfConsumers<Shape>& ring) {
    constexpr bool is_small = Shape::Tiling::thread_m * Shape::Tiling::thread_n < 32;
    constexpr int group = is_small ? 2 : 1;
    constexpr int pairs = Shape::steps_of_warp / (2 * group) - 1;
    [[maybe_unused]] constexpr int unrolled_pairs = is_small ? pairs : 1;
    static_assert(Shape::steps_of_warp % (2 * group) == 0);
    Steps<typename Shape::Tiling, group> even, odd;
    if (range.count_whole > 0) {
        ring.begin_slice();
        even.load(ring);
    }
    for (int slice = 0; slice < range.count_whole; ++slice) {
#pragma unroll unrolled_pairs
        for (int pair = 0; pair < pairs; ++pair) {
            odd.load(ring, group);
            even.multiply_add(sums);
            ring.advance(2 * group);
            even.load(ring);
            odd.multiply_add(sums);
        }
        odd.load(ring, group);
        even.multiply_add(sums);
        const unsigned read = ring.end_slice(Shape::steps_of_warp - 2 * group);
        if (slice + 1 < range.count_whole) {
            ring.begin_slice();
            even.load(ring);
        }
        ring.release(read);
        odd.multiply_add(sums);
    }
    if (range.last_steps > 0) {
        const int steps = ring.own_steps(range.last_steps);
        ring.begin_slice();
        if (steps > 0) ring.load(even.at[0]);
        int step = 0;
#pragma unroll 1
        for (; step + 1 < steps; step += 2) {
            ring.load(odd.at[0], 1);
            sums.multiply_add(even.at[0]);
            ring.advance(2);
            if (step + 2 < steps) ring.load(even.at[0]);
            sums.multiply_add(odd.at[0]);
        }
        ring.release(ring.end_slice(step));
        if (steps % 2 != 0) sums.multiply_add(even.at[0]);
    }
}

/// Every block computes its tiles, or its share of all of them; or every cluster one tile, each of its blocks
/// a part of k.
template <class Shape, Major major_a, Major major_b>
__global__ void __launch_bounds__(Shape::threads, Shape::least_blocks)
    kernel(GemmArguments arguments, TileRange tiles, SharedTiles shared) {
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    auto& state = shared_memory<BlockState<Shape::stages>>();
    auto& full = state.full;
    auto& storage = *static_cast<typename Shape::Storage*>(dynamic_shared_memory());
    if (thread_index() == 0) {
        for (PhaseBarrier& barrier : full) initialize(barrier, Shape::producers);
    }
    synchronize_block();

    // Every thread of a cluster calls synchronize_cluster() twice: when the sums are in shared memory, and
    // when nobody needs them any more.
    const bool is_alone = cluster_size() == 1;
    if (thread_index() >= Shape::consumers) {
        if constexpr (Shape::moves_registers) shrink_registers<Shape::registers_of_producer>();
        RingOfProducers<Shape> ring(storage.ring.stages, full);
        for_each_tile<Shape>(arguments, epilogue, tiles, shared, [&](const TileTask<Shape>& task) {
            produce<Shape, major_a, major_b>(arguments, task, ring, thread_index() - Shape::consumers);
        });
        ring.drain();
        if (!is_alone) {
            synchronize_cluster();
            synchronize_cluster();
        }
    } else {
        if constexpr (Shape::moves_registers) grow_registers<Shape::registers_of_consumer>();
        RingOfConsumers<Shape> ring(storage.ring.stages, full,
                                    PlaceInTile<typename Shape::Tiling>(thread_index()));
        for_each_tile<Shape>(arguments, epilogue, tiles, shared, [&](const TileTask<Shape>& task) {
            ThreadSums<typename Shape::Tiling> sums;
            consume<Shape>(sums, task.range, ring);

            // Worked out here, where the loop over k no longer wants the registers.
            const unsigned thread = unknown_to_compiler(thread_index());
            const PlaceInTile<typename Shape::Tiling> place(thread);
            const TileWriter writer(arguments, epilogue, task.position);
            if constexpr (Shape::shares_tiles) {
                if (!task.is_whole) {
                    const Cuts cuts(tiles.end, SliceRange::count_slices(arguments.k, Shape::tile_k),
                                    shared.blocks);
                    MeetingPlace<Shape> meeting(shared, cuts, task.tile, thread);
                    meeting.leave(sums, storage.ring.sums, thread, place);
                    if (meeting.is_last(state.arrivals, consumers_barrier, thread))
                        meeting.write(writer, storage.ring.sums, thread, place);
                    return;
                }
            }
            if (is_alone) {
                write_alone<Shape>(sums, writer, storage.ring.sums, thread, place);
                return;
            }
            // The sums take the place of the stages, which every consumer must have read.
            synchronize_threads(consumers_barrier, Shape::consumers);
            offer_sums<Shape>(sums, storage.sums, thread, place);
            synchronize_cluster();
            write_share<Shape>(writer, storage.sums, thread, place);
            synchronize_cluster();
        });
    }
}

}  // namespace sgemm_shim::tile_pipeline
