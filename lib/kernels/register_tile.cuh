// The production kernels for products with little to reuse: short k, thin C, inner products. No shared memory
// on the way in, nothing to wait for.
//
// The idea: where a few steps of k make an element, or a few elements share an operand, reading, writing and
// the time from the launch to the first store are the work. Each thread takes a small rectangle of C and a
// part of k, reads what it needs straight from global memory, where its neighbours find it in the L1 cache,
// and adds up in registers. The lanes of a warp lie along m, n and k as the product needs it: along m or n
// for tall or wide ones with short k, along k for inner products, both for a large operand and a vector where
// the operand is contiguous along m or n. Parts of k meet in shuffles (lanes), in shared memory (warps), in
// the cluster's shared memory or in a workspace (blocks), in an order that never changes.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "register_tile_parts.cuh"
#include "register_tile_products.cuh"
#include "write_four.cuh"

namespace sgemm_shim::register_tile {

/// The sums of a block's warps, to be added up across its warps and the cluster.
template <class Shape>
struct Exchange {
    float at[Shape::warps_k][Shape::thread_m * Shape::thread_n][threads / Shape::warps_k];
};

/// `meeting_parts` of each tile meet in the workspace; 0: a part for each block of the cluster.
template <class Shape, Major major_a, Major major_b>
__global__ void __launch_bounds__(threads, Shape::blocks_per_multiprocessor)
    kernel([[maybe_unused]] unsigned meeting_parts, GemmArguments arguments,
           [[maybe_unused]] PartsWorkspace workspace) {
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;
    if constexpr (can_meet<Shape>) {
        if (meeting_parts != 0)
            return compute_by_parts<Shape, major_a, major_b>(arguments, epilogue, meeting_parts, workspace);
    }
    const unsigned ranks = cluster_size();
    const TilePosition position = tile_position<Shape::tile_m, Shape::tile_n>(
        ranks == 1 ? block_index() : block_index() / ranks, arguments);
    const Place<Shape> place(thread_index());

    // Neighbours for 16-byte stores; else a lane apart, which fills whole sectors of C all the same. With
    // lanes along k there is more to read than to write: neighbours, for 16-byte loads of A.
    float* const c = matrix_c(arguments, position.batch);
    const bool vectors = Shape::thread_m % 4 == 0 && has_aligned_columns(c, arguments.c.leading_dimension);
    const bool neighbours = vectors || Shape::lanes_k > 1;
    const int warp_m = place.m / Shape::lanes_m * Shape::lanes_m * Shape::thread_m;
    const std::int64_t m =
        position.m + warp_m + place.m % Shape::lanes_m * (neighbours ? Shape::thread_m : 1);
    const int stride_m = neighbours ? 1 : Shape::lanes_m;
    const std::int64_t n = position.n + place.n * Shape::thread_n;
    constexpr bool meets = Shape::warps_k > 1;  // in shared memory
    const bool exists = m < arguments.m && n < arguments.n;
    if (!meets && ranks == 1 && Shape::lanes_k == 1 && !exists) return;

    Sums<Shape> sums = {};
    if (epilogue.has_product() && exists)
        add_products<Shape, major_a, major_b>(sums, arguments, position,
                                              PartOfK(arguments.k, Shape::round_k, cluster_rank(), ranks),
                                              place, m, stride_m, n);
    add_up_lanes<Shape>(sums);
    if (meets || ranks > 1) {
        auto& exchange = shared_memory<Exchange<Shape>>();
        // Threads of one warp_k, one beside the other.
        const unsigned own = thread_index() / 32 / Shape::warps_k * 32 + thread_index() % 32;
#pragma unroll
        for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
            for (int i = 0; i < Shape::thread_m; ++i)
                exchange.at[place.warp_k][j * Shape::thread_m + i][own] = sums[j][i];
        }
        if (ranks > 1)
            synchronize_cluster();
        else
            synchronize_block();
        if (cluster_rank() == 0 && place.warp_k == 0) {
#pragma unroll
            for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
                for (int i = 0; i < Shape::thread_m; ++i) {
                    float total = 0.0f;
                    for (unsigned rank = 0; rank < ranks; ++rank) {
#pragma unroll
                        for (int warp = 0; warp < Shape::warps_k; ++warp)
                            total += *remote_shared(&exchange.at[warp][j * Shape::thread_m + i][own], rank);
                    }
                    sums[j][i] = total;
                }
            }
        }
        if (ranks > 1) synchronize_cluster();
        if (cluster_rank() != 0 || place.warp_k != 0) return;
    }
    if (place.lane_k != 0 || !exists) return;

#pragma unroll
    for (int j = 0; j < Shape::thread_n; ++j) {
        if (n + j >= arguments.n) continue;
        float* const column = c + (n + j) * arguments.c.leading_dimension;
        if constexpr (Shape::thread_m % 4 == 0) {
            if (vectors) {
#pragma unroll
                for (int i = 0; i < Shape::thread_m; i += 4) {
                    if (m + i < arguments.m)
                        write_four(epilogue, column + m + i, m + i, arguments.m, &sums[j][i], true);
                }
                continue;
            }
        }
#pragma unroll
        for (int i = 0; i < Shape::thread_m; ++i) {
            if (m + i * stride_m < arguments.m) epilogue.update(column + m + i * stride_m, sums[j][i]);
        }
    }
}

}  // namespace sgemm_shim::register_tile
