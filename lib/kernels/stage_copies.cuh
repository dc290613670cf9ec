// How the production kernels bring an operand into shared memory: asynchronous copies, started by warps that
// do nothing else.
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

/// How an operand is copied: 16 bytes at a time, for those that are contiguous along mn where their addresses
/// allow it; or by single floats, which serves any address, and transposes what is contiguous along k on
/// the way.
template <Major major>
__device__ inline bool allows_wide_copies(const OperandView<major>& view) {
    return major == Major::mn && has_aligned_columns(view.base, view.leading_dimension);
}

/// One thread's share of an operand's slices. The threads lie as a rectangle over the operand as it is in
/// memory: `inner` along the contiguous dimension, `outer` across it. Each copies `width` floats at a time.
template <Major major, int tile_mn, int tile_k, int threads, int width>
class SliceCopies {
    static constexpr int tile_inner = major == Major::mn ? tile_mn : tile_k;
    static constexpr int tile_outer = major == Major::mn ? tile_k : tile_mn;
    /// Along k, 8 lanes read a whole sector of 32 bytes.
    static constexpr int most_inner = major == Major::mn ? tile_mn / width : 8;
    static constexpr int threads_inner = most_inner < threads ? most_inner : threads;
    static constexpr int inner_step = threads_inner * width;
    static constexpr int outer_step = threads / threads_inner;
    static constexpr int inner_passes = tile_inner / inner_step;
    static constexpr int outer_passes = (tile_outer + outer_step - 1) / outer_step;
    static_assert(threads_inner * outer_step == threads && inner_passes * inner_step == tile_inner);
    /// Threads beyond a small tile have nothing to do.
    static constexpr bool has_idle_threads = outer_passes * outer_step != tile_outer;

  public:
    /// `first_mn` is where the tile begins, `valid_mn` how much of it exists, `first_k` where the first slice
    /// begins.
    __device__ SliceCopies(const OperandView<major>& view, std::int64_t first_mn, int valid_mn,
                           std::int64_t first_k, unsigned thread)
        : inner_(static_cast<int>(thread) % threads_inner * width),
          outer_(static_cast<int>(thread) / threads_inner),
          valid_mn_(valid_mn),
          slice_stride_(tile_k * view.k_stride()),
          outer_stride_(outer_step * view.leading_dimension),
          next_(view.address(first_mn + local_mn(inner_, outer_), first_k + local_k(inner_, outer_))) {}

    /// Starts the copies of the next slice, all of which exists.
    __device__ void start_whole(StageSlice<tile_mn, tile_k>& slice) { start<false>(slice, tile_k); }
    /// Starts the copies of the next slice, whose first `valid_k` steps exist. Rows past the end of the
    /// operand become zero; steps past `valid_k` are left alone.
    __device__ void start_partial(StageSlice<tile_mn, tile_k>& slice, int valid_k) {
        start<true>(slice, valid_k);
    }

  private:
    __device__ static int local_mn(int inner, int outer) { return major == Major::mn ? inner : outer; }
    __device__ static int local_k(int inner, int outer) { return major == Major::mn ? outer : inner; }

    template <bool is_partial>
    __device__ void start(StageSlice<tile_mn, tile_k>& slice, int valid_k) {
        const float* from = next_;
        next_ += slice_stride_;
        // Further, and the compiler would keep all the addresses at once.
#pragma unroll 4
        for (int o = 0; o < outer_passes; ++o) {
            const int outer = outer_ + o * outer_step;
            if (has_idle_threads && outer >= tile_outer) return;
#pragma unroll
            for (int i = 0; i < inner_passes; ++i) {
                const int inner = inner_ + i * inner_step;
                const int mn = local_mn(inner, outer);
                const int k = local_k(inner, outer);
                float* const to = &slice.at[k][mn];
                if constexpr (is_partial) {
                    const int floats = valid_mn_ - mn;
                    if (k < valid_k)
                        copy_async<width * 4>(to, from + i * inner_step,
                                              floats <= 0      ? 0
                                              : floats < width ? floats * 4
                                                               : width * 4);
                } else {
                    copy_async<width * 4>(to, from + i * inner_step);
                }
            }
            from += outer_stride_;
        }
    }

    int inner_, outer_;  ///< of the thread's first element in the tile
    int valid_mn_;
    std::int64_t slice_stride_;  ///< elements from one slice to the next
    std::int64_t outer_stride_;  ///< elements from one pass across to the next
    const float* next_;
};

}  // namespace sgemm_shim
