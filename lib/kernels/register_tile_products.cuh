// What a thread of the register tiles does: which elements of C and which part of k are its own, and the sums
// of their products. The idea is told in register_tile.cuh.
#pragma once

#include <type_traits>

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim::register_tile {

constexpr int warps = 4;
constexpr int threads = warps * 32;
constexpr int steps = 4;  ///< of k that a thread reads at once

/// Lanes of a warp and warps of a block along m and k (the rest lies along n), and a thread's elements. A
/// thread with few of those has registers left to read several rounds of k before it multiplies: where one
/// operand is nearly all there is to read, what is on its way at the same time decides.
template <int lanes_along_m, int lanes_along_k, int warps_along_m, int warps_along_k, int elements_m,
          int elements_n, int blocks, int rounds = 1>
struct Shape {
    /// The shape for operands of these majors; see ByMajorOfA.
    template <Major major_a, Major major_b>
    using For = Shape;

    static constexpr int lanes_m = lanes_along_m, lanes_k = lanes_along_k, lanes_n = 32 / lanes_m / lanes_k;
    static constexpr int warps_m = warps_along_m, warps_k = warps_along_k,
                         warps_n = warps / warps_m / warps_k;
    static constexpr int thread_m = elements_m, thread_n = elements_n;
    static constexpr int tile_m = warps_m * lanes_m * thread_m, tile_n = warps_n * lanes_n * thread_n;
    static constexpr int round_k = warps_k * lanes_k * steps;  ///< steps of k that a block reads at once
    static constexpr int blocks_per_multiprocessor = blocks;
    static constexpr int rounds_at_once = rounds;
    static_assert(lanes_m * lanes_n * lanes_k == 32 && warps_m * warps_n * warps_k == warps);
};

/// Two shapes with the same tile, so that the rest of the library sees one kernel.
template <class OfMn, class OfK>
struct SameTile {
    static constexpr int tile_m = OfK::tile_m, tile_n = OfK::tile_n;
    static constexpr int round_k = OfK::round_k;
    static constexpr int blocks_per_multiprocessor = OfK::blocks_per_multiprocessor;
    static_assert(OfMn::tile_m == tile_m && OfMn::tile_n == tile_n && OfMn::round_k == round_k &&
                  OfMn::blocks_per_multiprocessor == blocks_per_multiprocessor);
};

/// The lanes of a warp lie on a large operand as it is contiguous: one shape for where that is along m (A) or
/// n (B), another for along k.
template <class OfMn, class OfK>
struct ByMajorOfA : SameTile<OfMn, OfK> {
    template <Major major_a, Major major_b>
    using For = std::conditional_t<major_a == Major::mn, OfMn, OfK>;
};
template <class OfMn, class OfK>
struct ByMajorOfB : SameTile<OfMn, OfK> {
    template <Major major_a, Major major_b>
    using For = std::conditional_t<major_b == Major::mn, OfMn, OfK>;
};

/// Where a thread stands in its block, in units of threads.
template <class Shape>
struct Place {
    int m, n;
    int lane_k, warp_k;

    __device__ explicit Place(unsigned thread) {
        const int lane = static_cast<int>(thread % 32);
        const int warp = static_cast<int>(thread / 32);
        lane_k = lane % Shape::lanes_k;
        const int lane_mn = lane / Shape::lanes_k;
        warp_k = warp % Shape::warps_k;
        const int warp_mn = warp / Shape::warps_k;
        m = warp_mn % Shape::warps_m * Shape::lanes_m + lane_mn % Shape::lanes_m;
        n = warp_mn / Shape::warps_m * Shape::lanes_n + lane_mn / Shape::lanes_m;
    }
};

/// A thread's `count` rows of op(A) or columns of op(B). Either neighbours, which can be 16 bytes of memory,
/// or `stride` apart, so that neighbouring lanes lie on neighbouring addresses. Those past the end of the
/// operand repeat the last one: what they are multiplied into is not written.
template <Major major, int count>
class Lines {
  public:
    __device__ Lines(const OperandView<major>& view, std::int64_t first, int stride, std::int64_t limit)
        : view_(view), first_(first) {
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const std::int64_t index = first + i * stride;
            index_[i] = index < limit ? index : limit - 1;
        }
        is_vector_ = major == Major::mn && count % 4 == 0 && stride == 1 && first + count <= limit &&
                     first % 4 == 0 && is_vector_aligned(view.base) && view.leading_dimension % 4 == 0;
    }

    /// `is_vector` says that the lines are neighbours of which every four are 16 bytes of memory.
    __device__ void load_step(float (&values)[count], std::int64_t k, bool is_vector) const {
        if constexpr (major == Major::mn && count % 4 == 0) {
            if (is_vector) {
#pragma unroll
                for (int i = 0; i < count; i += 4) {
                    const float4 vector = load_vector(view_.address(first_ + i, k));
                    values[i + 0] = vector.x;
                    values[i + 1] = vector.y;
                    values[i + 2] = vector.z;
                    values[i + 3] = vector.w;
                }
                return;
            }
        }
#pragma unroll
        for (int i = 0; i < count; ++i) values[i] = *view_.address(index_[i], k);
    }

    /// Four neighbouring steps; `are_vectors` says that they are 16 bytes of memory.
    __device__ void load_steps(float (&values)[steps][count], std::int64_t k, int stride_k,
                               bool are_vectors) const {
        if (major == Major::k && are_vectors) {
#pragma unroll
            for (int i = 0; i < count; ++i) {
                const float4 vector = load_vector(view_.address(index_[i], k));
                values[0][i] = vector.x;
                values[1][i] = vector.y;
                values[2][i] = vector.z;
                values[3][i] = vector.w;
            }
            return;
        }
#pragma unroll
        for (int step = 0; step < steps; ++step) load_step(values[step], k + step * stride_k, is_vector_);
    }

    /// Whether load_vectors() may be called, if that is all right along k.
    __device__ bool is_vector() const {
        return major == Major::k || count % 4 != 0 || is_vector_;
    }

    /// Four neighbouring steps, 16 bytes at a time where the operand is contiguous. Asks nothing, so that
    /// several of these can be under way before the first value arrives.
    __device__ void load_vectors(float (&values)[steps][count], std::int64_t k) const {
        if constexpr (major == Major::k) {
            load_steps(values, k, 1, true);
        } else {
#pragma unroll
            for (int step = 0; step < steps; ++step) load_step(values[step], k + step, true);
        }
    }

    /// The same for the steps before `end`; the others are 0.
    __device__ void load_some(float (&values)[steps][count], std::int64_t k, int stride_k,
                              std::int64_t end) const {
#pragma unroll
        for (int step = 0; step < steps; ++step) {
            if (k + step * stride_k < end) {
                load_step(values[step], k + step * stride_k, is_vector_);
            } else {
#pragma unroll
                for (int i = 0; i < count; ++i) values[step][i] = 0.0f;
            }
        }
    }

  private:
    OperandView<major> view_;
    std::int64_t first_;
    std::int64_t index_[count];
    bool is_vector_;
};

