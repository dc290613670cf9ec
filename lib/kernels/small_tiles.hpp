// Which tiles the kernels for small products take: for the kernels that launch them, and for the cost model.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sgemm_shim::small_tiles {

constexpr int largest_side = 32;
/// Of a tile that is not to be divided any further.
constexpr int least_elements = 64;

struct Tile {
    int m, n;

    std::int64_t count(std::int64_t rows, std::int64_t columns) const {
        return (rows + m - 1) / m * ((columns + n - 1) / n);
    }
};

/// one_fetch: warps of a block that divide `steps` steps of k. The sums of large tiles cost more to bring
/// together than a warp's share of k to multiply.
constexpr int most_warps = 16;
constexpr int steps_worth_a_warp = 16;
inline int warps_of(int steps, const Tile& tile) {
    const int most = tile.m * tile.n <= 256 ? most_warps : most_warps / 2;
    return std::clamp((steps + steps_worth_a_warp - 1) / steps_worth_a_warp, 1, most);
}

/// one_fetch: as large as the product, and halved until there are a block for nearly every multiprocessor and
/// a warp for each of its quarters. `matrices` counts every tile's parts of k, `steps` are those of one part.
inline Tile tile_of_fetch(std::int64_t rows, std::int64_t columns, std::int64_t matrices, int steps,
                          unsigned multiprocessors) {
    const auto side = [](std::int64_t count) { return count > 16 ? largest_side : count > 8 ? 16 : 8; };
    Tile tile{side(rows), side(columns)};
    while (tile.m * tile.n > least_elements) {
        const std::int64_t blocks = tile.count(rows, columns) * matrices;
        if (blocks >= multiprocessors - multiprocessors / 8 &&
            blocks * warps_of(steps, tile) >= multiprocessors * 4)
            break;
        (tile.m >= tile.n ? tile.m : tile.n) /= 2;
    }
    return tile;
}

/// tiny_matrices: warps of a block and blocks of a multiprocessor, and what a warp holds of a tile's operands
/// at a time: five blocks, of which each takes 1 KiB by itself, fill the 228 KiB of an H200's multiprocessor
/// with two such stages a warp.
constexpr int warps_of_tiny = 4;
constexpr int blocks_of_tiny = 5;
constexpr int floats_of_tiny_stage = 1424;
/// The whole side, or nearly equal parts that begin on whole sectors of 32 bytes.
inline int side_of_tiny(std::int64_t count) {
    if (count <= largest_side) return static_cast<int>(count);
    const std::int64_t tiles = (count + largest_side - 1) / largest_side;
    return static_cast<int>((count + tiles - 1) / tiles + 7) / 8 * 8;
}

}  // namespace sgemm_shim::small_tiles
