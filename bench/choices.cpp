#include "choices.hpp"

#include <algorithm>
#include <ostream>

#include "cost_model.hpp"
#include "text.hpp"

namespace sgemm_bench {
namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
    return (value + by - 1) / by;
}

}  // namespace

std::string to_string(const sgemm_shim::Partition& partition) {
    std::string text;
    const auto add = [&](const char* name, unsigned value) {
        text += format("%s%s=%u", text.empty() ? "" : ";", name, value);
    };
    if (partition.k_parts != 1) add("k_parts", partition.k_parts);
    if (partition.resident_blocks != 0) add("resident_blocks", partition.resident_blocks);
    if (partition.tail_tiles != 0) {
        add("tail_tiles", partition.tail_tiles);
        add("tail_k_parts", partition.tail_k_parts);
    }
    if (partition.shares_tiles) add("shares_tiles", 1);
    if (partition.meeting_parts != 0) add("meeting_parts", partition.meeting_parts);
    return text;
}

std::vector<sgemm_shim::Partition> partitions(const Problem& problem, const sgemm_shim::Kernel& row,
                                              int multiprocessors) {
    const sgemm_shim::KernelImplementation& kernel = *row.implementation;
    const sgemm_shim::TileFigures& tile = kernel.tiles;
    if (tile.m == 0) return {{}};
    const std::int64_t slices = divide_up(problem.k, tile.k);
    const int least_steps = sgemm_shim::least_steps_of_a_part(row);
    const std::int64_t tiles = divide_up(problem.m, tile.m) * divide_up(problem.n, tile.n) * problem.batch;
    const std::int64_t slots = std::int64_t{multiprocessors} * tile.blocks_per_multiprocessor;
    const std::int64_t tail = tiles % slots;

    const auto resident = static_cast<unsigned>(slots);
    // one_fetch learns from the number of resident blocks how large the GPU is, whatever its partition.
    const bool always_resident = row.cost.kind == sgemm_shim::CostFigures::Kind::fetch;
    const unsigned plain = always_resident ? resident : 0;

    std::vector<sgemm_shim::Partition> all{{.resident_blocks = plain}};
    const auto parts_within = [&](std::int64_t of_tiles, std::int64_t blocks, const auto& add) {
        for (const sgemm_shim::ClusterSize& cluster : sgemm_shim::cluster_sizes) {
            const unsigned parts = cluster.k_parts;
            if (parts <= kernel.most_k_parts && problem.k >= parts * std::int64_t{least_steps} &&
                of_tiles * parts <= blocks)
                add(parts);
        }
    };
    parts_within(tiles, 2 * slots,
                 [&](unsigned parts) { all.push_back({.k_parts = parts, .resident_blocks = plain}); });
    for (unsigned parts = sgemm_shim::least_meeting_parts; parts <= kernel.most_meeting_parts; parts *= 2) {
        if (tiles * parts <= 2 * slots && problem.k >= parts * std::int64_t{tile.k})
            all.push_back({.meeting_parts = parts});
    }
    if (kernel.shares_tiles && tail != 0 && tiles <= sgemm_shim::most_shared_waves * slots &&
        sgemm_shim::can_share_tiles(tiles, slices, slots, kernel.most_k_parts))
        all.push_back({.resident_blocks = resident, .shares_tiles = true});
    // Others have no blocks that go on to another tile, and less than a wave has neither these nor a tail.
    if (row.cost.kind != sgemm_shim::CostFigures::Kind::pipeline || tiles <= slots) return all;
    all.push_back({.resident_blocks = resident});
    // With beta a second launch is not allowed.
    if (tail == 0 || problem.beta != 0) return all;
    parts_within(tail, slots, [&](unsigned parts) {
        for (const unsigned blocks : {0u, resident})
            all.push_back({.resident_blocks = blocks,
                           .tail_tiles = static_cast<unsigned>(tail),
                           .tail_k_parts = parts});
    });
    return all;
}

std::vector<Contestant> with_every_choice(const std::vector<Contestant>& contestants, const Problem& problem,
                                          int multiprocessors) {
    std::vector<Contestant> all;
    for (const Contestant& contestant : contestants) {
        if (contestant.kernel == nullptr || contestant.kernel->implementation == nullptr) {
            all.push_back(contestant);
            continue;
        }
        for (const sgemm_shim::Partition& partition :
             partitions(problem, *contestant.kernel, multiprocessors)) {
            Contestant choice = contestant;
            choice.partition = partition;
            all.push_back(choice);
        }
    }
    return all;
}

void write_figures(std::ostream& out) {
    out << format("%-20s %6s %6s %6s %26s %12s\n", "kernel", "tile_m", "tile_n", "tile_k",
                  "blocks_per_multiprocessor", "most_k_parts");
    for (const sgemm_shim::Kernel& kernel : sgemm_shim::kernel_table()) {
        if (kernel.implementation == nullptr || kernel.implementation->tiles.m == 0) continue;
        const sgemm_shim::TileFigures& tile = kernel.implementation->tiles;
        out << format("%-20s %6d %6d %6d %26d %12u\n", kernel.name, tile.m, tile.n, tile.k,
                      tile.blocks_per_multiprocessor, kernel.implementation->most_k_parts);
    }
}

}  // namespace sgemm_bench
