// Kernel 2, shared_memory: the block's operands are read from global memory once and from shared memory 32
// times.
//
// The idea: the 1024 threads of a block compute a 32 x 32 tile of C, and every float of A that one of them
// needs is needed by 31 others too. So the block first copies a 32 x 32 slice of each operand to shared
// memory, one float a thread, and then multiplies from there.
//
// What changed from kernel 1: global memory sees 2 loads for every 32 multiply-adds of a thread instead
// of 64. Shared memory still sees one load of A for each multiply-add, and one of B for every 4: all lanes of
// a warp share a column of B, which is kept along k so that 4 steps come at once. That is the limit now.
//
// Tile 32 x 32 x 32, 1024 threads, 1 element each. Measured: see the table in the README.
#pragma once

#include "block_tile.cuh"

namespace sgemm_shim::shared_memory_tile {

using Shape = TileShape<32, 32, 32, 1024>;
using BothSlices = Slices<Shape, SliceAlongK<Shape::n, Shape::k>>;

template <Major major_a, Major major_b>
__global__ void __launch_bounds__(Shape::threads) kernel(GemmArguments arguments) {
    const TilePosition position = tile_position<Shape::m, Shape::n>(block_index(), arguments);
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    const unsigned m = thread_index() % Shape::m;
    const unsigned n = thread_index() / Shape::m;
    float sum = 0.0f;
    if (epilogue.has_product()) {
        for_each_slice<Shape, major_a, major_b, 1, BothSlices>(
            arguments, position, [&](const BothSlices& slices) {
#pragma unroll
                for (int k = 0; k < Shape::k; ++k)
                    sum = fused_multiply_add(slices.a.at[k][m], slices.b.at[n][k], sum);
            });
    }
    update_element(arguments, epilogue, matrix_c(arguments, position.batch), position.m + m, position.n + n,
                   sum);
}

}  // namespace sgemm_shim::shared_memory_tile
