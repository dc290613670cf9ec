// How the production kernels bring an operand into shared memory: asynchronous copies, started by warps that
// do nothing else.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim {

/// One slice, [k][mn]. With 4 floats between the rows, a warp that writes 8 steps of k of 4 neighbours, or 2
/// steps, 4 apart, of 16 neighbours, as it does to transpose what is contiguous along k, meets every bank
/// once; and rows stay on 16 bytes.
template <int tile_mn, int tile_k>
struct StageSlice {
    static constexpr int row_length = tile_mn + 4;
    alignas(16) float at[tile_k][row_length];
};

/// How an operand is copied.
enum class CopyWay {
    single,  ///< by single floats: serves any address, and transposes what is contiguous along k on the way
    wide,    ///< 16 bytes at a time, which then have to be transposed in place if they are contiguous along k
};

template <Major major>
__device__ inline bool allows_wide_copies(const OperandView<major>& view) {
    return has_aligned_columns(view.base, view.leading_dimension);
}

/// How many bytes of 16 exist, where `floats` exist from their beginning on (none, or more than 4, too).
__device__ inline int bytes_of_vector(int floats) {
    return floats <= 0 ? 0 : floats < 4 ? floats * 4 : 16;
}

/// One thread's share of an operand's slices. The threads lie as a rectangle over the operand as it is in
/// memory: `inner` along the contiguous dimension, `outer` across it.
template <Major major, int tile_mn, int tile_k, int threads, CopyWay way>
class SliceCopies {
    static constexpr int width = way == CopyWay::wide ? 4 : 1;  ///< floats of a copy
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
    /// Whether the slices still have to be transposed when they have landed.
    static constexpr bool needs_transposition = false;

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
    /// Called by whole warps when the warp's copies into the slice have landed.
    __device__ void transpose(StageSlice<tile_mn, tile_k>&) const {}

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

/// What is contiguous along k, 16 bytes at a time.
///
/// A copy of 4 bytes costs a multiprocessor as much as one of 16, so transposing on the way costs four times
/// the copies. Here a warp copies squares of 16 steps of k of 16 neighbours: each row's 64 bytes by 4 lanes,
/// 8 rows with one instruction. They land within the very square of the slice that the transposed floats will
/// fill, so that a warp which has waited for its own copies needs no other one to turn them around.
///
/// In the square, a row of the slice has place for 4 vectors. Column c is for those of the neighbours 4c to
/// 4c + 3: the first 8 steps of k in the upper 8 rows, the others in the lower ones. In which of the 8 rows
/// a vector lies is chosen so that the 8 lanes that are served at the same time lie in different ones, and so
/// in different banks, both when they are copied (4 vectors of 2 neighbours) and when they are loaded (2
/// vectors of 4 neighbours).
template <int tile_mn, int tile_k, int threads>
class SliceCopies<Major::k, tile_mn, tile_k, threads, CopyWay::wide> {
    static constexpr int side = 16;  ///< of a square
    static constexpr int warps = threads / 32;
    static constexpr int squares = tile_mn / side;
    static constexpr int passes = (squares + warps - 1) / warps;
    /// Squares that a warp has in its registers at the same time: loads take their time, whatever their
    /// number. Producers that are a whole warpgroup have given their registers away.
    static constexpr int passes_at_once = passes < 2 || threads >= 128 ? 1 : 2;
    static_assert(tile_k == side && tile_mn % side == 0 && threads % 32 == 0);
    static_assert(passes % passes_at_once == 0);
    /// Warps beyond a small tile have nothing to do.
    static constexpr bool has_idle_warps = squares < warps;
    static_assert(has_idle_warps || squares % warps == 0);

    using Slice = StageSlice<tile_mn, tile_k>;

  public:
    static constexpr bool needs_transposition = true;

    __device__ SliceCopies(const OperandView<Major::k>& view, std::int64_t first_mn, int valid_mn,
                           std::int64_t first_k, unsigned thread)
        : lane_(static_cast<int>(thread) % 32),
          first_square_(static_cast<int>(thread) / 32),
          valid_mn_(valid_mn),
          half_stride_(side / 2 * view.leading_dimension),
          next_(view.address(first_mn + first_square_ * side + lane_ / 4, first_k + lane_ % 4 * 4)) {}

    __device__ void start_whole(Slice& slice) { start<false>(slice, tile_k); }
    /// As in the other ways, but steps past `valid_k` become zero too.
    __device__ void start_partial(Slice& slice, int valid_k) { start<true>(slice, valid_k); }

    __device__ void transpose(Slice& slice) const {
        if (has_idle_warps && first_square_ >= squares) return;
        constexpr int row_length = Slice::row_length;
        const float* from[2];
#pragma unroll
        for (int upper = 0; upper < 2; ++upper) from[upper] = place(slice, 2 * upper + lane_ % 2, lane_ / 2);
        float* to = &slice.at[lane_ % 2 * 4][first_square_ * side + lane_ / 2];
#pragma unroll 1
        for (int pass = 0; pass < passes; pass += passes_at_once) {
            float4 vectors[passes_at_once][2];
#pragma unroll
            for (int i = 0; i < passes_at_once; ++i) {
#pragma unroll
                for (int upper = 0; upper < 2; ++upper)
                    vectors[i][upper] = load_vector(from[upper] + i * (warps * side));
            }
            // Other lanes' vectors lie where this one's floats go.
            synchronize_warp();
#pragma unroll
            for (int i = 0; i < passes_at_once; ++i) {
#pragma unroll
                for (int upper = 0; upper < 2; ++upper) {
                    float* const first = to + i * (warps * side) + upper * (side / 2 * row_length);
                    first[0] = vectors[i][upper].x;
                    first[row_length] = vectors[i][upper].y;
                    first[2 * row_length] = vectors[i][upper].z;
                    first[3 * row_length] = vectors[i][upper].w;
                }
            }
#pragma unroll
            for (int upper = 0; upper < 2; ++upper) from[upper] += passes_at_once * (warps * side);
            to += passes_at_once * (warps * side);
        }
    }

  private:
    /// Where vector `k` (steps 4k to 4k + 3) of neighbour `mn` lies before it is transposed, in the warp's
    /// first square.
    __device__ float* place(Slice& slice, int k, int mn) const {
        const int half = k / 2;
        const int row = k % 2 + 2 * (half ^ (mn / 2 % 2)) + 4 * (mn % 2);
        return &slice.at[half * 8 + row][first_square_ * side + mn / 4 * 4];
    }

    template <bool is_partial>
    __device__ void start(Slice& slice, int valid_k) {
        const float* from = next_;
        next_ += tile_k;
        if (has_idle_warps && first_square_ >= squares) return;
        float* to = place(slice, lane_ % 4, lane_ / 4);
        int rows = valid_mn_ - (first_square_ * side + lane_ / 4);  // from the copy's on
        [[maybe_unused]] const int bytes = bytes_of_vector(valid_k - lane_ % 4 * 4);
        // Further, and the compiler would keep all the addresses at once.
#pragma unroll 2
        for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                if constexpr (is_partial)
                    copy_async<16>(to + half * (side / 2), from, rows > half * (side / 2) ? bytes : 0);
                else
                    copy_async<16>(to + half * (side / 2), from);
                from += half_stride_;
            }
            from += (warps - 1) * 2 * half_stride_;
            to += warps * side;
            rows -= warps * side;
        }
    }

    int lane_;
    int first_square_;  ///< along mn
    int valid_mn_;
    std::int64_t half_stride_;  ///< elements from a square's first half of neighbours to the second
    const float* next_;         ///< of the thread's first vector
};

}  // namespace sgemm_shim
