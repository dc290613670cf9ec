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

/// Whether `valid_mn` rows or columns of an operand can be copied 16 bytes at a time: those that are
/// contiguous along mn, where their addresses allow it and none of the copies would reach past the last one.
/// Copies of single floats serve any address, and transpose what is contiguous along k on the way.
template <Major major>
__device__ inline bool allows_wide_copies(const OperandView<major>& view, int valid_mn) {
    return major == Major::mn && valid_mn % 4 == 0 && has_aligned_columns(view.base, view.leading_dimension);
}

/// One thread's share of an operand's slices. The threads lie as a rectangle over the operand as it is in
/// memory: `inner` along the contiguous dimension, `outer` across it. Each copies `width` floats at a time.
///
/// Where a tile reaches past the end of the operand, the last row or column that exists is copied instead of
/// those that do not: what is multiplied with them is not written, and the copies of every slice are the same
/// instructions, without a condition.
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

  public:
    /// `first_mn` is where the tile begins, `valid_mn` how much of it exists (a multiple of `width`),
    /// `first_k` where the first slice begins.
    __device__ SliceCopies(const OperandView<major>& view, std::int64_t first_mn, int valid_mn,
                           std::int64_t first_k, unsigned thread)
        : inner_(static_cast<int>(thread) % threads_inner * width),
          outer_(static_cast<int>(thread) / threads_inner),
          slice_stride_(tile_k * view.k_stride()),
          outer_stride_(outer_step * view.leading_dimension) {
        const int last_mn = valid_mn - width;
        const auto existing = [&](int mn) { return mn < last_mn ? mn : last_mn; };
        if constexpr (is_along_mn) {
            next_ = view.address(first_mn + existing(inner_), first_k + outer_);
#pragma unroll
            for (int i = 0; i < inner_passes; ++i)
                offsets_[i] = existing(inner_ + i * inner_step) - existing(inner_);
        } else {
            next_ = view.address(first_mn + existing(outer_), first_k + inner_);
            // Beyond the last row, the thread stays on the one that it has reached.
            advances_ = outer_ < valid_mn ? (valid_mn - 1 - outer_) / outer_step : 0;
        }
    }

    /// Starts the copies of the next slice, all of whose steps exist.
    __device__ void start(StageSlice<tile_mn, tile_k>& slice) {
        if (has_idle_threads && outer_ >= tile_outer) return;
        const float* from = next_;
        next_ += slice_stride_;
        // Further, and the compiler would keep all the addresses at once.
#pragma unroll 4
        for (int o = 0; o < outer_passes; ++o) {
            start_pass(slice, o, from, tile_k);
            advance(from, o);
        }
    }

    /// Starts the copies of the next slice, of which the first `steps` exist; in shared memory, anything may
    /// come after those. Passes across are not unrolled: with conditions, the compiler would work out every
    /// address anew.
    __device__ void start_short(StageSlice<tile_mn, tile_k>& slice, int steps) {
        const float* from = next_;
        next_ += slice_stride_;
#pragma unroll 1
        for (int o = 0; o < outer_passes; ++o) {
            if ((is_along_mn && outer_ + o * outer_step >= steps) ||
                (has_idle_threads && outer_ >= tile_outer))
                return;
            start_pass(slice, o, from, steps);
            advance(from, o);
        }
    }

  private:
    __device__ void start_pass(StageSlice<tile_mn, tile_k>& slice, int o, const float* from, int steps) {
        const int outer = outer_ + o * outer_step;
#pragma unroll
        for (int i = 0; i < inner_passes; ++i) {
            const int inner = inner_ + i * inner_step;
            if constexpr (is_along_mn) {
                copy_async<width * 4>(&slice.at[outer][inner], from + offsets_[i]);
            } else if (i * inner_step < steps) {
                // As with rows: the last step again, instead of those that do not exist.
                copy_async<width * 4>(&slice.at[inner][outer],
                                      from + (inner < steps ? inner : steps - 1) - inner_);
            }
        }
    }
    __device__ void advance(const float*& from, int o) const {
        if (is_along_mn || o < advances_) from += outer_stride_;
    }

    int inner_, outer_;          ///< of the thread's first element in the tile
    std::int64_t slice_stride_;  ///< elements from one slice to the next
    std::int64_t outer_stride_;  ///< elements from one pass across to the next
    const float* next_;          ///< the thread's first element of the next slice
    int offsets_[inner_passes];  ///< along mn: elements from there to those of the other passes
    int advances_ = 0;           ///< along k: passes after which another row follows
};

}  // namespace sgemm_shim
