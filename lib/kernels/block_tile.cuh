// What kernels 2 to 7 share: a block computes one tile of C, slice of k by slice of k, from copies of both
// operands in shared memory.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim {

/// Sizes in elements. A slice is what the block holds of one operand at a time: `k` steps of `m` rows or `n`
/// columns.
template <int tile_m, int tile_n, int tile_k, int block_threads>
struct TileShape {
    static constexpr int m = tile_m, n = tile_n, k = tile_k, threads = block_threads;
};

/// One slice, [k][mn]. Operands that are contiguous along k are transposed on their way in: a warp then
/// stores tile_k steps of 32 / tile_k neighbours at once, and that much padding puts them all into different
/// banks.
template <int tile_mn, int tile_k>
struct Slice {
    static constexpr int row_length = tile_mn + 32 / tile_k;
    alignas(16) float at[tile_k][row_length];

    __device__ float& element(int mn, int k) { return at[k][mn]; }
};

/// The other order, [mn][k], for a thread that reads several steps of one row or column in turn: the compiler
/// makes 16-byte loads of that. Rows stay on 16 bytes, and a transposing store meets 4 conflicts instead
/// of 32.
template <int tile_mn, int tile_k>
struct SliceAlongK {
    alignas(16) float at[tile_mn][tile_k + 4];

    __device__ float& element(int mn, int k) { return at[mn][k]; }
};

template <class Shape>
using SliceA = Slice<Shape::m, Shape::k>;
template <class Shape>
using SliceB = Slice<Shape::n, Shape::k>;

/// Carries one thread's share of an operand's slices from global memory through registers to shared memory,
/// in the order in which the operand lies in memory.
///
/// `vector_width` 4 loads 16 bytes at once and needs operands that begin and continue on 16 bytes, and, where
/// they are contiguous along mn, a multiple of 4 of them; 1 serves everything else.
///
/// Rows past the end of the operand repeat the last valid ones: their products go to elements of C that do
/// not exist, and the loop over k needs no test for them.
template <Major major, int tile_mn, int tile_k, int threads, int vector_width>
class SliceLoader {
    static constexpr int floats = tile_mn * tile_k / threads;  ///< for each thread and slice
    static constexpr int loads = floats / vector_width;
    /// Threads side by side along the contiguous dimension, and how far one load of the block reaches along
    /// the other.
    static constexpr int threads_along = (major == Major::mn ? tile_mn : tile_k) / vector_width;
    static constexpr int step_across = threads / threads_along;
    static_assert(vector_width == 1 || vector_width == 4);
    static_assert(floats * threads == tile_mn * tile_k && loads * vector_width == floats && loads > 0,
                  "the threads share a slice evenly");
    static_assert(step_across * threads_along == threads, "a load of the block is a rectangle");

  public:
    __device__ SliceLoader(OperandView<major> view, std::int64_t first_mn, std::int64_t count_mn,
                           unsigned thread)
        : along_(static_cast<int>(thread) % threads_along * vector_width),
          across_(static_cast<int>(thread) / threads_along),
          step_(tile_k * view.k_stride()) {
        constexpr int granule = major == Major::mn ? vector_width : 1;
        const std::int64_t last = count_mn - granule;
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            const std::int64_t mn = first_mn + local_mn(i);
            next_[i] = view.address(mn < last ? mn : last, local_k(i));
        }
    }

    /// Starts the loads of the next slice, all of which lies inside the operand.
    __device__ void load() {
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            assume_global(next_[i]);
            if constexpr (vector_width == 4) {
                const float4 vector = load_vector(next_[i]);
                held_[i * 4 + 0] = vector.x;
                held_[i * 4 + 1] = vector.y;
                held_[i * 4 + 2] = vector.z;
                held_[i * 4 + 3] = vector.w;
            } else {
                held_[i] = *next_[i];
            }
            next_[i] += step_;
        }
    }

    /// Loads the last slice: only its first `remaining_k` steps exist, the others become 0.
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

    /// Writes the loaded slice. The caller keeps readers of `slice` away.
    template <class AnySlice>
    __device__ void store(AnySlice& slice) const {
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            if constexpr (major == Major::mn && vector_width == 4) {
                store_vector(&slice.element(local_mn(i), local_k(i)),
                             float4{held_[i * 4], held_[i * 4 + 1], held_[i * 4 + 2], held_[i * 4 + 3]});
            } else {
#pragma unroll
                for (int v = 0; v < vector_width; ++v)
                    slice.element(local_mn(i), local_k(i) + v) = held_[i * vector_width + v];
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

    int along_, across_;
    std::int64_t step_;  ///< elements from one slice to the next
    const float* next_[loads];
    float held_[floats];
};

template <class Shape, Major major, int vector_width = 1>
using LoaderA = SliceLoader<major, Shape::m, Shape::k, Shape::threads, vector_width>;
template <class Shape, Major major, int vector_width = 1>
using LoaderB = SliceLoader<major, Shape::n, Shape::k, Shape::threads, vector_width>;

/// Both operands' slices.
template <class Shape, class SliceOfB = SliceB<Shape>>
struct Slices {
    SliceA<Shape> a;
    SliceOfB b;
};

/// The plain loop of kernels 2 to 6: bring a slice in, wait, multiply(slices), wait until nobody needs it any
/// more.
template <class Shape, Major major_a, Major major_b, int vector_width, class BothSlices = Slices<Shape>,
          class Multiply>
__device__ inline void for_each_slice(const GemmArguments& arguments, const TilePosition& position,
                                      Multiply multiply) {
    BothSlices& slices = shared_memory<BothSlices>();
    LoaderA<Shape, major_a, vector_width> loader_a(view_of_a<major_a>(arguments, position.batch), position.m,
                                                   arguments.m, thread_index());
    LoaderB<Shape, major_b, vector_width> loader_b(view_of_b<major_b>(arguments, position.batch), position.n,
                                                   arguments.n, thread_index());
    const auto multiply_loaded = [&] {
        loader_a.store(slices.a);
        loader_b.store(slices.b);
        synchronize_block();
        multiply(slices);
        synchronize_block();
    };
    std::int64_t remaining_k = arguments.k;
    for (; remaining_k >= Shape::k; remaining_k -= Shape::k) {
        loader_a.load();
        loader_b.load();
        multiply_loaded();
    }
    if (remaining_k > 0) {
        loader_a.load_last(static_cast<int>(remaining_k));
        loader_b.load_last(static_cast<int>(remaining_k));
        multiply_loaded();
    }
}

/// Writes one element of C, where it exists.
__device__ inline void update_element(const GemmArguments& arguments, const Epilogue& epilogue, float* c,
                                      std::int64_t row, std::int64_t column, float sum) {
    if (row < arguments.m && column < arguments.n)
        epilogue.update(c + row + column * arguments.c.leading_dimension, sum);
}

}  // namespace sgemm_shim
