// How the pipelines write C: from the sums in the consumers' registers through shared memory, where those of
// a cluster's blocks meet and neighbouring lanes find neighbouring elements.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "warp_tile.cuh"
#include "write_four.cuh"

namespace sgemm_shim::tile_pipeline {

/// Where a tile goes.
class TileWriter {
  public:
    __device__ TileWriter(const GemmArguments& arguments, const Epilogue& epilogue,
                          const TilePosition& position)
        : arguments_(arguments),
          epilogue_(epilogue),
          position_(position),
          c_(matrix_c(arguments, position.batch)),
          takes_vectors_(has_aligned_columns(c_, arguments.c.leading_dimension)) {}

    /// Whether columns of C begin on 16 bytes.
    __device__ bool takes_vectors() const { return takes_vectors_; }

    __device__ bool exists(int m, int n) const {
        return position_.m + m < arguments_.m && position_.n + n < arguments_.n;
    }
    /// 4 elements from (m, n) of the tile on, of which the first exists; where C takes vectors.
    __device__ void write_run(int m, int n, const float* sums) const {
        write_four(epilogue_, address(m, n), position_.m + m, arguments_.m, sums, true);
    }
    /// The element at (m, n) of the tile, if it exists.
    __device__ void write(int m, int n, float sum) const {
        if (exists(m, n)) epilogue_.update(address(m, n), sum);
    }

  private:
    __device__ float* address(int m, int n) const {
        return c_ + position_.m + m + (position_.n + n) * arguments_.c.leading_dimension;
    }

    const GemmArguments& arguments_;
    const Epilogue& epilogue_;
    const TilePosition& position_;
    float* c_;
    bool takes_vectors_;
};

/// Stores a run of 4 sums for write-out. Neighbours change places in the vector, which is what puts a sum
/// into the register bank that the element of A beside it is not in: both come in vectors, whose first
/// register is an even one, and a multiply-add that reads two registers of one bank takes two cycles instead
/// of one.
__device__ inline void store_swapped(float* to, const float* elements) {
    store_vector(to, float4{elements[1], elements[0], elements[3], elements[2]});
}
__device__ inline void add_swapped(float (&total)[4], const float* from) {
    const float4 part = load_vector(from);
    total[0] += part.y;
    total[1] += part.x;
    total[2] += part.w;
    total[3] += part.z;
}

/// Writes the same run of every lane of a warp, which lies in shared memory as store_swapped() leaves it in
/// the lanes' slots. With `ranks` blocks in the cluster, it is the sum of theirs.
template <class Tiling>
__device__ inline void write_run_of_warp(const TileWriter& writer, float (&sums)[32][Tiling::square], int run,
                                         unsigned ranks, unsigned lane, const PlaceInTile<Tiling>& place) {
    constexpr int square = Tiling::square;
    using Slots = RunSlots<Tiling>;
    float(&own)[square] = sums[Slots::slot_of(lane)];
    if (ranks > 1 || writer.takes_vectors()) {
        const int m = place.m + Tiling::run_m(run);
        const int n = place.n + Tiling::run_n(run);
        const bool exists = writer.exists(m, n);
        float total[square] = {};
        if (exists) {
            for (unsigned rank = 0; rank < ranks; ++rank)
                add_swapped(total, ranks == 1 ? own : remote_shared(&own[0], rank));
        }
        if (writer.takes_vectors()) {
            if (exists) writer.write_run(m, n, total);
            return;
        }
        store_swapped(own, total);  // no other block reads this run
        synchronize_warp();
    }
    // Vectors off their alignment, or shifted onto it, touch the same sectors of 32 bytes several times.
    // Lanes along a column touch each of them once, but for the two at the ends.
    constexpr int rows = Tiling::lanes_m * square;
    constexpr int columns_at_once = 32 / rows;
    const int row = static_cast<int>(lane) % rows;
#pragma unroll
    for (int i = 0; i < Tiling::lanes_n; i += columns_at_once) {
        const int number_n = i + static_cast<int>(lane) / rows;
        const float(&slot)[square] = sums[Slots::slot(row / square, number_n)];
        writer.write(place.warp_m + Tiling::run_m(run) + row,
                     place.warp_n + number_n * square + Tiling::run_n(run), slot[row % square ^ 1]);
    }
}

/// Writes runs `first` and after, which the warp's threads have put into `own`, as store_swapped() leaves
/// them.
template <class Shape>
__device__ inline void write_some(const TileWriter& writer,
                                  float (&own)[Shape::runs_at_once][32][Shape::Tiling::square], int first,
                                  unsigned lane, const PlaceInTile<typename Shape::Tiling>& place) {
    synchronize_warp();
    // Unrolled, the sums' registers would be chosen for this loop instead of the one over k.
#pragma unroll 1
    for (int i = 0; i < Shape::runs_at_once; ++i)
        write_run_of_warp(writer, own[i], first + i, 1, lane, place);
    synchronize_warp();
}

/// Writes the tile of a block that has all its sums.
template <class Shape>
__device__ inline void write_alone(const ThreadSums<typename Shape::Tiling>& sums, const TileWriter& writer,
                                   typename Shape::SomeSums& some, unsigned thread,
                                   const PlaceInTile<typename Shape::Tiling>& place) {
    auto& own = some.at[thread / 32];
    const int slot = RunSlots<typename Shape::Tiling>::slot_of(thread % 32);
#pragma unroll
    for (int first = 0; first < Shape::Tiling::runs; first += Shape::runs_at_once) {
#pragma unroll
        for (int i = 0; i < Shape::runs_at_once; ++i) store_swapped(own[i][slot], sums.run(first + i));
        write_some<Shape>(writer, own, first, thread % 32, place);
    }
}

/// Adds up the cluster's sums of a tile and writes this block's share of it.
template <class Shape>
__device__ inline void write_share(const TileWriter& writer, typename Shape::Sums& sums, unsigned thread,
                                   const PlaceInTile<typename Shape::Tiling>& place) {
    for (unsigned run = cluster_rank(); run < Shape::Tiling::runs; run += cluster_size())
        write_run_of_warp(writer, sums.at[thread / 32][run], static_cast<int>(run), cluster_size(),
                          thread % 32, place);
}

}  // namespace sgemm_shim::tile_pipeline
