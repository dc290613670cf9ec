// What kernels 6 and 7 share: a thread's 8 x 8 elements of a 128 x 128 tile as four squares of 4 x 4, so that
// everything that moves along m or n moves 16 bytes at a time.
#pragma once

#include "block_tile.cuh"
#include "write_four.cuh"

namespace sgemm_shim::thread_squares {

using Shape = TileShape<128, 128, 8, 256>;
constexpr int square = 4;           ///< side of a square: one 16-byte load
constexpr int half = Shape::m / 2;  ///< distance of a thread's two squares in each dimension
constexpr int side = 2 * square;    ///< elements of a thread in each dimension

static_assert(Shape::m == Shape::n && half / square * (half / square) == Shape::threads,
              "one thread for each place in a quarter of the tile");
static_assert(SliceA<Shape>::row_length % square == 0, "rows of shared memory start on 16 bytes");

/// One step of k: 8 floats of op(A), 8 of op(B).
struct Fragment {
    float a[side];
    float b[side];

    __device__ void load(const SliceA<Shape>& slice_a, const SliceB<Shape>& slice_b, int k, unsigned m,
                         unsigned n) {
#pragma unroll
        for (int s = 0; s < 2; ++s) {
            load_square(a + s * square, &slice_a.at[k][m + s * half]);
            load_square(b + s * square, &slice_b.at[k][n + s * half]);
        }
    }

  private:
    __device__ static void load_square(float* to, const float* from) {
        const float4 vector = load_vector(from);
        to[0] = vector.x;
        to[1] = vector.y;
        to[2] = vector.z;
        to[3] = vector.w;
    }
};

/// [n][m], as in C.
using Accumulator = float[side][side];

__device__ inline void multiply_add(Accumulator& sum, const Fragment& fragment) {
#pragma unroll
    for (int j = 0; j < side; ++j) {
#pragma unroll
        for (int i = 0; i < side; ++i)
            sum[j][i] = fused_multiply_add(fragment.a[i], fragment.b[j], sum[j][i]);
    }
}

/// The first row and column of a thread's squares within a quarter of the tile. A warp covers 32 x 16
/// elements of each quarter. Its lanes are numbered so that the 8 lanes that share a wavefront of a 16-byte
/// load ask for 2 places of A and 4 of B: two wavefronts a load instead of four.
struct ThreadPlace {
    unsigned m, n;

    __device__ explicit ThreadPlace(unsigned thread) {
        const unsigned lane = thread % 32;
        const unsigned warp = thread / 32;
        constexpr unsigned lanes_m = 8, lanes_n = 4, warps_m = half / square / lanes_m;
        m = (warp % warps_m * lanes_m + lane / 8 * 2 + lane % 2) * square;
        n = (warp / warps_m * lanes_n + lane / 2 % 4) * square;
    }
};

/// Writes the thread's squares, whose first element is (m, n) of C.
__device__ inline void write_squares(const GemmArguments& arguments, const Epilogue& epilogue, float* c,
                                     std::int64_t m, std::int64_t n, const Accumulator& sum) {
    const bool vectors = is_vector_aligned(c) && arguments.c.leading_dimension % square == 0;
#pragma unroll
    for (int j = 0; j < side; ++j) {
        const std::int64_t column = n + j / square * half + j % square;
        if (column >= arguments.n) continue;
#pragma unroll
        for (int s = 0; s < 2; ++s) {
            const std::int64_t row = m + s * half;
            write_four(epilogue, c + row + column * arguments.c.leading_dimension, row, arguments.m,
                       &sum[j][s * square], vectors);
        }
    }
}

}  // namespace sgemm_shim::thread_squares
