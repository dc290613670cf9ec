// The production kernel for batches of tiny matrices.
//
// The idea: a product of a few thousand multiply-adds is not worth a barrier. Every warp works for itself: it
// takes a matrix of up to 32 x 32 (or a tile of a larger one) from the batch, multiplies it from its own part
// of shared memory while the copies of the next one travel, writes it, and goes on, until the batch is done.
// 20 warps on a multiprocessor, each with up to 5.6 KiB on the way, are more than the memory needs to be
// busy. C goes through shared memory, so that matrices without padding are written as one run.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "small_tiles.hpp"
#include "warp_product.cuh"
#include "write_four.cuh"

namespace sgemm_shim::tiny_matrices {

constexpr int warps = small_tiles::warps_of_tiny;
constexpr int threads = warps * 32;
constexpr int blocks_per_multiprocessor = small_tiles::blocks_of_tiny;
constexpr int stages = 2;
constexpr int stage_floats = small_tiles::floats_of_tiny_stage;

struct Storage {
    alignas(16) float at[warps][stages][stage_floats];
};
static_assert(sizeof(Storage) <= 48 * 1024);

/// The tiles of a launch. Warp w of the grid takes number w, and goes on with every `stride`th after it.
struct TileRange {
    unsigned end, stride;
};

/// A slice of a tile, on its way to a warp or there. Registers are short: what can be found again from these
/// is.
struct Slice {
    unsigned tile;
    int k;  ///< where it begins
    warp_product::SlicePlaces places;
};

/// Writes `count` elements of C that lie `step` apart, and their sums `sum_step`. Several at a time, so that
/// what is read of C is on its way at the same time.
__device__ inline void write_elements(const Epilogue& epilogue, float* element, std::int64_t step,
                                      const float* sum, int sum_step, int count) {
    constexpr int at_once = 4;
    assume_global(element);
#pragma unroll 1
    for (; count >= at_once; count -= at_once) {
        float sums[at_once], old[at_once] = {};
#pragma unroll
        for (int i = 0; i < at_once; ++i) sums[i] = sum[i * sum_step];
        if (epilogue.reads_c()) {
#pragma unroll
            for (int i = 0; i < at_once; ++i) old[i] = element[i * step];
        }
#pragma unroll
        for (int i = 0; i < at_once; ++i) element[i * step] = epilogue.apply(sums[i], old[i]);
        element += at_once * step;
        sum += at_once * sum_step;
    }
#pragma unroll 1
    for (; count > 0; --count) {
        epilogue.update(element, *sum);
        element += step;
        sum += sum_step;
    }
}

/// Writes a tile whose sums lie in shared memory as [n][m], neighbouring lanes on neighbouring elements.
__device__ inline void write_tile(const GemmArguments& arguments, const Epilogue& epilogue,
                                  const warp_product::Tile& tile, const float* sums, int lane) {
    float* const c = matrix_c(arguments, tile.batch) + tile.m + tile.n * arguments.c.leading_dimension;
    if (arguments.c.leading_dimension == tile.valid_m) {
        const int elements = tile.valid_m * tile.valid_n;
        if (elements % 4 == 0 && is_vector_aligned(c)) {
#pragma unroll 2
            for (int i = lane * 4; i < elements; i += 32 * 4) {
                const float4 sum = load_vector(sums + i);
                const float four[] = {sum.x, sum.y, sum.z, sum.w};
                write_four(epilogue, c + i, 0, 4, four, true);
            }
        } else {
            write_elements(epilogue, c + lane, 32, sums + lane, 32, (elements - lane + 31) / 32);
        }
        return;
    }
    // As many columns at a time as fit beside one another.
    const int log2 = tile.valid_m > 16 ? 5 : tile.valid_m > 8 ? 4 : 3;
    const int columns = 32 >> log2;
    const int row = lane & ((1 << log2) - 1);
    const int column = lane >> log2;
    if (row >= tile.valid_m) return;
    const std::int64_t leading_dimension = arguments.c.leading_dimension;
    write_elements(epilogue, c + row + column * leading_dimension, columns * leading_dimension,
                   sums + row + column * tile.valid_m, columns * tile.valid_m,
                   (tile.valid_n - column + columns - 1) >> (5 - log2));
}

template <Major major_a, Major major_b>
__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    kernel(GemmArguments arguments, warp_product::Division division, TileRange tiles) {
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;
    const int lane = static_cast<int>(thread_index() % 32);
    auto& own = shared_memory<Storage>().at[thread_index() / 32];
    const int k = epilogue.has_product() ? division.k : 0;
    const auto steps_of = [&](const Slice& slice) {
        return k - slice.k < division.slice_k ? k - slice.k : division.slice_k;
    };

    Slice next{block_index() * warps + thread_index() / 32, 0, {}};
    if (next.tile >= tiles.end) return;
    warp_product::Sums sums;
    int stage = 0;
    // Each turn starts the copies for the next one; the first does nothing else.
    for (bool is_first = true;; is_first = false) {
        const Slice slice = next;
        if (!is_first) {
            next.k += division.slice_k;
            if (next.k >= k) next = {next.tile + tiles.stride, 0, {}};
        }
        if (k > 0 && next.tile < tiles.end) {
            next.places = warp_product::start_slices<major_a, major_b>(
                own[stage], arguments, division, warp_product::Tile(next.tile, division), next.k,
                steps_of(next), lane);
        }
        commit_copies();
        stage ^= 1;
        if (is_first) continue;

        wait_for_copies<1>();
        synchronize_warp();
        float* const read = own[stage];
        const warp_product::Tile tile(slice.tile, division);
        if (k > 0)
            warp_product::multiply_add<major_a, major_b>(sums, division, tile, read, slice.places,
                                                         steps_of(slice), lane);
        synchronize_warp();
        if (next.tile == slice.tile) continue;
        warp_product::store_sums(read, tile.valid_m, sums, division.thread_tile, lane);
        synchronize_warp();
        write_tile(arguments, epilogue, tile, read, lane);
        if (next.tile >= tiles.end) return;
        synchronize_warp();
        sums = {};
    }
}

}  // namespace sgemm_shim::tiny_matrices
