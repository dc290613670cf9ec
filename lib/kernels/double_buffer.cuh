// Kernel 7, double_buffer: a 128 x 128 tile of C for each block, 8 x 8 elements for each thread, and
// everything twice.
//
// The idea: while a block multiplies one slice of k, the next one is on its way. Twice over:
//   - two shared-memory buffers. The next 8 steps of k travel from global memory to registers during the
//   multiplication,
//     are stored into the other buffer near its end, and cost one barrier for each slice instead of two;
//   - two fragment buffers. The 8 + 8 floats of step l + 1 are loaded from shared memory while step l is
//   multiplied.
//
// What changed from kernel 6: that one waits for its loads. Tiles, float4 loads, and the transposition on the
// way into shared memory are the same.
//
// Shared memory holds both operands as [k][mn], so that fragments are read with 16-byte loads along m and n.
// An operand that is contiguous along k is transposed on its way in; rows of 132 floats instead of 128 keep
// those scattered stores free of bank conflicts (4 x 132 = 16 mod 32: the two k-halves of a warp's store use
// different banks).
//
// A thread's 8 x 8 elements are four squares of 4 x 4, 64 apart. Were they one square, each lane would read 8
// consecutive floats, and the lanes of one 16-byte load would be 32 bytes apart: half of the banks idle,
// twice the time (272 million conflicts at 4096 cubed in the published kernel).
//
// Tile 128 x 128 x 8, 256 threads, 2 blocks a multiprocessor (128 registers). Measured: see the table in the
// README.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim::double_buffer {

constexpr int tile_mn = 128;  ///< along m and along n
constexpr int tile_k = 8;
constexpr int threads = 256;
constexpr int square = 4;          ///< side of the squares that a thread computes
constexpr int half = tile_mn / 2;  ///< distance of a thread's two squares in each dimension
constexpr int thread_tile = 2 * square;
constexpr int row_length = tile_mn + 4;  ///< floats from one k to the next in shared memory
constexpr int floats_per_load = tile_mn * tile_k / threads;  ///< of each operand, for each thread and slice

static_assert(half / square * (half / square) == threads, "one thread for each pair of squares");
static_assert(floats_per_load == square, "a slice is one 16-byte load for each thread");
static_assert(row_length % square == 0, "rows of shared memory start on 16 bytes");

/// One slice of one operand.
using Slice = float[tile_k][row_length];

struct Tiles {
    alignas(16) Slice a[2];
    alignas(16) Slice b[2];
};

/// Carries one thread's share of an operand's slices from global memory through registers to shared memory.
///
/// `vector_width` 4 loads 16 bytes at once and needs operands that begin and continue on 16 bytes, and, where
/// they are contiguous along mn, a multiple of 4 of them; 1 serves everything else.
///
/// Rows past the end of the operand repeat the last valid ones: their products go to elements of C that do
/// not exist, and the loop over k needs no test for them.
template <Major major, int vector_width>
class SliceLoader {
    static constexpr int loads = floats_per_load / vector_width;
    /// Threads side by side along the contiguous dimension, and the extent of one load of the block along the
    /// other.
    static constexpr int threads_along = (major == Major::mn ? tile_mn : tile_k) / vector_width;
    static constexpr int step_across = threads / threads_along;
    static_assert(vector_width == 1 || vector_width == 4);

  public:
    __device__ SliceLoader(OperandView<major> view, std::int64_t first_mn, std::int64_t count_mn,
                           unsigned thread)
        : along_(thread % threads_along * vector_width),
          across_(thread / threads_along),
          step_(tile_k * view.k_stride()) {
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            constexpr int granule = major == Major::mn ? vector_width : 1;
            const std::int64_t last = count_mn - granule;
            const std::int64_t mn = first_mn + local_mn(i);
            next_[i] = view.address(mn < last ? mn : last, local_k(i));
        }
    }

    /// Starts the loads of the next slice. `remaining_k` counts from its first step; what lies beyond becomes
    /// 0.
    __device__ void load(std::int64_t remaining_k) {
        if (remaining_k >= tile_k) {
#pragma unroll
            for (int i = 0; i < loads; ++i) load_whole(i);
        } else {
            load_last(static_cast<int>(remaining_k));
        }
#pragma unroll
        for (int i = 0; i < loads; ++i) next_[i] += step_;
    }

    /// Writes the loaded slice. The caller keeps readers of `slice` away.
    __device__ void store(Slice& slice) const {
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            if constexpr (major == Major::mn && vector_width == 4) {
                store_vector(&slice[local_k(i)][local_mn(i)], float4{held_[0], held_[1], held_[2], held_[3]});
            } else {
#pragma unroll
                for (int v = 0; v < vector_width; ++v)
                    slice[local_k(i) + v][local_mn(i)] = held_[i * vector_width + v];
            }
        }
    }

  private:
    __device__ int local_mn(int load) const {
        return major == Major::mn ? along_ : across_ + load * step_across;
    }
    __device__ int local_k(int load) const {
        return major == Major::mn ? across_ + load * step_across : along_;
    }

    __device__ void load_whole(int load) {
        if constexpr (vector_width == 4) {
            const float4 vector = load_vector(next_[load]);
            held_[0] = vector.x;
            held_[1] = vector.y;
            held_[2] = vector.z;
            held_[3] = vector.w;
        } else {
            held_[load] = *next_[load];
        }
    }

    __device__ void load_last(int remaining_k) {
#pragma unroll
        for (int i = 0; i < loads; ++i) {
#pragma unroll
            for (int v = 0; v < vector_width; ++v) {
                const int k = local_k(i) + (major == Major::k ? v : 0);
                held_[i * vector_width + v] = k < remaining_k ? next_[i][v] : 0.0f;
            }
        }
    }

    int along_, across_;
    std::int64_t step_;  ///< elements from one slice to the next
    const float* next_[loads];
    float held_[floats_per_load];
};

