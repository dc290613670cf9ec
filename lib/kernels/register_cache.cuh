// Kernel 5, register_cache: the 8 + 8 floats of a step of k are copied to registers before they are
// multiplied.
//
// The idea: 64 multiply-adds name 128 operands, but only 16 of them are different. Fragments say so: 16 loads
// into named registers, then 64 multiply-adds that touch no memory at all.
//
// What changed from kernel 4: only the way it is written. The loops of kernel 4 are unrolled completely, so
// that the compiler finds the same 16 loads by itself, and the two run at the same speed. It stops being true
// when the loops are not unrolled or the compiler must assume that a store changes shared memory; and the
// fragments are what kernels 6 and 7 build on.
//
// Tile 128 x 128 x 8, 256 threads, 8 x 8 elements each. Measured: see the table in the README.
#pragma once

#include "thread_tile_2d.cuh"

namespace sgemm_shim::register_cache {

using thread_tile_2d::Shape;
using thread_tile_2d::side;
using thread_tile_2d::stride;

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
                float fragment_a[side];
                float fragment_b[side];
#pragma unroll
                for (int i = 0; i < side; ++i) {
                    fragment_a[i] = slices.a.at[k][m + i * stride];
                    fragment_b[i] = slices.b.at[k][n + i];
                }
#pragma unroll
                for (int j = 0; j < side; ++j) {
#pragma unroll
                    for (int i = 0; i < side; ++i)
                        sum[j][i] = fused_multiply_add(fragment_a[i], fragment_b[j], sum[j][i]);
                }
            }
        });
    }
    thread_tile_2d::write_thread_tile(arguments, epilogue, matrix_c(arguments, position.batch),
                                      position.m + m, position.n + n, sum);
}

}  // namespace sgemm_shim::register_cache
