// The production kernels: one source for every tile size.
//
// The idea: the warps of a block have different jobs. The producers start asynchronous copies from global to
// shared memory, several slices of k ahead, and do the addresses, the edges and the transpositions, some by
// loads and stores (stage_copies.cuh); the consumers do nothing but multiply from shared memory, each a
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
/// producers are a whole warpgroup which gives its registers to the consumers; `transposing_loads`, if it
/// is not 0, that operands which lie along k come by TransposingLoads where they can, so many at a time.
template <class WarpTilingOfConsumers, int producer_warps, int slice_k, int slices_in_flight, int blocks,
          int producer_registers = 0, int consumer_registers = 0, int transposing_loads = 0>
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
    static constexpr int loads_at_once = transposing_loads;
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

    /// Stages that have never been filled: nobody has to be waited for.
    __device__ int unused_stages() const { return is_used_ ? 0 : Shape::stages - position_.stage; }
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
    /// Makes its consumers wait for all copies that the thread has started, too.
    __device__ void await_copies() { add_arrival_after_copies(full_[position_.stage]); }
    /// Passes it on with what the thread has stored itself.
    __device__ void pass_on() {
        arrive(full_[position_.stage]);
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

template <class Copies>
constexpr int passes_of_loads = 0;
template <int tile_mn, int tile_k, int threads>
constexpr int passes_of_loads<TransposingLoads<tile_mn, tile_k, threads>> =
    TransposingLoads<tile_mn, tile_k, threads>::passes;

/// Fills the ring with whole slices, of operands of which at least one is loaded; the other may be copied.
template <class Shape, class CopiesA, class CopiesB>
__device__ inline void produce_by_loads(CopiesA& a, CopiesB& b, int slices, RingOfProducers<Shape>& ring) {
    constexpr int passes_a = passes_of_loads<CopiesA>, passes_b = passes_of_loads<CopiesB>;
    constexpr int passes = passes_a + passes_b;
    constexpr int at_once = Shape::loads_at_once < passes ? Shape::loads_at_once : passes;
    using Order = TransposedOrder;
    for (int slice = 0; slice < slices; ++slice) {
        auto& stage = ring.acquire();
        if constexpr (passes_a == 0) a.template start<Order>(stage.a);
        if constexpr (passes_b == 0) b.template start<Order>(stage.b);
            // Several loads are on their way at a time, of one operand and the next.
#pragma unroll
        for (int first = 0; first < passes; first += at_once) {
            float4 held[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                const int pass = first + i;
                if constexpr (passes_a != 0)
                    if (pass < passes_a) held[i] = a.load(pass);
                if constexpr (passes_b != 0)
                    if (pass >= passes_a && pass < passes) held[i] = b.load(pass - passes_a);
            }
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                const int pass = first + i;
                if constexpr (passes_a != 0)
                    if (pass < passes_a) a.store(stage.a, pass, held[i]);
                if constexpr (passes_b != 0)
                    if (pass >= passes_a && pass < passes) b.store(stage.b, pass - passes_a, held[i]);
            }
        }
        if constexpr (passes_a == 0 || passes_b == 0) ring.await_copies();
        ring.pass_on();
    }
}