/// One step of k: 8 floats of op(A), 8 of op(B).
struct Fragment {
    float a[thread_tile];
    float b[thread_tile];

    __device__ void load(const Slice& slice_a, const Slice& slice_b, int k, unsigned m, unsigned n) {
#pragma unroll
        for (int s = 0; s < 2; ++s) {
            load_square(a + s * square, &slice_a[k][m + s * half]);
            load_square(b + s * square, &slice_b[k][n + s * half]);
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
using Accumulator = float[thread_tile][thread_tile];

__device__ inline void multiply_add(Accumulator& sum, const Fragment& fragment) {
#pragma unroll
    for (int j = 0; j < thread_tile; ++j) {
#pragma unroll
        for (int i = 0; i < thread_tile; ++i)
            sum[j][i] = fused_multiply_add(fragment.a[i], fragment.b[j], sum[j][i]);
    }
}

/// The sum over all of k for one thread's elements at (m, n) of the tile.
template <class LoaderA, class LoaderB>
__device__ inline void accumulate(Accumulator& sum, Tiles& tiles, LoaderA& loader_a, LoaderB& loader_b,
                                  std::int64_t count_k, unsigned m, unsigned n) {
    loader_a.load(count_k);
    loader_b.load(count_k);
    loader_a.store(tiles.a[0]);
    loader_b.store(tiles.b[0]);
    synchronize_block();

    Fragment fragments[2];
    fragments[0].load(tiles.a[0], tiles.b[0], 0, m, n);

    int current = 0;
    for (std::int64_t remaining_k = count_k; remaining_k > 0; remaining_k -= tile_k) {
        const bool has_next = remaining_k > tile_k;
        if (has_next) {
            loader_a.load(remaining_k - tile_k);
            loader_b.load(remaining_k - tile_k);
        }
#pragma unroll
        for (int k = 0; k < tile_k - 1; ++k) {
            fragments[(k + 1) % 2].load(tiles.a[current], tiles.b[current], k + 1, m, n);
            multiply_add(sum, fragments[k % 2]);
        }
        // The other buffer was last read before the previous barrier: one barrier a slice is enough.
        current ^= 1;
        if (has_next) {
            loader_a.store(tiles.a[current]);
            loader_b.store(tiles.b[current]);
            synchronize_block();
            fragments[0].load(tiles.a[current], tiles.b[current], 0, m, n);
        }
        multiply_add(sum, fragments[(tile_k - 1) % 2]);
    }
}

/// Writes the thread's elements at (m, n) of C, where they exist.
__device__ inline void write_c(const Accumulator& sum, const Epilogue& epilogue, float* c,
                               const GemmArguments& arguments, std::int64_t m, std::int64_t n, bool vectors) {
#pragma unroll
    for (int j = 0; j < thread_tile; ++j) {
        const std::int64_t column = n + j / square * half + j % square;
        if (column >= arguments.n) continue;
#pragma unroll
        for (int s = 0; s < 2; ++s) {
            const std::int64_t row = m + s * half;
            float* elements = c + row + column * arguments.c.leading_dimension;
            const float* sums = &sum[j][s * square];
            if (vectors && row + square <= arguments.m) {
                const float4 old = epilogue.reads_c() ? load_vector(elements) : float4{};
                store_vector(elements,
                             float4{epilogue.apply(sums[0], old.x), epilogue.apply(sums[1], old.y),
                                    epilogue.apply(sums[2], old.z), epilogue.apply(sums[3], old.w)});
            } else {
#pragma unroll
                for (int i = 0; i < square; ++i) {
                    if (row + i < arguments.m) epilogue.update(elements + i, sums[i]);
                }
            }
        }
    }
}

/// The first row and column of the thread's squares within a quarter of the tile. A warp covers 32 x 16
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

template <Major major_a, Major major_b, int vector_width>
__global__ void __launch_bounds__(threads, 2) kernel(GemmArguments arguments, bool vectors_in_c) {
    Tiles& tiles = shared_memory<Tiles>();
    const unsigned thread = thread_index();
    const TilePosition position = tile_position<tile_mn, tile_mn>(block_index(), arguments);
    const ThreadPlace place(thread);

    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;

    Accumulator sum{};
    if (epilogue.has_product()) {
        const OperandView<major_a> view_a{matrix_of_batch(arguments.a, position.batch),
                                          arguments.a.leading_dimension};
        const OperandView<major_b> view_b{matrix_of_batch(arguments.b, position.batch),
                                          arguments.b.leading_dimension};
        SliceLoader<major_a, vector_width> loader_a(view_a, position.m, arguments.m, thread);
        SliceLoader<major_b, vector_width> loader_b(view_b, position.n, arguments.n, thread);
        accumulate(sum, tiles, loader_a, loader_b, arguments.k, place.m, place.n);
    }
    write_c(sum, epilogue, matrix_of_batch(arguments.c, position.batch), arguments, position.m + place.m,
            position.n + place.n, vectors_in_c);
}

}  // namespace sgemm_shim::double_buffer
