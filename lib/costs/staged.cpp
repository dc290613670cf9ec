// staged_*: chunks of k through registers to shared memory.
#include "families.hpp"

namespace sgemm_shim::costs {
namespace {

constexpr float staged_start = 0.9037f;
constexpr float staged_cycles_along_mn = 3.012f;  ///< a warp's loads of 32 floats, for a multiprocessor
constexpr float staged_cycles_along_k = 1.582f;
constexpr float staged_write = 6.283e-07f;  ///< an element of C
constexpr float staged_cluster = 0.9342f;   ///< two barriers
constexpr float staged_cluster_per_part = 0.102f;
/// Of a tile, and for each part: the first block adds up.
constexpr float staged_cluster_per_element = 4.643e-05f;
constexpr float staged_memory_share = 1.0f;  ///< of the nominal bandwidth, or so few recordings tell

}  // namespace

float staged_us(const CallFigures& call, const TileFigures& tile, const StagedCost& cost, float tiles,
                const ClusterSize& cluster) {
    const auto tile_m = static_cast<float>(tile.m), tile_n = static_cast<float>(tile.n);
    const auto chunk_k = static_cast<float>(tile.k);
    const auto parts = static_cast<float>(cluster.k_parts);
    const float chunks = divide_up(divide_up(call.k, chunk_k), parts);
    const float part = std::min(call.k, chunks * chunk_k);
    const float rows = tile_m * fill(call.m, tile_m), columns = tile_n * fill(call.n, tile_n);
    const Blocks blocks(call, tile, tiles, cluster);

    const auto load_cycles = [&](bool along_k, float lines) {
        return lines * part / 32 * (along_k ? staged_cycles_along_k : staged_cycles_along_mn);
    };
    const float multiply_cycles = tile_m * tile_n * divide_up(part, 4) * 4 / (lanes * cost.efficiency);
    const float cycles =
        load_cycles(call.along_k_a, rows) + load_cycles(call.along_k_b, columns) + multiply_cycles;
    const float block_us =
        cycles / call.cycles_per_us + rows * columns * staged_write / parts + cost.block_us;
    const float wait_us = blocks.rounds() * chunks * cost.chunk_us;
    const float cluster_us = cluster.k_parts > 1
                                 ? staged_cluster + parts * (staged_cluster_per_part +
                                                             staged_cluster_per_element * tile_m * tile_n)
                                 : 0;
    return staged_start + overlapped(overlapped(wait_us, blocks.each * block_us) + cluster_us,
                                     call.memory_us / staged_memory_share);
}

}  // namespace sgemm_shim::costs
