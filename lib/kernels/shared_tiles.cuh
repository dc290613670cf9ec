// Tiles that the blocks of a launch share evenly (Partition::shares_tiles).
//
// The idea: 144 tiles on 132 multiprocessors take as long as 264, because 12 of them come last. So the slices
// of all tiles, one tile after the other, are dealt out in equal shares, and a share may end in the middle of
// a tile, where the next block goes on. (Known as stream-K.) Each block leaves its sums of such a tile in a
// workspace, and the block that comes last adds them up in the order of k and writes the tile; nobody waits.
// Without a workspace, a cluster computes each tile, every block of it one of the same parts: no better than
// whole tiles, but the same sums to the last bit.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "tile_output.cuh"
#include "warp_tile.cuh"
#include "write_four.cuh"

namespace sgemm_shim::tile_pipeline {

/// `total` items in `count` nearly equal shares, one after the other.
struct EqualShares {
    unsigned share;   ///< items of a share
    unsigned longer;  ///< the first so many shares have one more

    __device__ EqualShares(unsigned total, unsigned count)
        : share(count == 1 ? total : total / count), longer(total - share * count) {}

    __device__ unsigned begin(unsigned index) const {
        return share * index + (index < longer ? index : longer);
    }
    /// Whose share an item is in.
    __device__ unsigned owner(unsigned item) const {
        const unsigned in_longer = longer * (share + 1);
        return item < in_longer ? item / (share + 1) : longer + (item - in_longer) / share;
    }
};

/// As it is passed to the kernel.
struct SharedTiles {
    unsigned blocks;     ///< that share the tiles; 0: nothing is shared
    float* sums;         ///< of the workspace; nullptr: there is none
    unsigned* counters;  ///< one for each tile
};

/// Some slices of a tile.
struct PartOfTile {
    unsigned first, count;
};

/// How the shares cut the tiles. Slices are numbered through all tiles.
class Cuts {
  public:
    __device__ Cuts(unsigned tiles, unsigned slices_of_tile, unsigned blocks)
        : slices_(slices_of_tile), shares_(tiles * slices_of_tile, blocks) {}

    __device__ unsigned begin(unsigned block) const { return shares_.begin(block); }
    __device__ unsigned first_block(unsigned tile) const { return shares_.owner(tile * slices_); }
    __device__ unsigned last_block(unsigned tile) const {
        return shares_.owner(tile * slices_ + slices_ - 1);
    }
    /// What a block computes of a tile; nothing if it is not one of the tile's.
    __device__ PartOfTile part(unsigned tile, unsigned block) const {
        const unsigned tile_begin = tile * slices_;
        const unsigned tile_end = tile_begin + slices_;
        if (block > shares_.owner(tile_end - 1)) return {0, 0};
        const unsigned begin = shares_.begin(block) < tile_begin ? tile_begin : shares_.begin(block);
        const unsigned end = shares_.begin(block + 1) < tile_end ? shares_.begin(block + 1) : tile_end;
        return {begin - tile_begin, end - begin};
    }

  private:
    unsigned slices_;
    EqualShares shares_;
};

/// A tile whose sums meet in the workspace. Used by the consumers.
template <class Shape>
class MeetingPlace {
    using Tiling = typename Shape::Tiling;

  public:
    __device__ MeetingPlace(const SharedTiles& shared, const Cuts& cuts, unsigned tile, unsigned thread)
        : first_block_(cuts.first_block(tile)),
          last_block_(cuts.last_block(tile)),
          counter_(shared.counters + tile),
          sums_(shared.sums + thread % (Tiling::rectangles * 32) * Tiling::square) {}

