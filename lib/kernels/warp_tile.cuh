// How the production kernels multiply: each warp owns a rectangle of the block's tile, each thread a
// rectangle of 4 x 4 squares in it, held in registers. Several warps may own the same rectangle and divide
// the steps of k: a larger rectangle for each warp takes fewer loads from shared memory and fewer
// instructions, where the tile is small. (Known as sliced-K.)
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "stage_copies.cuh"

namespace sgemm_shim {

/// Sizes in elements, unless they say otherwise. The lanes of a warp lie lanes_m x lanes_n; each holds
/// thread_m x thread_n elements as squares of 4 x 4, one square of each lane beside that of the next, so that
/// 16-byte loads of neighbouring lanes are neighbours.
template <int warps_along_m, int warps_along_n, int elements_m, int elements_n, int lanes_along_m = 8,
          int warps_along_k = 1>
struct WarpTiling {
    static constexpr int square = 4;
    static constexpr int warps_m = warps_along_m, warps_n = warps_along_n, warps_k = warps_along_k;
    static constexpr int thread_m = elements_m, thread_n = elements_n;
    static constexpr int lanes_m = lanes_along_m, lanes_n = 32 / lanes_m;
    static constexpr int warp_m = lanes_m * thread_m, warp_n = lanes_n * thread_n;
    static constexpr int tile_m = warps_m * warp_m, tile_n = warps_n * warp_n;
    static constexpr int rectangles = warps_m * warps_n;
    static constexpr int warps = rectangles * warps_k;
    static constexpr int threads = warps * 32;
    /// A thread's elements are runs of 4 along m. Where run number `run` begins, from the thread's place:
    static constexpr int runs_m = thread_m / square, runs = runs_m * thread_n;
    __device__ static constexpr int run_m(int run) { return run % runs_m * lanes_m * square; }
    __device__ static constexpr int run_n(int run) {
        const int j = run / runs_m;
        return j / square * lanes_n * square + j % square;
    }
    /// Of store_flipped(): the one for which ptxas leaves fewer multiply-adds that read two registers of a
    /// bank (19 or 20 of 256 instead of 23 or 24 in the largest tiles, and 24 instead of 26 in 128 x 128).
    static constexpr int flip = tile_m * tile_n > 128 * 128 ? 3 : 1;
    static_assert(thread_m % square == 0 && thread_n % square == 0 && (lanes_m == 8 || lanes_m == 4));
};

/// How the lanes are numbered along the longer side of their rectangle, of 8, and along the shorter one. The
/// 8 lanes that share a wavefront of a 16-byte load ask for 2 places along the longer side and 4 along the
/// shorter one: two wavefronts a load instead of four.
struct LaneNumbers {
    int of_8, of_4;

    __device__ explicit LaneNumbers(unsigned lane)
        : of_8(static_cast<int>(lane / 8 * 2 + lane % 2)), of_4(static_cast<int>(lane / 2 % 4)) {}
};

/// Where a thread's first square lies in the block's tile, and which share of the steps is its warp's.
template <class Tiling>
struct PlaceInTile {
    int m, n;
    int warp_m, warp_n;  ///< of the warp's rectangle
    int rectangle;       ///< its number
    int share_of_k;

    __device__ explicit PlaceInTile(unsigned thread) {
        const LaneNumbers lane(thread % 32);
        const int warp = static_cast<int>(thread / 32);
        rectangle = Tiling::warps_k == 1 ? warp : warp % Tiling::rectangles;
        share_of_k = Tiling::warps_k == 1 ? 0 : warp / Tiling::rectangles;
        warp_m = rectangle % Tiling::warps_m * Tiling::warp_m;
        warp_n = rectangle / Tiling::warps_m * Tiling::warp_n;
        m = warp_m + (Tiling::lanes_m == 8 ? lane.of_8 : lane.of_4) * Tiling::square;
        n = warp_n + (Tiling::lanes_m == 8 ? lane.of_4 : lane.of_8) * Tiling::square;
    }
};

/// The same run of every lane of a warp in shared memory, in 32 slots of 4 elements: a rectangle of C. Which
/// slot is whose keeps apart, in the banks, both the lanes that store or load a run each and those that load
/// neighbouring rows of a column.
template <class Tiling>
struct RunSlots {
    /// Of the lane with these numbers along m and along n.
    __device__ static int slot(int number_m, int number_n) {
        return Tiling::lanes_m == 8 ? number_n * 8 + (number_m ^ (2 * number_n))
                                    : number_n / 2 * 8 + number_m * 2 + number_n % 2;
    }
    __device__ static int slot_of(unsigned lane) {
        const LaneNumbers numbers(lane);
        return Tiling::lanes_m == 8 ? slot(numbers.of_8, numbers.of_4) : slot(numbers.of_4, numbers.of_8);
    }
};

/// What a thread needs of one step of k.
template <class Tiling>
struct Fragments {
    float a[Tiling::thread_m];
    float b[Tiling::thread_n];

    /// `row_a` and `row_b` point to the thread's place in the step's rows.
    __device__ void load(const float* row_a, const float* row_b) {
        load<Tiling::thread_m, Tiling::lanes_m>(a, row_a);
        load<Tiling::thread_n, Tiling::lanes_n>(b, row_b);
    }

  private:
    template <int count, int lanes>
    __device__ static void load(float* fragment, const float* from) {
#pragma unroll
        for (int s = 0; s < count / Tiling::square; ++s) {
            const float4 vector = load_vector(from + s * lanes * Tiling::square);
            fragment[s * 4 + 0] = vector.x;
            fragment[s * 4 + 1] = vector.y;
            fragment[s * 4 + 2] = vector.z;
            fragment[s * 4 + 3] = vector.w;
        }
    }
};

/// A thread's elements of C, before alpha and beta.
template <class Tiling>
class ThreadSums {
  public:
    /// The 4 elements of a run. Every `run` must be known to the compiler.
    __device__ const float* run(int run) const {
        return &at_[run / Tiling::runs_m][run % Tiling::runs_m * Tiling::square];
    }

    /// Adds the product of one step of k.
    ///
    /// The order of the products is what the register file likes: back and forth along m, so that each
    /// product shares one factor with the one before, which then comes from the operand cache instead of a
    /// register bank. The compiler takes the order of whole rows as advice only.
    __device__ void multiply_add(const Fragments<Tiling>& step) {
#pragma unroll
        for (int j = 0; j < Tiling::thread_n; ++j) {
#pragma unroll
            for (int turn = 0; turn < Tiling::thread_m; ++turn) {
                const int i = j % 2 == 0 ? turn : Tiling::thread_m - 1 - turn;
                at_[j][i] = fused_multiply_add(step.a[i], step.b[j], at_[j][i]);
            }
        }
    }

  private:
    float at_[Tiling::thread_n][Tiling::thread_m] = {};
};

}  // namespace sgemm_shim