template <class Shape>
using Sums = float[Shape::thread_n][Shape::thread_m];  // as in C

/// The part of k of one block of the cluster. Whole rounds, except at the very end.
struct PartOfK {
    std::int64_t begin, end;

    __device__ PartOfK(std::int64_t k, int round_k, unsigned rank, unsigned ranks) : begin(0), end(k) {
        if (ranks == 1) return;
        const std::int64_t rounds = (k + round_k - 1) / round_k;
        const std::int64_t share = (rounds + ranks - 1) / ranks * round_k;
        begin = rank * share < k ? rank * share : k;
        end = begin + share < k ? begin + share : k;
    }
};

template <class Shape, Major major_a, Major major_b>
__device__ inline void add_products(Sums<Shape>& sums, const GemmArguments& arguments,
                                    const TilePosition& position, const PartOfK& part,
                                    const Place<Shape>& place, std::int64_t m, int stride_m, std::int64_t n) {
    const auto view_a = view_of_a<major_a>(arguments, position.batch);
    const auto view_b = view_of_b<major_b>(arguments, position.batch);
    const Lines<major_a, Shape::thread_m> rows(view_a, m, stride_m, arguments.m);
    const Lines<major_b, Shape::thread_n> columns(view_b, n, 1, arguments.n);

    // A lane's steps are neighbours, and 16 bytes, or lie a lane apart.
    const auto allows_vectors = [](const auto& view) {
        return is_vector_aligned(view.base) && view.leading_dimension % 4 == 0;
    };
    const bool are_vectors =
        (major_a != Major::k || allows_vectors(view_a)) && (major_b != Major::k || allows_vectors(view_b));
    const int stride_k = are_vectors ? 1 : Shape::lanes_k;
    std::int64_t k =
        part.begin + (place.warp_k * Shape::lanes_k) * steps + place.lane_k * (are_vectors ? steps : 1);

    const auto multiply_add = [&](const float(&a)[steps][Shape::thread_m],
                                  const float(&b)[steps][Shape::thread_n]) {
#pragma unroll
        for (int step = 0; step < steps; ++step) {
#pragma unroll
            for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
                for (int i = 0; i < Shape::thread_m; ++i)
                    sums[j][i] = fused_multiply_add(a[step][i], b[step][j], sums[j][i]);
            }
        }
    };
    if constexpr (Shape::rounds_at_once > 1) {
        constexpr int rounds = Shape::rounds_at_once;
        if (are_vectors && rows.is_vector() && columns.is_vector()) {
            // Added up in the order in which the loop below would do it.
            float a[rounds][steps][Shape::thread_m], b[rounds][steps][Shape::thread_n];
            for (; k + (rounds - 1) * Shape::round_k + (steps - 1) < part.end; k += rounds * Shape::round_k) {
#pragma unroll
                for (int round = 0; round < rounds; ++round) {
                    rows.load_vectors(a[round], k + round * Shape::round_k);
                    columns.load_vectors(b[round], k + round * Shape::round_k);
                }
#pragma unroll
                for (int round = 0; round < rounds; ++round) multiply_add(a[round], b[round]);
            }
        }
    }
    float a[steps][Shape::thread_m], b[steps][Shape::thread_n];
    for (; k + (steps - 1) * stride_k < part.end; k += Shape::round_k) {
        rows.load_steps(a, k, stride_k, are_vectors);
        columns.load_steps(b, k, stride_k, are_vectors);
        multiply_add(a, b);
    }
    if (k < part.end) {
        rows.load_some(a, k, stride_k, part.end);
        columns.load_some(b, k, stride_k, part.end);
        multiply_add(a, b);
    }
}

/// Adds the sums of the lanes that lie along k; afterwards, each of them has the total.
template <class Shape>
__device__ inline void add_up_lanes(Sums<Shape>& sums) {
#pragma unroll
    for (int distance = 1; distance < Shape::lanes_k; distance *= 2) {
#pragma unroll
        for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
            for (int i = 0; i < Shape::thread_m; ++i)
                sums[j][i] += shuffle_xor(sums[j][i], static_cast<unsigned>(distance));
        }
    }
}

}  // namespace sgemm_shim::register_tile
