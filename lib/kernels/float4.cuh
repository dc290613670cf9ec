// Kernel 6, float4: everything moves 16 bytes at a time.
//
// The idea: a load instruction costs an issue slot whether it brings 4 bytes or 16. One step of k now takes 4
// loads from shared memory for 64 multiply-adds instead of 16, and a slice comes from global memory with one
// load a thread and operand instead of 4. To be read along m and n in fours, shared memory must hold both
// operands as [k][mn]: one that is contiguous along k is transposed on its way in.
//
// What changed from kernel 5: a thread's 8 x 8 elements are four squares of 4 x 4, 64 apart. Were they one
// square, each lane would read 8 consecutive floats, and the lanes of one 16-byte load would be 32 bytes
// apart: half of the banks idle, twice the time.
//
// Operands that do not start or continue on 16 bytes are loaded 4 bytes at a time; shared memory is read in
// fours all the same.
//
// Tile 128 x 128 x 8, 256 threads, 8 x 8 elements each. Measured: see the table in the README.
#pragma once

#include "thread_squares.cuh"

namespace sgemm_shim::float4_loads {

using namespace thread_squares;

template <Major major_a, Major major_b, int vector_width>
__global__ void __launch_bounds__(Shape::threads, 2) kernel(GemmArguments arguments) {
    const TilePosition position = tile_position<Shape::m, Shape::n>(block_index(), arguments);
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    const ThreadPlace place(thread_index());
    Accumulator sum{};
    if (epilogue.has_product()) {
        for_each_slice<Shape, major_a, major_b, vector_width>(
            arguments, position, [&](const Slices<Shape>& slices) {
#pragma unroll
                for (int k = 0; k < Shape::k; ++k) {
                    Fragment fragment;
                    fragment.load(slices.a, slices.b, k, place.m, place.n);
                    multiply_add(sum, fragment);
                }
            });
    }
    write_squares(arguments, epilogue, matrix_c(arguments, position.batch), position.m + place.m,
                  position.n + place.n, sum);
}

}  // namespace sgemm_shim::float4_loads
