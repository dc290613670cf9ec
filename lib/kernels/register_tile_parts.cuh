// Register tiles whose k is divided among more blocks than a cluster has (Partition::meeting_parts).
//
// The idea: an inner product of a million steps is to use the whole GPU. Each block computes one part of one
// small tile and leaves its sums in a workspace; the block that comes last adds up those of all parts, always
// in the same order; nobody waits. Without a workspace, each block of a cluster computes several of the same
// parts, one after the other: slower, but the same sums to the last bit.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "register_tile_products.cuh"

namespace sgemm_shim::register_tile {

/// Where the sums of the parts meet.
struct PartsWorkspace {
    float* sums;         ///< tiles x parts x elements of a tile; nullptr: there is none
    unsigned* counters;  ///< one for each tile
};

constexpr unsigned most_ranks = 16;  ///< of a cluster
constexpr unsigned most_parts_of_rank = 64;
constexpr unsigned most_meeting_parts = most_ranks * most_parts_of_rank;

/// Tiles whose elements, a thread each, leave threads to read several parts at the same time.
template <class Shape>
constexpr bool can_meet = Shape::tile_m* Shape::tile_n <= 16;

template <class Shape>
struct PartSums {
    static constexpr int elements = Shape::tile_m * Shape::tile_n;
    static constexpr int groups = threads / elements;  ///< of threads that add up every so manyth part

    float of_warps[Shape::warps_k][elements];
    float own[most_parts_of_rank][elements];  ///< of the parts of a block of a cluster
    float of_groups[groups][elements];
    unsigned arrivals;
};

/// Sums of one part of a tile, by the block; the first threads return an element each.
template <class Shape, Major major_a, Major major_b>
__device__ inline float sum_of_part(const GemmArguments& arguments, const TilePosition& position,
                                    const PartOfK& part, bool has_product, PartSums<Shape>& shared) {
    const Place<Shape> place(thread_index());
    const int m = place.m * Shape::thread_m, n = place.n * Shape::thread_n;
    Sums<Shape> sums = {};
    if (has_product && position.m + m < arguments.m && position.n + n < arguments.n)
        add_products<Shape, major_a, major_b>(sums, arguments, position, part, place, position.m + m, 1,
                                              position.n + n);
    add_up_lanes<Shape>(sums);
    if (place.lane_k == 0) {
#pragma unroll
        for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
            for (int i = 0; i < Shape::thread_m; ++i)
                shared.of_warps[place.warp_k][(n + j) * Shape::tile_m + m + i] = sums[j][i];
        }
    }
    synchronize_block();
    float total = 0.0f;
    if (thread_index() < PartSums<Shape>::elements) {
#pragma unroll
        for (int warp = 0; warp < Shape::warps_k; ++warp) total += shared.of_warps[warp][thread_index()];
    }
    synchronize_block();
    return total;
}

/// Adds up all parts, whose elements read(part, element) finds, and writes the tile.
template <class Shape, class Read>
__device__ inline void add_up_parts(const GemmArguments& arguments, const Epilogue& epilogue,
                                    const TilePosition& position, unsigned parts, PartSums<Shape>& shared,
                                    Read read) {
    constexpr unsigned elements = PartSums<Shape>::elements, groups = PartSums<Shape>::groups;
    constexpr unsigned at_once = 8;  // reads take their time, whatever their number
    const unsigned element = thread_index() % elements, group = thread_index() / elements;
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned first = group; first < parts; first += at_once * groups) {
        float values[at_once];
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i) {
            const unsigned part = first + i * groups;
            values[i] = part < parts ? read(part, element) : 0.0f;
        }
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i) sum += values[i];
    }
    shared.of_groups[group][element] = sum;
    synchronize_block();
    const std::int64_t m = position.m + element % Shape::tile_m, n = position.n + element / Shape::tile_m;
    if (group != 0 || m >= arguments.m || n >= arguments.n) return;
    float total = 0.0f;
#pragma unroll
    for (unsigned i = 0; i < groups; ++i) total += shared.of_groups[i][element];
    epilogue.update(matrix_c(arguments, position.batch) + m + n * arguments.c.leading_dimension, total);
}

/// What a block does where the parts of a tile meet.
template <class Shape, Major major_a, Major major_b>
__device__ inline void compute_by_parts(const GemmArguments& arguments, const Epilogue& epilogue,
                                        unsigned parts, const PartsWorkspace& workspace) {
    using Shared = PartSums<Shape>;
    auto& shared = shared_memory<Shared>();
    const auto part_of_k = [&](unsigned part) { return PartOfK(arguments.k, Shape::round_k, part, parts); };
    if (workspace.sums != nullptr) {
        const unsigned tile = block_index() / parts;
        const TilePosition position = tile_position<Shape::tile_m, Shape::tile_n>(tile, arguments);
        const float sum = sum_of_part<Shape, major_a, major_b>(
            arguments, position, part_of_k(block_index() % parts), epilogue.has_product(), shared);
        if (thread_index() < Shared::elements)
            workspace.sums[std::size_t{block_index()} * Shared::elements + thread_index()] = sum;
        synchronize_block();
        if (thread_index() == 0) shared.arrivals = count_in_order(workspace.counters + tile, 1);
        synchronize_block();
        if (shared.arrivals != parts - 1) return;
        if (thread_index() == 0) workspace.counters[tile] = 0;  // for the next launch
        const float* const sums = workspace.sums + std::size_t{tile} * parts * Shared::elements;
        add_up_parts<Shape>(arguments, epilogue, position, parts, shared,
                            [&](unsigned part, unsigned element) {
                                return sums[std::size_t{part} * Shared::elements + element];
                            });
        return;
    }
    const unsigned ranks = cluster_size();
    const TilePosition position =
        tile_position<Shape::tile_m, Shape::tile_n>(block_index() / ranks, arguments);
    for (unsigned part = cluster_rank(); part < parts; part += ranks) {
        const float sum = sum_of_part<Shape, major_a, major_b>(arguments, position, part_of_k(part),
                                                               epilogue.has_product(), shared);
        if (thread_index() < Shared::elements) shared.own[part / ranks][thread_index()] = sum;
    }
    synchronize_cluster();
    if (cluster_rank() == 0)
        add_up_parts<Shape>(arguments, epilogue, position, parts, shared,
                            [&](unsigned part, unsigned element) {
                                return *remote_shared(&shared.own[part / ranks][element], part % ranks);
                            });
    synchronize_cluster();
}

}  // namespace sgemm_shim::register_tile
