// one_fetch and tiny_matrices: warps that copy and multiply for themselves.
#include <limits>

#include "families.hpp"
#include "kernels/small_tiles.hpp"

namespace sgemm_shim::costs {
namespace {

// one_fetch.
constexpr float fetch_start = 2.47f;
constexpr float fetch_cycles_per_copy = 41.58f;  ///< a warp's, of 16 bytes each
constexpr float fetch_single = 1.41f;            ///< times that for operands off their alignment
constexpr float fetch_efficiency = 0.3311f;
constexpr float fetch_step = 0.0105f;  ///< of a warp's share of k
constexpr float fetch_write = 0.0003627f;
constexpr float fetch_per_warp = 0.03569f;  ///< whose sums are added up
constexpr float fetch_cluster = 0.5624f;
constexpr float fetch_memory_share = 0.6f;
constexpr float fetch_cluster_per_part = 0.02987f;

// tiny_matrices.
constexpr float tiny_start = 1.03f;
constexpr float tiny_cycles_per_copy = 35.08f;
constexpr float tiny_single = 1.649f;
constexpr float tiny_efficiency = 0.4562f;
constexpr float tiny_write = 9.124e-05f;
constexpr float tiny_write_single = 0.0001121f;
constexpr float tiny_matrix = 0.02936f;
// What a warp waits for, whatever the others do meanwhile: a slice, a step of k, an element's sum.
constexpr float tiny_slice = 1.198f;
constexpr float tiny_step = 0.007825f;
constexpr float tiny_sums = 0.0003495f;
constexpr float tiny_memory_share = 0.6f;

/// Beyond, one_fetch and tiny_matrices support nothing.
bool is_too_large_for_warps(const CallFigures& call) {
    return std::max({call.m, call.n, call.k, call.batch}) > 0x1p30f;
}

/// Multiprocessor cycles to copy `k` steps of a tile; `single` times as many for an operand that is not
/// copied by 16 bytes throughout.
float copy_cycles(float tile_m, bool fast_a, float tile_n, bool fast_b, float k, float cycles, float single) {
    return (tile_m * (fast_a ? 1.0f : single) + tile_n * (fast_b ? 1.0f : single)) * k / 128 * cycles;
}

}  // namespace

float fetch_us(const CallFigures& call, const ClusterSize& cluster) {
    if (is_too_large_for_warps(call)) return std::numeric_limits<float>::max();
    const auto parts = static_cast<float>(cluster.k_parts);
    const float part = divide_up(call.k, parts);
    const auto steps = static_cast<int>(part);
    const small_tiles::Tile tile = small_tiles::tile_of_fetch(
        static_cast<std::int64_t>(call.m), static_cast<std::int64_t>(call.n),
        static_cast<std::int64_t>(call.batch * parts), steps, static_cast<unsigned>(call.multiprocessors));
    const auto warps = static_cast<float>(small_tiles::warps_of(steps, tile));
    const auto tile_m = static_cast<float>(tile.m), tile_n = static_cast<float>(tile.n);
    const float tiles = divide_up(call.m, tile_m) * divide_up(call.n, tile_n) * call.batch;
    const float each = divide_up(tiles * parts, call.multiprocessors * cluster.usable_share);
    const float multiply = tile_m * tile_n * part / (lanes * fetch_efficiency);
    const float copy =
        copy_cycles(tile_m, call.wide_a, tile_n, call.wide_b, part, fetch_cycles_per_copy, fetch_single);
    const float work_us = std::max(each * std::max(multiply, copy) / call.cycles_per_us,
                                   divide_up(part, warps) * fetch_step * divide_up(each, 2));
    const float write_us = each * tile_m * tile_n * fetch_write * (call.wide_c ? 1.0f : 2.0f);
    const float cluster_us = cluster.k_parts > 1 ? fetch_cluster + fetch_cluster_per_part * parts : 0;
    return fetch_start + std::max(work_us + write_us + fetch_per_warp * warps + cluster_us,
                                  call.memory_us / fetch_memory_share);
}

float tiny_us(const CallFigures& call) {
    if (is_too_large_for_warps(call)) return std::numeric_limits<float>::max();
    const auto side = [](float count) {
        return static_cast<float>(small_tiles::side_of_tiny(static_cast<std::int64_t>(count)));
    };
    const float tile_m = side(call.m), tile_n = side(call.n);
    const float elements = tile_m * tile_n;
    const float tiles = divide_up(call.m, tile_m) * divide_up(call.n, tile_n) * call.batch;
    const float steps = whole_part(small_tiles::floats_of_tiny_stage / (tile_m + tile_n));
    const float slices = divide_up(call.k, steps);
    // An operand without padding whose lines are whole is copied as one.
    constexpr auto largest = static_cast<float>(small_tiles::largest_side);
    const bool is_run_a = call.dense_a && (call.along_k_a ? slices <= 1 : call.m <= largest);
    const bool is_run_b = call.dense_b && (call.along_k_b ? slices <= 1 : call.n <= largest);
    const bool is_run_c = call.dense_c && call.m <= largest;

    const float multiply = elements * call.k / (lanes * tiny_efficiency);
    const float copy = copy_cycles(tile_m, call.wide_a || is_run_a, tile_n, call.wide_b || is_run_b, call.k,
                                   tiny_cycles_per_copy, tiny_single);
    const float each_us = std::max(multiply, copy) / call.cycles_per_us +
                          elements * (call.wide_c || is_run_c ? tiny_write : tiny_write_single) + tiny_matrix;
    constexpr auto warps = static_cast<float>(small_tiles::warps_of_tiny);
    constexpr auto blocks = static_cast<float>(small_tiles::blocks_of_tiny);
    const float each = std::min(tiles, warps * divide_up(divide_up(tiles, warps), call.multiprocessors));
    const float rounds = divide_up(tiles, call.multiprocessors * blocks * warps);
    const float wait_us = tiny_slice * slices + tiny_step * call.k + tiny_sums * elements;
    return tiny_start + std::max(each * each_us + rounds * wait_us, call.memory_us / tiny_memory_share);
}

}  // namespace sgemm_shim::costs
