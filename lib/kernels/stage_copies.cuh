// How the production kernels bring an operand into shared memory: by asynchronous copies, of warps that do
// nothing else.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim {

/// One slice, [k][mn]. With 4 floats between the rows, a warp that copies 8 steps of k of 4 neighbours, as
/// it does for operands that are contiguous along k, meets every bank once; and rows stay on 16 bytes.
template <int tile_mn, int tile_k>
struct StageSlice {
    static constexpr int row_length = tile_mn + 4;
    alignas(16) float at[tile_k][row_length];
};

/// Whether `valid_mn` rows or columns of an operand can be copied 16 bytes at a time: it is contiguous along
/// them, their addresses allow it, and none of the copies would reach past the last one. Copies of single
/// floats serve any address, and transpose what is contiguous along k on the way.
template <Major major>
__device__ inline bool allows_wide_copies(const OperandView<major>& view, int valid_mn) {
    return major == Major::mn && valid_mn % 4 == 0 && has_aligned_columns(view.base, view.leading_dimension);
}

/// One thread's share of an operand's slices, by asynchronous copies. The threads lie as a rectangle over the
/// operand as it is in memory: `inner` along the contiguous dimension, `outer` across it. Each copies `width`
/// floats at a time.
///
/// Where a tile reaches past the end of the operand, zeros take the place of what does not exist, by the same
/// instructions. (Not what exists again: copies of one element to many places take many times as long.)
///
/// Every instruction here takes an issue slot from the consumers, so that an address is the one before and an
/// addition. Left alone, the compiler multiplies instead, which takes the multiply-adds' pipe as well.
template <Major major, int tile_mn, int tile_k, int threads, int width>
class SliceCopies {
    static constexpr bool is_along_mn = major == Major::mn;
    static constexpr int tile_inner = is_along_mn ? tile_mn : tile_k;
    static constexpr int tile_outer = is_along_mn ? tile_k : tile_mn;
    /// Along k, 8 lanes read a whole sector of 32 bytes.
    static constexpr int most_inner = is_along_mn ? tile_mn / width : 8;
    static constexpr int threads_inner = most_inner < threads ? most_inner : threads;
    static constexpr int inner_step = threads_inner * width;
    static constexpr int outer_step = threads / threads_inner;
    static constexpr int inner_passes = tile_inner / inner_step;
    static constexpr int outer_passes = (tile_outer + outer_step - 1) / outer_step;
    /// Threads beyond a small tile have nothing to do.
    static constexpr bool has_idle_threads = outer_step > tile_outer;
    static_assert(threads_inner * outer_step == threads && inner_passes * inner_step == tile_inner &&
                  (has_idle_threads || outer_passes * outer_step == tile_outer));
    using Slice = StageSlice<tile_mn, tile_k>;

  public:
    /// `first_mn` is where the tile begins, `valid_mn` how much of it exists (a multiple of `width`),
    /// `first_k` where the first slice begins.
    __device__ SliceCopies(const OperandView<major>& view, std::int64_t first_mn, int valid_mn,
                           std::int64_t first_k, unsigned thread)
        : inner_(static_cast<int>(thread) % threads_inner * width),
          outer_(static_cast<int>(thread) / threads_inner),
          left_(valid_mn - (is_along_mn ? inner_ : outer_)),
          slice_stride_(tile_k * view.k_stride()),
          outer_stride_(outer_step * view.leading_dimension),
          next_(is_along_mn ? view.address(first_mn + inner_, first_k + outer_)
                            : view.address(first_mn + outer_, first_k + inner_)) {}

    /// Starts the copies of the next slice, all of whose steps exist.
    __device__ void start(Slice& slice) {
        if (has_idle_threads && outer_ >= tile_outer) return;
        float* const to = &slice.at[0][0] + place();
        const float* from = next_;
        next_ += slice_stride_;
        // Further along k in the largest tiles, and the compiler keeps what it knows of every pass.
        [[maybe_unused]] constexpr int unrolled = is_along_mn ? outer_passes : 16 / inner_passes;
#pragma unroll unrolled
        for (int o = 0; o < outer_passes; ++o) {
#pragma unroll
            for (int i = 0; i < inner_passes; ++i)
                copy_async<width * 4>(to + pass_place(i, o), from + i * inner_step, valid_bytes(i, o));
            from = unknown_to_compiler(from + outer_stride_);
        }
    }

    /// Starts the copies of the next slice, of which the first `steps` exist; in shared memory, anything may
    /// come after those.
    __device__ void start_short(Slice& slice, int steps) {
        if (has_idle_threads && outer_ >= tile_outer) return;
        float* to = &slice.at[0][0] + place();
        const float* from = next_;
        next_ += slice_stride_;
        // Not unrolled: with conditions, the compiler would work out every address anew.
#pragma unroll 1
        for (int o = 0; o < outer_passes; ++o) {
            if (is_along_mn && outer_ + o * outer_step >= steps) break;
#pragma unroll
            for (int i = 0; i < inner_passes; ++i) {
                const int inner = inner_ + i * inner_step;
                if constexpr (is_along_mn)
                    copy_async<width * 4>(to + pass_place(i, 0), from + i * inner_step, valid_bytes(i, o));
                else if (i * inner_step < steps)
                    // The last step again, instead of those that do not exist.
                    copy_async<width * 4>(to + pass_place(i, 0),
                                          from + (inner < steps ? inner : steps - 1) - inner_,
                                          valid_bytes(i, o));
            }
            to += pass_place(0, 1);
            from += outer_stride_;
        }
    }

  private:
    /// Where the thread's first element of a slice lies in it; and how much further that of another pass.
    __device__ int place() const {
        return is_along_mn ? outer_ * Slice::row_length + inner_ : inner_ * Slice::row_length + outer_;
    }
    __device__ static constexpr int pass_place(int i, int o) {
        return is_along_mn ? (o * outer_step) * Slice::row_length + i * inner_step
                           : (i * inner_step) * Slice::row_length + o * outer_step;
    }
    /// What exists of what a pass copies.
    __device__ int valid_bytes(int i, int o) const {
        return (is_along_mn ? i * inner_step : o * outer_step) < left_ ? width * 4 : 0;
    }
    int inner_, outer_;          ///< of the thread's first element in the tile
    int left_;                   ///< rows or columns from there to the end of what exists
    std::int64_t slice_stride_;  ///< elements from one slice to the next
    std::int64_t outer_stride_;  ///< elements from one pass across to the next
    const float* next_;          ///< the thread's first element of the next slice
};

}  // namespace sgemm_shim
