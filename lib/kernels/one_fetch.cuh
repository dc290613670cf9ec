// The production kernel for small single products, which are over before a pipeline has filled.
//
// The idea: the time is that of the launch, of one way to memory and back, and of whatever stands between the
// two. So a block's part of k is fetched at once, every copy on its way before anything is waited for: each
// warp copies its own share of k into its own part of shared memory and multiplies it as soon as it is there
// (warp_product.cuh), and the only barrier of the block is where the warps' sums meet, in the order of k.
// Tiles are as small as it takes to give every multiprocessor a block and each of its quarters a warp, and a
// block has as many warps as there are shares worth one. Where k is long, the blocks of a cluster
// divide it, and a share that is longer than its part of shared memory is fetched in turns.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "small_tiles.hpp"
#include "warp_product.cuh"
#include "write_four.cuh"

namespace sgemm_shim::one_fetch {

constexpr int most_threads = small_tiles::most_warps * 32;

/// How a block divides k among its warps.
struct Shares {
    int warps;
    int steps;        ///< of each; only the last of all can be shorter, or have none
    int tile_m_log2;  ///< tiles have powers of two
    Divisor ranks;    ///< of the cluster
};

/// Adds the same 4 elements of `count` parts, which part(i) finds, in their order. Reads several at a time.
template <class Part>
__device__ inline void add_parts(float (&total)[4], int count, Part part) {
    constexpr int at_once = 4;
#pragma unroll 1
    for (int first = 0; first < count; first += at_once) {
        float4 vectors[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i)
            vectors[i] = load_vector(part(first + i < count ? first + i : count - 1));
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            if (first + i < count) add_four(total, vectors[i]);
        }
    }
}

template <Major major_a, Major major_b>
__global__ void __launch_bounds__(most_threads)
    kernel(GemmArguments arguments, warp_product::Division division, Shares shares) {
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;
    const unsigned ranks = cluster_size();
    const unsigned rank = cluster_rank();
    const warp_product::Tile tile(shares.ranks.divide(block_index()), division);
    const int lane = static_cast<int>(thread_index() % 32);
    const int warp = static_cast<int>(thread_index() / 32);
    float* const parts = static_cast<float*>(dynamic_shared_memory());  // one a warp
    float* const own = parts + warp * division.stage_floats;

    // Shares are rounded up: those behind the end are empty.
    int k = (static_cast<int>(rank) * shares.warps + warp) * shares.steps;
    const int end = !epilogue.has_product()         ? 0
                    : division.k - k < shares.steps ? division.k
                                                    : k + shares.steps;
    const auto steps = [&] { return end - k < division.slice_k ? end - k : division.slice_k; };
    // Before anything else: whatever stands before the first copy is added to the time of the whole.
    warp_product::SlicePlaces places{};
    const auto fetch = [&] {
        places =
            warp_product::start_slices<major_a, major_b>(own, arguments, division, tile, k, steps(), lane);
        commit_copies();
    };
    if (k < end) fetch();
    warp_product::Sums sums;
    while (k < end) {
        wait_for_copies<0>();
        synchronize_warp();
        warp_product::multiply_add<major_a, major_b>(sums, division, tile, own, places, steps(), lane);
        synchronize_warp();
        k += division.slice_k;
        if (k < end) fetch();
    }
    warp_product::store_sums(own, division.tile_m, sums, division.thread_tile, lane);
    synchronize_block();

    // By fours of one column. Of a cluster, the first warp's part becomes the block's sum, and every block
    // adds up some of the cluster's.
    const int runs = division.tile_m * division.tile_n / 4;
    const int threads = shares.warps * 32;
    const int thread = static_cast<int>(thread_index());
    float* const c = matrix_c(arguments, tile.batch);
    assume_global(c);
    const bool vectors = has_aligned_columns(c, arguments.c.leading_dimension);
    const auto write = [&](int run, const float(&sum)[4]) {
        const int m = tile.m + (run * 4 & (division.tile_m - 1));
        const int n = tile.n + (run * 4 >> shares.tile_m_log2);
        if (m < division.m && n < division.n)
            write_four(epilogue, c + m + n * arguments.c.leading_dimension, m, division.m, sum, vectors);
    };
    for (int run = thread; run < runs; run += threads) {
        float sum[4] = {};
        add_parts(sum, shares.warps, [&](int i) { return parts + i * division.stage_floats + run * 4; });
        if (ranks == 1)
            write(run, sum);
        else
            store_four(parts + run * 4, sum);
    }
    if (ranks == 1) return;
    synchronize_cluster();
    for (int run = static_cast<int>(rank) * threads + thread; run < runs;
         run += static_cast<int>(ranks) * threads) {
        float sum[4] = {};
        add_parts(sum, static_cast<int>(ranks),
                  [&](int i) { return remote_shared(parts + run * 4, static_cast<unsigned>(i)); });
        write(run, sum);
    }
    synchronize_cluster();
}

}  // namespace sgemm_shim::one_fetch
