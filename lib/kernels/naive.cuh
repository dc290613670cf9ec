// Kernel 1, naive: one thread computes one element of C.
//
// The idea: the definition of the product, once for each thread. What makes it bearable is coalescing: the 32
// lanes of a warp sit side by side along the dimension in which the operands are contiguous, so that one load
// instruction of the warp touches 128 contiguous bytes of one operand and a single address of the other.
//
// Which way is "along" depends on the operands:
//     A contiguous along m (NN, NT)               32 x 1 lanes (m x n)
//     only B contiguous along n (TT)               1 x 32 lanes
//     both contiguous along k (TN)                 8 x 4 lanes: 8 + 4 addresses for two loads, the least
//     there is
//
// Block tile 32 x 32, 1024 threads. Each thread reads 2 k floats for its 2 k FLOPs: the load units are the
// limit, two loads for every multiply-add, at whatever rate L1 can serve them.
//
// Measured: see the table in the README.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim::naive {

constexpr int tile = 32;
constexpr int threads = tile * tile;

/// The rectangle of C that one warp covers.
template <Major major_a, Major major_b>
constexpr int lanes_m = major_a == Major::mn ? 32 : (major_b == Major::mn ? 1 : 8);

template <Major major_a, Major major_b>
__global__ void __launch_bounds__(threads) kernel(GemmArguments arguments) {
    constexpr unsigned warp_m = lanes_m<major_a, major_b>;
    constexpr unsigned warp_n = 32 / warp_m;
    constexpr unsigned warps_m = tile / warp_m;
    static_assert(warp_m * warp_n == 32 && tile % warp_m == 0 && tile % warp_n == 0);

    const TilePosition position = tile_position<tile, tile>(block_index(), arguments);
    const unsigned lane = thread_index() % 32;
    const unsigned warp = thread_index() / 32;
    const std::int64_t row = position.m + warp % warps_m * warp_m + lane % warp_m;
    const std::int64_t column = position.n + warp / warps_m * warp_n + lane / warp_m;
    if (row >= arguments.m || column >= arguments.n) return;

    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    float sum = 0.0f;
    if (epilogue.has_product()) {
        const OperandView<major_a> view_a{matrix_of_batch(arguments.a, position.batch),
                                          arguments.a.leading_dimension};
        const OperandView<major_b> view_b{matrix_of_batch(arguments.b, position.batch),
                                          arguments.b.leading_dimension};
        const float* a = view_a.address(row, 0);
        const float* b = view_b.address(column, 0);
        for (std::int64_t l = 0; l < arguments.k; ++l) {
            sum = fused_multiply_add(*a, *b, sum);
            a += view_a.k_stride();
            b += view_b.k_stride();
        }
    }
    float* c = matrix_of_batch(arguments.c, position.batch);
    epilogue.update(c + row + column * arguments.c.leading_dimension, sum);
}

}  // namespace sgemm_shim::naive
