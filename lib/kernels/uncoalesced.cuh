// Before the ladder, uncoalesced: one thread computes one element of C, and the lanes of a warp sit along the
// wrong dimension.
//
// The idea: the definition of the product, once for each thread. Where an operand is contiguous along m, the
// 32 lanes of a warp take 32 columns, not 32 rows: each load instruction then touches 32 cache lines of the
// other operand and uses 4 of the 128 bytes of each, and the stores of C are scattered the same way.
//
// (With A along m and B along n, NT, there is no wrong dimension: either way one operand is read in whole
// lines.)
//
// It is here to be compared with kernel 1, which differs in the shape of a warp and in nothing else.
//
// Block tile 32 x 32, 1024 threads. Measured: see the table in the README.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim::element_per_thread {

constexpr int tile = 32;
constexpr int threads = tile * tile;

/// The kernel's body for any shape of a warp: lanes_m x (32 / lanes_m) elements of C. With k_per_load = 4,
/// operands that are both contiguous along k are read 4 steps at a time (kernel 1 says why).
template <Major major_a, Major major_b, int lanes_m, int k_per_load>
__device__ inline void compute(const GemmArguments& arguments) {
    constexpr int lanes_n = 32 / lanes_m;
    // 16-byte loads are served for 8 lanes at a time: let those 8 be as square as the whole.
    constexpr int eight_m = lanes_m == 8 ? 4 : (lanes_m < 8 ? lanes_m : 8);
    constexpr int eight_n = 8 / eight_m;
    constexpr int eights_m = lanes_m / eight_m;
    constexpr unsigned warps_m = tile / lanes_m;
    static_assert(lanes_m * lanes_n == 32 && tile % lanes_m == 0 && tile % lanes_n == 0);
    static_assert(k_per_load == 1 || (k_per_load == 4 && major_a == Major::k && major_b == Major::k));

    const TilePosition position = tile_position<tile, tile>(block_index(), arguments);
    const unsigned lane = thread_index() % 32;
    const unsigned warp = thread_index() / 32;
    const unsigned lane_m = lane / 8 % eights_m * eight_m + lane % eight_m;
    const unsigned lane_n = lane / 8 / eights_m * eight_n + lane / eight_m % eight_n;
    const std::int64_t row = position.m + warp % warps_m * lanes_m + lane_m;
    const std::int64_t column = position.n + warp / warps_m * lanes_n + lane_n;
    if (row >= arguments.m || column >= arguments.n) return;

    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    float sum = 0.0f;
    if (epilogue.has_product()) {
        const auto view_a = view_of_a<major_a>(arguments, position.batch);
        const auto view_b = view_of_b<major_b>(arguments, position.batch);
        const float* a = view_a.address(row, 0);
        const float* b = view_b.address(column, 0);
        std::int64_t l = 0;
        if constexpr (k_per_load == 4) {
            for (; l + 4 <= arguments.k; l += 4, a += 4, b += 4) {
                const float4 four_a = load_vector(a);
                const float4 four_b = load_vector(b);
                sum = fused_multiply_add(four_a.x, four_b.x, sum);
                sum = fused_multiply_add(four_a.y, four_b.y, sum);
                sum = fused_multiply_add(four_a.z, four_b.z, sum);
                sum = fused_multiply_add(four_a.w, four_b.w, sum);
            }
        }
        // Several loads on their way before the first multiply-add. A compiler that unrolls the plain loop
        // below does the same, but how many loads it puts first changes with everything around the loop, and
        // the speed with that: 3 to 6.5 TFLOP/s were seen of the same source.
        constexpr int at_once = 8;
        const std::int64_t stride_a = view_a.k_stride(), stride_b = view_b.k_stride();
        for (; l + at_once <= arguments.k; l += at_once) {
            float values_a[at_once], values_b[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i, a += stride_a, b += stride_b) {
                values_a[i] = *a;
                values_b[i] = *b;
            }
#pragma unroll
            for (int i = 0; i < at_once; ++i) sum = fused_multiply_add(values_a[i], values_b[i], sum);
        }
        for (; l < arguments.k; ++l, a += stride_a, b += stride_b) sum = fused_multiply_add(*a, *b, sum);
    }
    float* c = matrix_c(arguments, position.batch);
    epilogue.update(c + row + column * arguments.c.leading_dimension, sum);
}

}  // namespace sgemm_shim::element_per_thread

namespace sgemm_shim::uncoalesced {

using element_per_thread::threads;
using element_per_thread::tile;

template <Major major_a, Major major_b>
__global__ void __launch_bounds__(threads) kernel(GemmArguments arguments) {
    constexpr int lanes_m = major_a == Major::k ? 32 : 1;
    element_per_thread::compute<major_a, major_b, lanes_m, 1>(arguments);
}

}  // namespace sgemm_shim::uncoalesced
