#include "partition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace sgemm_shim {
namespace {

/// The most shares of all slices that have a slice of the same tile, counted.
std::int64_t count_blocks_of_a_tile(std::int64_t tiles, std::int64_t slices, std::int64_t blocks) {
    std::vector<std::int64_t> owners;
    for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t share = tiles * slices / blocks + (block < tiles * slices % blocks ? 1 : 0);
        owners.insert(owners.end(), static_cast<std::size_t>(share), block);
    }
    std::int64_t most = 0;
    for (std::int64_t tile = 0; tile < tiles; ++tile)
        most = std::max(most, owners[static_cast<std::size_t>(tile * slices + slices - 1)] -
                                  owners[static_cast<std::size_t>(tile * slices)] + 1);
    return most;
}

TEST_CASE("a shared tile has no more blocks than its cluster") {
    for (std::int64_t tiles = 1; tiles <= 9; ++tiles) {
        for (std::int64_t slices = 1; slices <= 9; ++slices) {
            for (std::int64_t blocks = 1; blocks <= tiles * slices; ++blocks) {
                CAPTURE(tiles);
                CAPTURE(slices);
                CAPTURE(blocks);
                CHECK(count_blocks_of_a_tile(tiles, slices, blocks) <=
                      blocks_of_shared_tile(tiles, slices, blocks));
            }
        }
    }
    // Nor many less where shares are long.
    CHECK(count_blocks_of_a_tile(144, 96, 264) == 3);
    CHECK(blocks_of_shared_tile(144, 96, 264) == 3);
    CHECK(blocks_of_shared_tile(300, 96, 264) == 2);
}

TEST_CASE("what cannot be shared") {
    CHECK(can_share_tiles(144, 96, 264, 16));
    CHECK_FALSE(can_share_tiles(0, 96, 264, 16));
    CHECK_FALSE(can_share_tiles(144, 0, 264, 16));
    CHECK_FALSE(can_share_tiles(144, 96, 0, 16));
    CHECK_FALSE(can_share_tiles(2, 100, 201, 16));  // fewer slices than blocks
    CHECK_FALSE(can_share_tiles(2, 100, 100, 16));  // 50 blocks a tile
    CHECK(can_share_tiles(1 << 15, 1 << 15, 264, 16));
    CHECK_FALSE(can_share_tiles(1 << 16, 1 << 15, 264, 16));
    CHECK_FALSE(can_share_tiles(INT64_MAX, INT64_MAX, 264, 16));
}

}  // namespace
}  // namespace sgemm_shim
