// How the pipelines write C: from the sums in the consumers' registers through shared memory, where those of
// a cluster's blocks meet and neighbouring lanes find neighbouring elements.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "warp_tile.cuh"
#include "write_four.cuh"

namespace sgemm_shim::tile_pipeline {

/// The block's named barriers: 0 is the whole block's, this one the consumers', and the others the ring's.
constexpr unsigned consumers_barrier = 1;

/// Where a tile goes. Rows and columns are the tile's.
class TileWriter {
  public:
    __device__ TileWriter(const GemmArguments& arguments, const Epilogue& epilogue,
                          const TilePosition& position)
        : epilogue_(epilogue),
          first_(matrix_c(arguments, position.batch) + position.m +
                 position.n * arguments.c.leading_dimension),
          leading_dimension_(arguments.c.leading_dimension),
          rows_(existing(arguments.m - position.m)),
          columns_(existing(arguments.n - position.n)),
          takes_vectors_(has_aligned_columns(first_, leading_dimension_)) {}

    /// Whether columns of C begin on 16 bytes.
    __device__ bool takes_vectors() const { return takes_vectors_; }

    /// Whether write_registers() may be called: all of the tile exists, in columns that begin on 16 bytes,
    /// and there is a product, to which nothing is added.
    template <class Tiling>
    __device__ bool takes_registers() const {
        return takes_vectors_ && exists(Tiling::tile_m - 1, Tiling::tile_n - 1) && epilogue_.has_product() &&
               !epilogue_.reads_c();
    }
    /// Writes a thread's sums as they are in its registers. What is stored is the result of a multiplication,
    /// so that the registers of the sums remain those that the loop over k wants.
    template <class Tiling>
    __device__ void write_registers(const ThreadSums<Tiling>& sums, const PlaceInTile<Tiling>& place) const {
        float* const first = address(place.m, place.n);
#pragma unroll
        for (int run = 0; run < Tiling::runs; ++run) {
            const float* const own = sums.run(run);
            store_global_vector(first + Tiling::run_m(run) + Tiling::run_n(run) * leading_dimension_,
                                float4{epilogue_.apply_product(own[0]), epilogue_.apply_product(own[1]),
                                       epilogue_.apply_product(own[2]), epilogue_.apply_product(own[3])});
        }
    }

    __device__ bool exists(int m, int n) const {
        return m < rows_ && n < columns_;
    }
    /// 4 elements from (m, n) on, of which the first exists; where C takes vectors.
    __device__ void write_run(int m, int n, const float* sums) const {
        write_four(epilogue_, address(m, n), m, rows_, sums, true);
    }
    /// The element at (m, n), if it exists.
    __device__ void write(int m, int n, float sum) const {
        if (exists(m, n)) epilogue_.update(address(m, n), sum);
    }

  private:
    __device__ float* address(int m, int n) const {
        return first_ + m + n * leading_dimension_;
    }
    /// What is behind the tile does not count.
    __device__ static int existing(std::int64_t left) {
        constexpr int plenty = 1 << 30;
        return left < plenty ? static_cast<int>(left) : plenty;
    }

    const Epilogue& epilogue_;
    float* first_;
    std::int64_t leading_dimension_;
    int rows_, columns_;
    bool takes_vectors_;
};

/// Stores a run of 4 sums for write-out: element i at place i ^ flip. An odd `flip` is what puts a sum into
/// the register bank that the element of A beside it is not in: both come in vectors, whose first register is
/// an even one, and a multiply-add that reads two registers of one bank takes two cycles instead of one.
template <int flip>
__device__ inline void store_flipped(float* to, const float* elements) {
    store_vector(to, float4{elements[0 ^ flip], elements[1 ^ flip], elements[2 ^ flip], elements[3 ^ flip]});
}
template <int flip>
__device__ inline void add_flipped(float (&total)[4], const float* from) {
    const float4 part = load_vector(from);
    total[0 ^ flip] += part.x;
    total[1 ^ flip] += part.y;
    total[2 ^ flip] += part.z;
    total[3 ^ flip] += part.w;
}
/// The same of the sum of a block's `parts`, each `stride` floats after the one before.
template <int flip, int parts, int stride>
__device__ inline void add_parts(float (&total)[4], const float* from) {
    if constexpr (parts == 1) {
        add_flipped<flip>(total, from);
    } else {
        float sum[4] = {};
#pragma unroll
        for (int part = 0; part < parts; ++part) add_flipped<flip>(sum, from + part * stride);
#pragma unroll
        for (int i = 0; i < 4; ++i) total[i] += sum[i];
    }
}

/// Writes the same run of every lane of a warp, which lies in shared memory as store_flipped() leaves it in
/// the lanes' slots. It is the sum of those of `parts` warps, which lie `part_stride` floats apart, in each
/// of the cluster's `ranks` blocks.
template <class Tiling, int parts = 1, int part_stride = 0>
__device__ inline void write_run_of_warp(const TileWriter& writer, float (&sums)[32][Tiling::square], int run,
                                         unsigned ranks, unsigned lane, const PlaceInTile<Tiling>& place) {
    constexpr int square = Tiling::square;
    using Slots = RunSlots<Tiling>;
    float(&own)[square] = sums[Slots::slot_of(lane)];
    if (parts > 1 || ranks > 1 || writer.takes_vectors()) {
        const int m = place.m + Tiling::run_m(run);
        const int n = place.n + Tiling::run_n(run);
        const bool exists = writer.exists(m, n);
        float total[square] = {};
        if (exists) {
            for (unsigned rank = 0; rank < ranks; ++rank)
                add_parts<Tiling::flip, parts, part_stride>(total,
                                                            ranks == 1 ? own : remote_shared(&own[0], rank));
        }
        if (writer.takes_vectors()) {
            if (exists) writer.write_run(m, n, total);
            return;
        }
        store_flipped<Tiling::flip>(own, total);  // nobody else reads this run
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
                     place.warp_n + number_n * square + Tiling::run_n(run),
                     slot[row % square ^ Tiling::flip]);
    }
}