    __device__ void leave(const ThreadSums<Tiling>& sums, typename Shape::SomeSums& some, unsigned thread,
                          const PlaceInTile<Tiling>& place) {
        float* const to = sums_of(block_index());
        if constexpr (Tiling::warps_k == 1) {
#pragma unroll
            for (int run = 0; run < Tiling::runs; ++run)
                store_flipped<Tiling::flip>(to + run * run_stride, sums.run(run));
        } else {
            exchange_runs<Shape>(sums, some, thread, place, [&](int run, float(&slots)[32][Tiling::square]) {
                float total[Tiling::square] = {};
                add_parts<Tiling::flip, Tiling::warps_k, Shape::SomeSums::part_stride>(
                    total, slots[RunSlots<Tiling>::slot_of(thread % 32)]);
                store_flipped<Tiling::flip>(to + run * run_stride, total);
            });
        }
    }

    /// After leave(): whether all the others have been there before. `arrivals` is the block's.
    __device__ bool is_last(unsigned& arrivals, unsigned barrier, unsigned thread) {
        synchronize_threads(barrier, Shape::consumers);
        if (thread == 0) arrivals = count_in_order(counter_, 1);
        synchronize_threads(barrier, Shape::consumers);
        const bool are_all = arrivals == last_block_ - first_block_;
        if (are_all && thread == 0) *counter_ = 0;  // for the next launch
        return are_all;
    }

    /// Adds up what all have left and writes the tile.
    __device__ void write(const TileWriter& writer, typename Shape::SomeSums& some, unsigned thread,
                          const PlaceInTile<Tiling>& place) const {
        auto& own = some.at[thread / 32];
        const int slot = RunSlots<Tiling>::slot_of(thread % 32);
#pragma unroll 1
        for (int gathered = 0; gathered < runs_of_warp; gathered += gathered_runs) {
            const int first = place.share_of_k * runs_of_warp + gathered;
            float total[gathered_runs][Tiling::square] = {};
            gather(total, first);
#pragma unroll
            for (int offset = 0; offset < gathered_runs; offset += Shape::runs_at_once) {
#pragma unroll
                for (int i = 0; i < Shape::runs_at_once; ++i) store_four(own[i][slot], total[offset + i]);
                write_some<Shape>(writer, own, first + offset, thread % 32, place);
            }
        }
    }

  private:
    static constexpr int run_stride = Tiling::rectangles * 32 * Tiling::square;
    static constexpr int runs_of_warp = Tiling::runs / Tiling::warps_k;
    /// Two blocks' sums of so many runs are loaded at once: the loads take their time, whatever their number.
    static constexpr int gathered_runs = runs_of_warp < 8 ? runs_of_warp : 8;
    static_assert(runs_of_warp % gathered_runs == 0 && gathered_runs % Shape::runs_at_once == 0);

    __device__ float* sums_of(unsigned block) const {
        // A tile's first block ends with it, every other one begins with it.
        const unsigned slot = 2 * block + (block == first_block_ ? 1 : 0);
        return sums_ + std::size_t{slot} * (Shape::tile_m * Shape::tile_n);
    }

    __device__ void gather(float (&total)[gathered_runs][Tiling::square], int first_run) const {
#pragma unroll 1
        for (unsigned block = first_block_; block <= last_block_; block += 2) {
            const float* const one = sums_of(block) + first_run * run_stride;
            const bool is_pair = block < last_block_;
            const float* const two = sums_of(block + 1) + first_run * run_stride;
            float4 ones[gathered_runs], twos[gathered_runs] = {};
#pragma unroll
            for (int i = 0; i < gathered_runs; ++i) {
                ones[i] = load_vector(one + i * run_stride);
                if (is_pair) twos[i] = load_vector(two + i * run_stride);
            }
#pragma unroll
            for (int i = 0; i < gathered_runs; ++i) {
                add_four(total[i], ones[i]);
                add_four(total[i], twos[i]);
            }
        }
    }

    unsigned first_block_, last_block_;
    unsigned* counter_;
    float* sums_;  ///< this thread's, of the first slot's first run
};

}  // namespace sgemm_shim::tile_pipeline
