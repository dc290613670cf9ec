// Which tiles, and which of their slices of k, a block of the pipelines computes, one after the other.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "shared_tiles.cuh"

namespace sgemm_shim::tile_pipeline {

/// The slices of k that are one block's. Only the last of all can be short.
struct SliceRange {
    int first, count;
    int count_whole;  ///< slices with every step
    int last_steps;   ///< of the one after these, if there is one

    __device__ SliceRange(std::int64_t k, int tile_k, const PartOfTile& part)
        : first(static_cast<int>(part.first)), count(static_cast<int>(part.count)) {
        const bool has_last = part.count > 0 && part.first + part.count == count_slices(k, tile_k);
        last_steps = has_last ? static_cast<int>(k % tile_k) : 0;
        count_whole = last_steps != 0 ? count - 1 : count;
    }

    __device__ static unsigned count_slices(std::int64_t k, int tile_k) {
        return static_cast<unsigned>((k + tile_k - 1) / tile_k);
    }
};

/// The tiles that a launch is for. Block or cluster b takes number b, and goes on with every `stride`th after
/// it.
struct TileRange {
    unsigned first, end, stride;
};

/// What one block is to do for one tile.
template <class Shape>
struct TileTask {
    unsigned tile;
    bool is_whole;  ///< no block outside the cluster computes a part of it
    TilePosition position;
    SliceRange range;

    __device__ TileTask(const GemmArguments& arguments, unsigned tile_number, const PartOfTile& part,
                        bool whole)
        : tile(tile_number),
          is_whole(whole),
          position(tile_position<Shape::tile_m, Shape::tile_n>(tile_number, arguments)),
          range(arguments.k, Shape::tile_k, part) {}
};

/// What one of the blocks that share a tile computes of it.
__device__ inline PartOfTile part_of_rank(unsigned slices, unsigned rank, unsigned ranks) {
    const EqualShares shares(slices, ranks);
    return {shares.begin(rank), shares.begin(rank + 1) - shares.begin(rank)};
}

/// Calls visit(task) for every tile of the block.
template <class Shape, class Visit>
__device__ inline void for_each_tile(const GemmArguments& arguments, const Epilogue& epilogue,
                                     const TileRange& tiles, [[maybe_unused]] const SharedTiles& shared,
                                     Visit visit) {
    if constexpr (!Shape::shares_tiles) {
        // As the other branch does it where nothing is shared, written by itself: with the rest around it,
        // the compiler finds worse loops for the largest tiles (277 instructions instead of 273).
        const std::int64_t k = epilogue.has_product() ? arguments.k : 0;
        for (unsigned tile = tiles.first + block_index() / cluster_size(); tile < tiles.end;
             tile += tiles.stride)
            visit(TileTask<Shape>(
                arguments, tile,
                part_of_rank(SliceRange::count_slices(k, Shape::tile_k), cluster_rank(), cluster_size()),
                true));
    } else {
        const unsigned slices = SliceRange::count_slices(arguments.k, Shape::tile_k);
        const unsigned block = block_index();
        const unsigned ranks = cluster_size();
        const bool shares = shared.blocks != 0;
        const bool meets_elsewhere = shared.sums != nullptr;
        const Cuts cuts(shares ? tiles.end : 1, slices, shares ? shared.blocks : 1);
        unsigned next =
            meets_elsewhere ? cuts.begin(block) : tiles.first + (ranks == 1 ? block : block / ranks);
        const unsigned end = meets_elsewhere ? cuts.begin(block + 1) : tiles.end;
        // One loop for all ways: its body, with all that the visitor does, is to exist once.
        while (next < end) {
            unsigned tile = next;
            PartOfTile part{0, slices};
            bool is_whole = true;
            if (meets_elsewhere) {
                tile = next / slices;
                part = cuts.part(tile, block);
                is_whole = part.count == slices;
                next += part.count;
            } else {
                if (shares)
                    part = cuts.part(tile, cuts.first_block(tile) + cluster_rank());
                else if (ranks > 1)
                    part = part_of_rank(slices, cluster_rank(), ranks);
                next += tiles.stride;
            }
            if (!epilogue.has_product()) part = {0, 0};
            visit(TileTask<Shape>(arguments, tile, part, is_whole));
        }
    }
}

}  // namespace sgemm_shim::tile_pipeline