/// Those who exchange sums in shared memory: a warp by itself, or all consumers where warps divide k.
template <class Shape>
__device__ inline void synchronize_exchange() {
    synchronize_warp();
    if constexpr (Shape::Tiling::warps_k > 1) synchronize_threads(consumers_barrier, Shape::consumers);
}

/// Writes runs `first` and after, which the warp's threads have put into `own`, as store_flipped() leaves
/// them.
template <class Shape>
__device__ inline void write_some(const TileWriter& writer,
                                  float (&own)[Shape::runs_at_once][32][Shape::Tiling::square], int first,
                                  unsigned lane, const PlaceInTile<typename Shape::Tiling>& place) {
    synchronize_warp();
#pragma unroll 1  // a long body
    for (int i = 0; i < Shape::runs_at_once; ++i)
        write_run_of_warp<typename Shape::Tiling>(writer, own[i], first + i, 1, lane, place);
    synchronize_warp();
}

/// Puts the sums of a block's warps into shared memory, a few runs at a time, and calls
/// visit(run, the run of the first of the warps that divide k) in the warp that is to go on with it: the sums
/// of the others lie SomeSums::part_stride after each other.
template <class Shape, class Visit>
__device__ inline void exchange_runs(const ThreadSums<typename Shape::Tiling>& sums,
                                     typename Shape::SomeSums& some, unsigned thread,
                                     const PlaceInTile<typename Shape::Tiling>& place, Visit visit) {
    using Tiling = typename Shape::Tiling;
    constexpr int runs_of_warp = Shape::runs_at_once / Tiling::warps_k;
    static_assert(runs_of_warp * Tiling::warps_k == Shape::runs_at_once);
    auto& own = some.at[thread / 32];
    const int slot = RunSlots<Tiling>::slot_of(thread % 32);
#pragma unroll
    for (int first = 0; first < Tiling::runs; first += Shape::runs_at_once) {
#pragma unroll
        for (int i = 0; i < Shape::runs_at_once; ++i)
            store_flipped<Tiling::flip>(own[i][slot], sums.run(first + i));
        synchronize_exchange<Shape>();
        // Unrolled, the sums' registers would be chosen for this loop instead of the one over k.
#pragma unroll 1
        for (int i = 0; i < runs_of_warp; ++i) {
            const int in_some = place.share_of_k * runs_of_warp + i;
            visit(first + in_some, some.at[place.rectangle][in_some]);
        }
        synchronize_exchange<Shape>();
    }
}

/// Writes the tile of a block that has all its sums.
template <class Shape>
__device__ inline void write_alone(const ThreadSums<typename Shape::Tiling>& sums, const TileWriter& writer,
                                   typename Shape::SomeSums& some, unsigned thread,
                                   const PlaceInTile<typename Shape::Tiling>& place) {
    using Tiling = typename Shape::Tiling;
    if constexpr (Tiling::warps_k == 1) {
        if (writer.takes_registers<Tiling>()) return writer.write_registers(sums, place);
    }
    exchange_runs<Shape>(sums, some, thread, place, [&](int run, float(&slots)[32][Tiling::square]) {
        write_run_of_warp<Tiling, Tiling::warps_k, Shape::SomeSums::part_stride>(writer, slots, run, 1,
                                                                                 thread % 32, place);
    });
}

/// Puts the block's sums where the other blocks of the cluster find them: those of warps that divide k added
/// up, in the place of the first of them.
template <class Shape>
__device__ inline void offer_sums(const ThreadSums<typename Shape::Tiling>& sums,
                                  typename Shape::Sums& offered, unsigned thread,
                                  const PlaceInTile<typename Shape::Tiling>& place) {
    using Tiling = typename Shape::Tiling;
    const int slot = RunSlots<Tiling>::slot_of(thread % 32);
    auto& own = offered.at[thread / 32];
#pragma unroll
    for (int run = 0; run < Tiling::runs; ++run) store_flipped<Tiling::flip>(own[run][slot], sums.run(run));
    if constexpr (Tiling::warps_k > 1) {
        synchronize_exchange<Shape>();
#pragma unroll 1
        for (int run = place.share_of_k; run < Tiling::runs; run += Tiling::warps_k) {
            float(&first)[Tiling::square] = offered.at[place.rectangle][run][slot];
            float total[Tiling::square] = {};
            add_parts<Tiling::flip, Tiling::warps_k, Shape::Sums::part_stride>(total, first);
            store_flipped<Tiling::flip>(first, total);
        }
    }
}

/// Adds up the cluster's sums of a tile and writes this block's share of it.
template <class Shape>
__device__ inline void write_share(const TileWriter& writer, typename Shape::Sums& sums, unsigned thread,
                                   const PlaceInTile<typename Shape::Tiling>& place) {
    using Tiling = typename Shape::Tiling;
    constexpr auto shares = static_cast<unsigned>(Tiling::warps_k);
    for (unsigned run = cluster_rank() * shares + static_cast<unsigned>(place.share_of_k); run < Tiling::runs;
         run += cluster_size() * shares)
        write_run_of_warp<Tiling>(writer, sums.at[place.rectangle][run], static_cast<int>(run),
                                  cluster_size(), thread % 32, place);
}

}  // namespace sgemm_shim::tile_pipeline
