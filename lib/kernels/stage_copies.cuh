// How the production kernels bring an operand into shared memory, by warps that do nothing else: asynchronous
// copies; or, of what is contiguous along k and lies on 16 bytes, loads of four steps at a time, which are
// transposed on their way from registers to shared memory.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim {

/// One slice, [k][mn]. With 4 floats between the rows, a warp that copies 8 steps of k of 4 neighbours, as
/// it does for operands that are contiguous along k, meets every bank once, if the steps are in their natural
/// order; and rows stay on 16 bytes.
template <int tile_mn, int tile_k>
struct StageSlice {
    static constexpr int row_length = tile_mn + 4;
    alignas(16) float at[tile_k][row_length];
};

/// Which row of a slice holds which step of k: the consumers take the rows as they come.
struct NaturalOrder {
    __device__ static constexpr int row_of(int step) { return step; }
};
/// For slices of 16 steps: an order in which a warp that stores one step of each of 4 quadruples, of 8
/// neighbours along mn, meets every bank once. (Rows begin 4 banks after each other, so that the quadruples
/// must be 2 rows apart.) Copies of single floats, of 8 steps of 4 neighbours, meet two to a bank here.
struct TransposedOrder {
    static constexpr int steps = 16, quads = steps / 4;

    /// It exchanges bits of the number: row_of(x + y) = row_of(x) + row_of(y) if they have none in common.
    __device__ static constexpr int row_of(int step) { return step / 4 * 2 + step % 2 + step % 4 / 2 * 8; }
};

/// Whether `valid_mn` rows or columns of an operand can be read 16 bytes at a time: where their addresses
/// allow it, and along mn none of the copies would reach past the last one. Asynchronous copies of single
/// floats serve any address, and transpose what is contiguous along k on the way.
template <Major major>
__device__ inline bool allows_wide_copies(const OperandView<major>& view, int valid_mn) {
    return (major == Major::k || valid_mn % 4 == 0) && has_aligned_columns(view.base, view.leading_dimension);
}

/// One thread's share of an operand's slices, by asynchronous copies. The threads lie as a rectangle over the
/// operand as it is in memory: `inner` along the contiguous dimension, `outer` across it. Each copies `width`
/// floats at a time.
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
    template <class Order>
    __device__ void start(StageSlice<tile_mn, tile_k>& slice) {
        if (has_idle_threads && outer_ >= tile_outer) return;
        const float* from = next_;
        next_ += slice_stride_;
        // Further, and the compiler would keep all the addresses at once.
#pragma unroll 4
        for (int o = 0; o < outer_passes; ++o) {
            start_pass<Order>(slice, o, from, tile_k);
            advance(from, o);
        }
    }

    /// Starts the copies of the next slice, of which the first `steps` exist; in shared memory, anything may
    /// come after those, so that their order is the natural one. Passes across are not unrolled: with
    /// conditions, the compiler would work out every address anew.
    __device__ void start_short(StageSlice<tile_mn, tile_k>& slice, int steps) {
        const float* from = next_;
        next_ += slice_stride_;
#pragma unroll 1
        for (int o = 0; o < outer_passes; ++o) {
            if ((is_along_mn && outer_ + o * outer_step >= steps) ||
                (has_idle_threads && outer_ >= tile_outer))
                return;
            start_pass<NaturalOrder>(slice, o, from, steps);
            advance(from, o);
        }
    }

  private:
    template <class Order>
    __device__ void start_pass(StageSlice<tile_mn, tile_k>& slice, int o, const float* from, int steps) {
        const int outer = outer_ + o * outer_step;
#pragma unroll
        for (int i = 0; i < inner_passes; ++i) {
            const int inner = inner_ + i * inner_step;
            if constexpr (is_along_mn) {
                const int row = Order::row_of(outer_) + Order::row_of(o * outer_step);
                copy_async<width * 4>(&slice.at[row][inner], from + offsets_[i]);
            } else if (i * inner_step < steps) {
                const int row = Order::row_of(inner_) + Order::row_of(i * inner_step);
                // As with rows: the last step again, instead of those that do not exist.
                copy_async<width * 4>(&slice.at[row][outer],
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

/// One thread's share of the whole slices of an operand that is contiguous along k and lies on 16 bytes,
/// through registers.
///
/// An asynchronous copy of 4 bytes takes a multiprocessor of an H200 7.4 cycles a warp, wherever its lanes
/// point: a slice of two operands that lie along k takes as long to copy as to multiply. Four times that for
/// what is loaded and stored here in 15 to 17. But a thread waits for its loads, and has registers for a few.
template <int tile_mn, int tile_k, int threads>
class TransposingLoads {
    using Order = TransposedOrder;
    static constexpr int rows_at_once = threads / Order::quads;

  public:
    static constexpr int passes = tile_mn / rows_at_once;
    static_assert(tile_k == Order::steps && passes * rows_at_once == tile_mn &&
                  rows_at_once * Order::quads == threads);

    /// As those of SliceCopies.
    __device__ TransposingLoads(const OperandView<Major::k>& view, std::int64_t first_mn, int valid_mn,
                                std::int64_t first_k, unsigned thread)
        : row_(static_cast<int>(thread) / Order::quads),
          first_(static_cast<int>(thread) % Order::quads * 4),
          row_stride_(rows_at_once * view.leading_dimension),
          next_(view.address(first_mn + (row_ < valid_mn ? row_ : valid_mn - 1), first_k + first_)),
          advances_(row_ < valid_mn ? (valid_mn - 1 - row_) / rows_at_once : 0) {}

    /// The next pass over the next slice. The first one begins it.
    __device__ float4 load(int pass) {
        if (pass == 0) {
            from_ = next_;
            next_ += tile_k;
        }
        assume_global(from_);
        const float4 steps = load_vector(from_);
        // As with SliceCopies: the last row again, instead of those that do not exist.
        if (pass < advances_) from_ += row_stride_;
        return steps;
    }
    __device__ void store(StageSlice<tile_mn, tile_k>& slice, int pass, const float4& steps) const {
        float* const first = &slice.at[Order::row_of(first_)][row_ + pass * rows_at_once];
        constexpr int row_length = StageSlice<tile_mn, tile_k>::row_length;
        first[Order::row_of(0) * row_length] = steps.x;
        first[Order::row_of(1) * row_length] = steps.y;
        first[Order::row_of(2) * row_length] = steps.z;
        first[Order::row_of(3) * row_length] = steps.w;
    }

  private:
    int row_, first_;          ///< the first row of the thread's, and its first step of each slice
    std::int64_t row_stride_;  ///< elements from one pass to the next
    const float* next_;        ///< the thread's first element of the next slice
    const float* from_ = nullptr;
    int advances_;  ///< passes after which another row follows
};

}  // namespace sgemm_shim