/// Fills the ring with the slices of a tile.
template <class Shape, Major major_a, Major major_b, int width_a, int width_b>
__device__ inline void produce(const GemmArguments& arguments, const TileTask<Shape>& task,
                               RingOfProducers<Shape>& ring, unsigned thread) {
    constexpr bool loads_a = Shape::loads_at_once != 0 && major_a == Major::k && width_a == 4;
    constexpr bool loads_b = Shape::loads_at_once != 0 && major_b == Major::k && width_b == 4;
    constexpr bool loads = loads_a || loads_b;
    using CopiesA =
        SliceCopies<major_a, Shape::tile_m, Shape::tile_k, Shape::producers, loads_a ? 1 : width_a>;
    using CopiesB =
        SliceCopies<major_b, Shape::tile_n, Shape::tile_k, Shape::producers, loads_b ? 1 : width_b>;
    const auto make_a = [&]<class Copies>(int slice) {
        return Copies(view_of_a<major_a>(arguments, task.position.batch), task.position.m,
                      valid_part(arguments.m, task.position.m, Shape::tile_m),
                      (std::int64_t{task.range.first} + slice) * Shape::tile_k, thread);
    };
    const auto make_b = [&]<class Copies>(int slice) {
        return Copies(view_of_b<major_b>(arguments, task.position.batch), task.position.n,
                      valid_part(arguments.n, task.position.n, Shape::tile_n),
                      (std::int64_t{task.range.first} + slice) * Shape::tile_k, thread);
    };
    using Order = std::conditional_t<loads, TransposedOrder, NaturalOrder>;

    auto a = make_a.template operator()<CopiesA>(0);
    auto b = make_b.template operator()<CopiesB>(0);
    const int slices = task.range.count_whole;
    // As long as no stage has to be waited for, copies bring the slices sooner: all are on their way at once.
    // Loads do not keep up with a block that has a multiprocessor to itself.
    const int unused = ring.unused_stages();
    const bool copies_all = !loads || unused >= slices || block_count() <= multiprocessor_count();
    const int copied = copies_all ? slices : unused;
    for (int slice = 0; slice < copied; ++slice) {
        auto& stage = ring.acquire();
        a.template start<Order>(stage.a);
        b.template start<Order>(stage.b);
        ring.pass_on_after_copies();
    }
    if constexpr (loads) {
        if (copied < slices) {
            auto next_a = make_a.template operator()<std::conditional_t<
                loads_a, TransposingLoads<Shape::tile_m, Shape::tile_k, Shape::producers>, CopiesA>>(copied);
            auto next_b = make_b.template operator()<std::conditional_t<
                loads_b, TransposingLoads<Shape::tile_n, Shape::tile_k, Shape::producers>, CopiesB>>(copied);
            produce_by_loads<Shape>(next_a, next_b, slices - copied, ring);
            if (task.range.last_steps == 0) return;
            // Made again, not kept: it would take registers meanwhile.
            a = make_a.template operator()<CopiesA>(slices);
            b = make_b.template operator()<CopiesB>(slices);
        }
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
    const bool is_wide_a = allows_wide_copies(view_of_a<major_a>(arguments, task.position.batch),
                                              valid_part(arguments.m, task.position.m, Shape::tile_m));
    const bool is_wide_b = allows_wide_copies(view_of_b<major_b>(arguments, task.position.batch),
                                              valid_part(arguments.n, task.position.n, Shape::tile_n));
    constexpr bool widens_a = major_a == Major::mn || Shape::loads_at_once != 0;
    constexpr bool widens_b = major_b == Major::mn || Shape::loads_at_once != 0;
    constexpr int wide_a = widens_a ? 4 : 1, wide_b = widens_b ? 4 : 1;
    if ((is_wide_a || !widens_a) && (is_wide_b || !widens_b))
        produce<Shape, major_a, major_b, wide_a, wide_b>(arguments, task, ring, thread);
    else if (widens_a && is_wide_a)
        produce<Shape, major_a, major_b, wide_a, 1>(arguments, task, ring, thread);
    else if (widens_b && is_wide_b)
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
        const PlaceInTile<typename Shape::Tiling> place(thread_index());
        RingOfConsumers<Shape> ring(storage.ring.stages, full, place);
        for_each_tile<Shape>(arguments, epilogue, tiles, shared, [&](const TileTask<Shape>& task) {
            ThreadSums<typename Shape::Tiling> sums;
            consume<Shape>(sums, task.range, ring);

            const TileWriter writer(arguments, epilogue, task.position);
            if constexpr (Shape::shares_tiles) {
                if (!task.is_whole) {
                    const Cuts cuts(tiles.end, SliceRange::count_slices(arguments.k, Shape::tile_k),
                                    shared.blocks);
                    MeetingPlace<Shape> meeting(shared, cuts, task.tile, thread_index());
                    meeting.leave(sums, storage.ring.sums, thread_index(), place);
                    if (meeting.is_last(state.arrivals, consumers_barrier, thread_index()))
                        meeting.write(writer, storage.ring.sums, thread_index(), place);
                    return;
                }
            }
            if (is_alone) {
                write_alone<Shape>(sums, writer, storage.ring.sums, thread_index(), place);
                return;
            }
            // The sums take the place of the stages, which every consumer must have read.
            synchronize_threads(consumers_barrier, Shape::consumers);
            offer_sums<Shape>(sums, storage.sums, thread_index(), place);
            synchronize_cluster();
            write_share<Shape>(writer, storage.sums, thread_index(), place);
            synchronize_cluster();
        });
    }
}

}  // namespace sgemm_shim::tile_pipeline
