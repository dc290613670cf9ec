// How a call is divided among warps that each compute a tile (warp_product.cuh).
#pragma once

#include <algorithm>
#include <cstdint>

#include "dispatch.hpp"
#include "warp_division.cuh"

namespace sgemm_shim::warp_product {

/// Sizes are int on the device, also when they are rounded up.
inline bool supports(const GemmCall& call) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    return call.m <= most && call.n <= most && call.k <= most &&
           grid_size(call, largest_tile, largest_tile) != 0;
}

inline int round_up(int value, int multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

inline int log2_of_at_least(int value) {
    int log2 = 0;
    while (1 << log2 < value) ++log2;
    return log2;
}

/// `tile_mn` of the operand's `count_mn` rows or columns and `slice_k` of its k steps are copied at once.
inline Image image_of(const MatrixBatch<const float>& operand, Major major, std::int64_t count_mn,
                      int tile_mn, std::int64_t k, int slice_k, std::int64_t batch_count) {
    const auto keeps_vectors = [](int part, std::int64_t whole) { return part % 4 == 0 || part >= whole; };
    const auto phase_of_lines = static_cast<int>(operand.leading_dimension % 4);
    const bool along_mn = major == Major::mn;
    Image image{};
    image.is_aligned = begins_on_vectors(operand, batch_count) && keeps_vectors(tile_mn, count_mn) &&
                       keeps_vectors(slice_k, k);
    image.read_length = along_mn ? round_up(tile_mn, cover) : slice_k;

    // The last copy of a line may reach beyond it, but not into the next line. Where the lanes lie across
    // lines, a pitch that is an odd multiple of 4 floats, or no multiple, keeps them in different banks.
    const int least = image.is_aligned ? round_up(image.read_length, 4) : image.read_length + 3;
    image.pitch = least + ((phase_of_lines - least) & 3);
    if (!along_mn && image.pitch % 8 == 0) image.pitch += 4;

    const bool has_whole_lines = along_mn ? tile_mn >= count_mn : slice_k >= k;
    const bool is_dense = operand.leading_dimension == (along_mn ? count_mn : k);
    image.is_run = has_whole_lines && is_dense && (along_mn || operand.leading_dimension % 8 != 0);
    if (image.is_run) image.pitch = static_cast<int>(operand.leading_dimension);

    constexpr int lanes_log2 = 5;
    const int copies = (image.read_length + 3) / 4;
    image.lanes_of_line_log2 = image.is_run ? lanes_log2 : std::min(log2_of_at_least(copies), lanes_log2);
    return image;
}

/// What an image of so many lines takes at most.
inline int floats_of(const Image& image, int lines) {
    return round_up(3 + (lines - 1) * image.pitch + image.read_length + 3, 4);
}

/// Divides a call into tiles of that size, at most largest_tile, and slices of up to `most_steps` that fit
/// into `most_floats`, at least 1424: what the longest tiles need for 4 steps, and their sums.
inline Division divide(const GemmCall& call, int tile_m, int tile_n, int most_steps, int most_floats) {
    const int k = std::max(static_cast<int>(call.k), 1);
    Division division{};
    division.m = static_cast<int>(call.m);
    division.n = static_cast<int>(call.n);
    division.k = static_cast<int>(call.k);
    division.tile_m = tile_m;
    division.tile_n = tile_n;
    division.tiles_m = divisor(static_cast<unsigned>((division.m + tile_m - 1) / tile_m));
    division.tiles =
        divisor(division.tiles_m.value * static_cast<unsigned>((division.n + tile_n - 1) / tile_n));
    division.thread_tile =
        (round_up(tile_m, cover) / cover - 1) * (largest_tile / cover) + round_up(tile_n, cover) / cover - 1;

    const Major major_a = major_of_a(call);
    const Major major_b = major_of_b(call);
    const auto fit = [&](int steps) {
        division.slice_k = steps;
        division.a = image_of(call.a, major_a, call.m, tile_m, k, steps, call.batch_count);
        division.b = image_of(call.b, major_b, call.n, tile_n, k, steps, call.batch_count);
        division.b_begins = floats_of(division.a, major_a == Major::mn ? steps : tile_m);
        const int both = division.b_begins + floats_of(division.b, major_b == Major::mn ? steps : tile_n);
        division.stage_floats = std::max(both, round_up(tile_m, cover) * round_up(tile_n, cover));
        return both <= most_floats;
    };
    const int whole = std::min(k, most_steps);
    const int most = most_floats / (tile_m + tile_n);
    if (whole <= most && fit(whole)) return division;
    int steps = std::min(whole, most) / 4 * 4;
    while (!fit(std::max(steps, 4)) && steps > 4) steps -= 4;
    return division;
}

}  // namespace sgemm_shim::warp_product
