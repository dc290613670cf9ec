// Kernel 4, thread_tile_2d: each thread computes 8 x 8 elements of C.
//
// The idea: reuse in both directions. With a column of 8 and a row of 8, one step of k costs 16 loads from
// shared memory for 64 multiply-adds: 4 for each load, where kernel 3 has less than 1.
//
// What changed from kernel 3: the thread's 8 sums became 64, the tile 128 x 128. A thread's rows are 16
// apart, so that the lanes of a warp stay side by side in every load and every store, as in kernel 1.
//
// The product is written as it is thought, from shared memory to sum. Kernel 5 says what the compiler has to
// see in it.
//
// Tile 128 x 128 x 8, 256 threads, 8 x 8 elements each. Measured: see the table in the README.
#pragma once

#include "block_tile.cuh"

namespace sgemm_shim::thread_tile_2d {

using Shape = TileShape<128, 128, 8, 256>;
constexpr int side = 8;                  ///< of a thread's tile
constexpr int stride = Shape::m / side;  ///< from one of its rows to the next
static_assert(stride * Shape::n / side == Shape::threads);

/// Writes a thread's tile, [n][m], whose first element is (m, n) of C.
__device__ inline void write_thread_tile(const GemmArguments& arguments, const Epilogue& epilogue, float* c,
                                         std::int64_t m, std::int64_t n, const float (&sum)[side][side]) {
#pragma unroll
    for (int j = 0; j < side; ++j) {
#pragma unroll
        for (int i = 0; i < side; ++i)
            update_element(arguments, epilogue, c, m + i * stride, n + j, sum[j][i]);
    }
}

template <Major major_a, Major major_b>
__global__ void __launch_bounds__(Shape::threads, 2) kernel(GemmArguments arguments) {
    const TilePosition position = tile_position<Shape::m, Shape::n>(block_index(), arguments);
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    const unsigned m = thread_index() % stride;
    const unsigned n = thread_index() / stride * side;
    float sum[side][side]{};
    if (epilogue.has_product()) {
        for_each_slice<Shape, major_a, major_b, 1>(arguments, position, [&](const Slices<Shape>& slices) {
#pragma unroll
            for (int k = 0; k < Shape::k; ++k) {
#pragma unroll
                for (int j = 0; j < side; ++j) {
#pragma unroll
                    for (int i = 0; i < side; ++i) {
                        sum[j][i] = fused_multiply_add(slices.a.at[k][m + i * stride], slices.b.at[k][n + j],
                                                       sum[j][i]);
                    }
                }
            }
        });
    }
    write_thread_tile(arguments, epilogue, matrix_c(arguments, position.batch), position.m + m,
                      position.n + n, sum);
}

}  // namespace sgemm_shim::thread_tile_2d
