#include "cost_model.hpp"

#include <algorithm>
#include <cstdint>

#include "costs/families.hpp"
#include "kernels/small_tiles.hpp"

namespace sgemm_shim {
namespace {

using costs::CallFigures;
using costs::divide_up;
using costs::one_block;

float estimate(const CallFigures& call, const Kernel& kernel, float tiles, const ClusterSize& cluster) {
    const TileFigures& tile = kernel.implementation->tiles;
    switch (kernel.cost.kind) {
        case CostFigures::Kind::pipeline:
            return costs::pipeline_us(call, tile, kernel.cost.pipeline, tiles, cluster);
        case CostFigures::Kind::registers:
            return costs::registers_us(call, tile, kernel.cost.registers, tiles, cluster);
        case CostFigures::Kind::staged:
            return costs::staged_us(call, tile, kernel.cost.staged, tiles, cluster);
        case CostFigures::Kind::fetch:
            return costs::fetch_us(call, cluster);
        case CostFigures::Kind::tiny:
            return costs::tiny_us(call);
        case CostFigures::Kind::none:
            break;
    }
    return 0;
}

/// Blocks that the GPU holds at a time.
unsigned places(const DeviceFigures& device, const TileFigures& tile) {
    return static_cast<unsigned>(std::max(device.multiprocessor_count, 1)) *
           static_cast<unsigned>(tile.blocks_per_multiprocessor);
}

/// Whether a last wave of tiles would leave places empty, and sharing them is possible.
bool can_share(const Kernel& kernel, const CallFigures& figures, float tiles, const DeviceFigures& device) {
    const KernelImplementation& implementation = *kernel.implementation;
    if (!implementation.shares_tiles || kernel.cost.kind != CostFigures::Kind::pipeline) return false;
    const unsigned blocks = places(device, implementation.tiles);
    if (tiles > static_cast<float>(most_shared_waves * blocks)) return false;
    const auto count = static_cast<std::int64_t>(tiles);
    const auto slices =
        static_cast<std::int64_t>(divide_up(figures.k, static_cast<float>(implementation.tiles.k)));
    return count % blocks != 0 && can_share_tiles(count, slices, blocks, implementation.most_k_parts);
}

/// The last wave of tiles, where it leaves more than half of the places empty, in parts that fill them.
/// Returns what such a launch would take.
float tail_us(const Kernel& kernel, const CallFigures& figures, float tiles, const DeviceFigures& device,
              Partition& partition) {
    const TileFigures& tile = kernel.implementation->tiles;
    const unsigned all = places(device, tile);
    const unsigned tail = static_cast<unsigned>(tiles) % all;
    unsigned parts = 2;
    while (parts < kernel.implementation->most_k_parts && parts * 2 * tail <= all) parts *= 2;
    partition = {.tail_tiles = tail, .tail_k_parts = parts};
    const auto rest = static_cast<float>(tail);
    const auto& cluster = *std::ranges::find(cluster_sizes, parts, &ClusterSize::k_parts);
    return estimate(figures, kernel, tiles - rest, one_block) + estimate(figures, kernel, rest, cluster);
}

bool can_split_tail(const Kernel& kernel, const CallFigures& figures, float tiles,
                    const DeviceFigures& device) {
    constexpr float most_tiles = 1 << 24;  // beyond, the tail is nothing, and floats do not count exactly
    if (!figures.can_be_split || kernel.cost.kind != CostFigures::Kind::pipeline || tiles > most_tiles)
        return false;
    const unsigned all = places(device, kernel.implementation->tiles);
    const auto count = static_cast<unsigned>(tiles);
    return count > all && count % all != 0 && count % all <= all / 2;
}

/// Partition::resident_blocks. Blocks that go on from tile to tile pay off where there are many (measured:
/// with fewer than two waves they are slower, by up to a tenth). one_fetch learns from it how large the GPU
/// is.
unsigned resident_blocks(const Kernel& kernel, const Partition& partition, float tiles, unsigned places) {
    if (kernel.cost.kind == CostFigures::Kind::fetch) return places;
    if (partition.k_parts != 1) return 0;
    const bool goes_on =
        kernel.cost.kind == CostFigures::Kind::pipeline && tiles > 2 * static_cast<float>(places);
    return goes_on || partition.shares_tiles ? places : 0;
}

/// The best way to divide the work. More blocks than twice the places only add to the reduction.
Choice best_partition(const Kernel& kernel, const CallFigures& figures, const DeviceFigures& device) {
    const TileFigures& tile = kernel.implementation->tiles;
    const float tiles = costs::tile_count(figures, tile);
    Choice best{&kernel, {}, estimate(figures, kernel, tiles, one_block)};
    best.partition.resident_blocks = resident_blocks(kernel, best.partition, tiles, places(device, tile));
    if (device.compute_capability() < 90) return best;
    const auto consider = [&](float us, const Partition& partition) {
        if (us < best.microseconds) best = {&kernel, partition, us};
    };
    const float most_blocks = 2 * static_cast<float>(places(device, tile));
    const auto least_steps = static_cast<float>(least_steps_of_a_part(kernel));
    for (const ClusterSize& cluster : cluster_sizes) {
        const auto parts = static_cast<float>(cluster.k_parts);
        if (tiles * parts > most_blocks || figures.k < parts * least_steps ||
            cluster.k_parts > kernel.implementation->most_k_parts)
            break;
        consider(estimate(figures, kernel, tiles, cluster), {.k_parts = cluster.k_parts});
    }
    for (unsigned parts = least_meeting_parts; parts <= kernel.implementation->most_meeting_parts;
         parts *= 2) {
        const auto count = static_cast<float>(parts);
        if (tiles * count > most_blocks || figures.k < count * static_cast<float>(tile.k)) break;
        consider(costs::meeting_parts_us(figures, tile, kernel.cost.registers, tiles, parts),
                 {.meeting_parts = parts});
    }
    if (can_share(kernel, figures, tiles, device))
        consider(costs::shared_tiles_us(figures, tile, kernel.cost.pipeline, tiles), {.shares_tiles = true});
    if (can_split_tail(kernel, figures, tiles, device)) {
        Partition partition;
        const float us = tail_us(kernel, figures, tiles, device, partition);
        consider(us, partition);
    }
    best.partition.resident_blocks = resident_blocks(kernel, best.partition, tiles, places(device, tile));
    return best;
}

}  // namespace

int least_steps_of_a_part(const Kernel& kernel) {
    // one_fetch's warps divide k, too: what a block takes at once is no measure.
    return kernel.cost.kind == CostFigures::Kind::fetch ? 4 * small_tiles::steps_worth_a_warp
                                                        : kernel.implementation->tiles.k;
}

Choice cheapest(const GemmCall& call, const DeviceFigures& device) {
    const CallFigures figures(call, device);
    Choice best;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.cost.kind == CostFigures::Kind::none || !device.is_ready(kernel)) continue;
        // More than a grid holds; and the estimates count in integers here and there.
        if (costs::tile_count(figures, kernel.implementation->tiles) > 0x1p31f) continue;
        const Choice choice = best_partition(kernel, figures, device);
        // Asked last: few are the best so far, and nearly every kernel supports every call.
        if ((best.kernel == nullptr || choice.microseconds < best.microseconds) &&
            kernel.implementation->supports(call))
            best = choice;
    }
    return best;
}

Choice cheapest_of(const Kernel& kernel, const GemmCall& call, const DeviceFigures& device) {
    if (kernel.cost.kind == CostFigures::Kind::none) return {&kernel, {}, 0};
    return best_partition(kernel, CallFigures(call, device), device);
}

}  // namespace sgemm_shim
