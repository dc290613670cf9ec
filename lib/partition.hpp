// How a launch divides its work among blocks, and the memory in which they meet.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sgemm_shim {

/// How a launch divides its work among blocks, beyond one block for each tile of C.
struct Partition {
    /// Blocks that share one tile, each with a part of k: a cluster. 1 to KernelImplementation::most_k_parts.
    unsigned k_parts = 1;
    /// Blocks that the GPU holds at the same time: with k_parts = 1, so many go from tile to tile. 0: a block
    /// for each tile.
    unsigned resident_blocks = 0;
    /// The last so many tiles are left to a second launch, with parts of their own: the rest of the last wave
    /// of blocks would keep few multiprocessors busy. Done only for beta = 0 on the host, where a second
    /// launch that fails after the first has not spoilt what a forwarded call needs.
    unsigned tail_tiles = 0;
    unsigned tail_k_parts = 1;
    /// The resident blocks share all tiles evenly: where the share of one ends, the next goes on in the
    /// middle of the tile, and the sums of such a tile meet in a workspace. Without a workspace a cluster for
    /// each tile adds up the same parts in the same order. For kernels with
    /// KernelImplementation::shares_tiles, where can_share_tiles() says so of resident_blocks; k_parts and
    /// tail_tiles do not count then.
    bool shares_tiles = false;
    /// k of every tile in so many parts, each a block's, whose sums meet in a workspace: more than a cluster
    /// has blocks, or without its barriers. Without a workspace the blocks of a cluster compute several parts
    /// each and add up the same sums in the same order. Up to KernelImplementation::most_meeting_parts;
    /// k_parts and resident_blocks do not count then. 0: they do.
    unsigned meeting_parts = 0;
};

/// Device memory in which the blocks of one launch leave sums for each other. Launches that have the same one
/// must follow each other. Empty where there is none.
struct Workspace {
    float* sums = nullptr;         ///< 16-byte aligned
    unsigned* counters = nullptr;  ///< all 0 before a launch, and 0 again after it
    std::size_t sum_count = 0;     ///< floats
    std::size_t counter_count = 0;
};

/// The most tiles, as a multiple of the blocks, that a launch shares: in more waves, the last one counts for
/// little.
inline constexpr unsigned most_shared_waves = 8;

/// Workspace::sum_count for so many blocks: each leaves sums of the tile that its share begins with and of
/// the one that it ends with.
constexpr std::size_t shared_sum_count(int tile_m, int tile_n, unsigned blocks) {
    return std::size_t{2} * blocks * static_cast<std::size_t>(tile_m) * static_cast<std::size_t>(tile_n);
}

/// The most blocks that compute a part of the same tile, where `blocks` (1 to tiles * slices) share `tiles`
/// of `slices` each.
constexpr std::int64_t blocks_of_shared_tile(std::int64_t tiles, std::int64_t slices, std::int64_t blocks) {
    // At worst the tile's first slice is the last of a share, and shorter shares follow.
    const std::int64_t shortest_share = tiles * slices / blocks;
    return 1 + (slices - 1 + shortest_share - 1) / shortest_share;
}

/// Whether `blocks` can share `tiles` of `slices` each: there is a slice for each, they can be counted
/// in 31 bits, and the blocks of a tile fit into a cluster of `most_k_parts`.
constexpr bool can_share_tiles(std::int64_t tiles, std::int64_t slices, std::int64_t blocks,
                               unsigned most_k_parts) {
    constexpr std::int64_t most_slices = INT32_MAX;
    return tiles > 0 && slices > 0 && blocks > 0 && slices <= most_slices && tiles <= most_slices / slices &&
           blocks <= tiles * slices &&
           blocks_of_shared_tile(tiles, slices, blocks) <= std::int64_t{most_k_parts};
}

}  // namespace sgemm_shim
