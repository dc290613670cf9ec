// direct_* and dot*: register tiles.
#include "families.hpp"

namespace sgemm_shim::costs {
namespace {

constexpr float registers_start = 1.518f;
constexpr float registers_cluster = 1.457f;
constexpr float registers_cluster_per_part = 0.0906f;
constexpr float meeting = 1.383f;  ///< in a workspace
constexpr float meeting_per_part = 0.008803f;
constexpr float registers_memory_share = 0.8357f;
constexpr float registers_memory_share_single = 0.3052f;

/// Cycles that a warp's reads of a round of k cost.
float read_cycles(const ReadCycles& cycles, bool along_k, bool wide) {
    return along_k ? (wide ? cycles.along_k : cycles.along_k_single)
                   : (wide ? cycles.along_mn : cycles.along_mn_single);
}

float latency_us(const ReadLatencies& latencies, bool along_k_a, bool along_k_b) {
    return along_k_a ? (along_k_b ? latencies.both_along_k : latencies.b_along_mn)
                     : (along_k_b ? latencies.a_along_mn : latencies.both_along_mn);
}

/// Parts of k, and what it takes to bring their sums together.
struct Parts {
    float count;
    float meeting_us;
    bool meet_in_workspace;
};

float registers_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost,
                   const Parts& parts, const Blocks& blocks) {
    const auto tile_m = static_cast<float>(tile.m);
    const auto tile_n = static_cast<float>(tile.n);
    const auto tile_k = static_cast<float>(tile.k);
    const float fill_m = fill(call.m, tile_m), fill_n = fill(call.n, tile_n);
    const float rounds_of_k = divide_up(divide_up(call.k, tile_k), parts.count);
    const float latencies = cost.reads_two_rounds ? divide_up(rounds_of_k, 2) : rounds_of_k;
    const float reads = fill_m * read_cycles(cost.reads_of_a, call.along_k_a, call.wide_a) +
                        fill_n * read_cycles(cost.reads_of_b, call.along_k_b, call.wide_b);
    const float block_us = call.k / (tile_k * parts.count) * reads / call.cycles_per_us + cost.block_us;
    const float round_us = latencies * latency_us(cost.latencies, call.along_k_a, call.along_k_b) +
                           (parts.meet_in_workspace ? 0 : cost.round_us);
    const float work_us = overlapped(blocks.rounds() * round_us, blocks.each * block_us);
    const float write_us =
        blocks.each * tile_m * fill_m * tile_n * fill_n * cost.write_us * (call.wide_c ? 1.0f : 2.0f);
    const float memory_us = call.memory_us / (call.wide_a && call.wide_b ? registers_memory_share
                                                                         : registers_memory_share_single);
    return registers_start + overlapped(work_us + write_us + parts.meeting_us, memory_us);
}

}  // namespace

float registers_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost, float tiles,
                   const ClusterSize& cluster) {
    const auto count = static_cast<float>(cluster.k_parts);
    const float cluster_us = cluster.k_parts > 1 ? registers_cluster + registers_cluster_per_part * count : 0;
    return registers_us(call, tile, cost, {count, cluster_us, false}, Blocks(call, tile, tiles, cluster));
}
float meeting_parts_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost,
                       float tiles, unsigned parts) {
    const auto count = static_cast<float>(parts);
    return registers_us(call, tile, cost, {count, meeting + meeting_per_part * count, true},
                        Blocks(call, tile, tiles * count, one_block));
}

}  // namespace sgemm_shim::costs
