// Kernel 3, thread_tile_1d: each thread computes 8 elements of a row of C.
//
// The idea: a float of A that has come from shared memory into a register is used 8 times there. One step of
// k costs a thread 1 + 8 loads for 8 multiply-adds, where kernel 2 pays 16; and the 8 columns of B are the
// same for all lanes of a warp, which shared memory serves as one broadcast.
//
// What changed from kernel 2: a thread's one sum became 8, and the tile 64 x 64, so that a slice of it is
// reused twice as often. The slices are shallower (8 steps of k) to leave the block's size and shared memory
// as they were.
//
// Tile 64 x 64 x 8, 512 threads, 1 x 8 elements each. Measured: see the table in the README.
#pragma once

#include "block_tile.cuh"

namespace sgemm_shim::thread_tile_1d {

using Shape = TileShape<64, 64, 8, 512>;
constexpr int columns = 8;  ///< of C, for each thread
static_assert(Shape::m * Shape::n == Shape::threads * columns);

template <Major major_a, Major major_b>
__global__ void __launch_bounds__(Shape::threads) kernel(GemmArguments arguments) {
    const TilePosition position = tile_position<Shape::m, Shape::n>(block_index(), arguments);
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    const unsigned m = thread_index() % Shape::m;
    const unsigned n = thread_index() / Shape::m * columns;
    float sum[columns]{};
    if (epilogue.has_product()) {
        for_each_slice<Shape, major_a, major_b, 1>(arguments, position, [&](const Slices<Shape>& slices) {
#pragma unroll
            for (int k = 0; k < Shape::k; ++k) {
                const float a = slices.a.at[k][m];
#pragma unroll
                for (int j = 0; j < columns; ++j)
                    sum[j] = fused_multiply_add(a, slices.b.at[k][n + j], sum[j]);
            }
        });
    }
    float* c = matrix_c(arguments, position.batch);
#pragma unroll
    for (int j = 0; j < columns; ++j)
        update_element(arguments, epilogue, c, position.m + m, position.n + n + j, sum[j]);
}

}  // namespace sgemm_shim::thread_tile_1d
