// The production kernels for small products that are neither inner products nor batches of tiny matrices.
//
// The idea: what takes a few microseconds is made of latencies, and of those as few as possible are left: one
// from the launch to the first load, one for the operands, a barrier, the multiply-adds, the store. A block
// loads a chunk of k of both operands at once, each thread a few floats that lie side by side with its
// neighbours' whichever way the operand is contiguous, puts them into shared memory as [k][mn] and multiplies
// from there. While it does, the next chunk travels to registers. A single product's first load comes after
// some hundred instructions, none of them a division.
//
// Where C has few elements and k is long enough, groups of threads divide a chunk's k, and the blocks of a
// cluster all of k; their sums meet in shared memory in an order that never changes.
#pragma once

#include "divisor.cuh"
#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim::staged_tile {

/// `groups_k` groups of threads each multiply `slice_k` steps of every chunk; each thread of a group computes
/// thread_m x thread_n elements that lie lanes_m rows and lanes_n columns apart. All powers of two.
template <int tile_m_, int tile_n_, int slice_k_, int thread_m_, int thread_n_, int groups_k_ = 1>
struct Shape {
    static constexpr int tile_m = tile_m_, tile_n = tile_n_;
    static constexpr int thread_m = thread_m_, thread_n = thread_n_;
    static constexpr unsigned lanes_m = tile_m / thread_m, lanes_n = tile_n / thread_n;
    static constexpr int groups_k = groups_k_;
    static constexpr int slice_k = slice_k_;
    static constexpr int chunk_k = groups_k * slice_k;  ///< steps of k in shared memory at the same time
    static constexpr unsigned group_threads = lanes_m * lanes_n;
    static constexpr unsigned threads = groups_k * group_threads;
    static_assert(slice_k % 4 == 0);
};

/// How a call is divided. Chosen on the host.
struct Division {
    Divisor tiles_m;
    unsigned ranks;  ///< of a cluster
};

/// Where a block works.
struct Place {
    unsigned batch;
    int m, n;

    template <class Shape>
    __device__ static Place of_block(const Division& division, const GemmArguments& arguments,
                                     const Divisor& tiles_of_matrix) {
        Place place{};
        unsigned tile = block_index();
        if (division.ranks > 1) tile /= division.ranks;
        if (arguments.is_batch) {
            place.batch = tiles_of_matrix.divide(tile);
            tile -= place.batch * tiles_of_matrix.value;
        }
        const unsigned column = division.tiles_m.divide(tile);
        place.m = static_cast<int>(tile - column * division.tiles_m.value) * Shape::tile_m;
        place.n = static_cast<int>(column) * Shape::tile_n;
        return place;
    }
};

/// Which rows or columns of a tile the threads of a group have, `count` each: those that lie `lanes` apart,
/// or fours of neighbours that do, where a thread can take four at a time.
template <int count, unsigned lanes>
struct Share {
    static constexpr bool has_fours = count % 4 == 0;
    static constexpr int width = has_fours ? 4 : 1;

    __device__ static int place(unsigned lane, int i) {
        return has_fours ? (i / 4 * static_cast<int>(lanes) + static_cast<int>(lane)) * 4 + i % 4
                         : i * static_cast<int>(lanes) + static_cast<int>(lane);
    }
    /// A thread's share of one step of k.
    __device__ static void load(float (&values)[count], const float* step, unsigned lane) {
        if constexpr (has_fours) {
#pragma unroll
            for (int i = 0; i < count; i += 4) {
                const float4 four = load_vector(step + place(lane, i));
                values[i] = four.x;
                values[i + 1] = four.y;
                values[i + 2] = four.z;
                values[i + 3] = four.w;
            }
        } else {
#pragma unroll
            for (int i = 0; i < count; ++i) values[i] = step[place(lane, i)];
        }
    }
};
template <class Shape>
using ShareOfM = Share<Shape::thread_m, Shape::lanes_m>;
template <class Shape>
using ShareOfN = Share<Shape::thread_n, Shape::lanes_n>;

/// One operand's part of a chunk. The padding keeps stores of lines along k free of bank conflicts, or of
/// most.
template <int chunk_k, int pitch>
using Slice = float[chunk_k][pitch];
template <class Shape>
constexpr int pitch_m = Shape::tile_m + ShareOfM<Shape>::width;
template <class Shape>
constexpr int pitch_n = Shape::tile_n + ShareOfN<Shape>::width;

template <class Shape>
struct Stages {
    alignas(16) Slice<Shape::chunk_k, pitch_m<Shape>> a[2];
    alignas(16) Slice<Shape::chunk_k, pitch_n<Shape>> b[2];
};
template <class Shape>
union Storage {
    Stages<Shape> stages;
    float sums[Shape::thread_m * Shape::thread_n][Shape::threads];  ///< when all is multiplied
    alignas(16) float tile[Shape::tile_n][pitch_m<Shape>];          ///< on its way to C
};

/// A thread's share of an operand's chunks: one element of a line and of every lines_at_once-th after it, a
/// line being a column of the storage.
template <class Shape, Major major, int tile_mn>
class ChunkLoads {
    static constexpr unsigned line_length = major == Major::mn ? tile_mn : Shape::chunk_k;
    static constexpr int lines = major == Major::mn ? Shape::chunk_k : tile_mn;
    static constexpr int lines_at_once = Shape::threads / line_length;
    static constexpr int count = lines / lines_at_once;
    static_assert(Shape::threads % line_length == 0 && count * lines_at_once == lines);

  public:
    /// The tile begins at `mn`, of which `valid_mn` rows or columns exist, and the first chunk at `k`.
    __device__ ChunkLoads(const OperandView<major>& view, int mn, int valid_mn, int k, unsigned thread)
        : position_(static_cast<int>(thread % line_length)),
          line_(static_cast<int>(thread / line_length)),
          valid_mn_(valid_mn),
          leading_dimension_(static_cast<int>(view.leading_dimension)),
          from_(view.base + position_ +
                (major == Major::mn ? mn + offset(k + line_) : k + offset(mn + line_))) {
        assume_global(view.base);
    }

    /// Starts loading the next chunk, of which `steps` exist; what does not becomes zero.
    __device__ void start(int steps) {
        const int valid_positions = major == Major::mn ? valid_mn_ : steps;
        const int valid_lines = position_ < valid_positions ? (major == Major::mn ? steps : valid_mn_) : 0;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            values_[i] = line_ + i * lines_at_once < valid_lines ? from_[offset(i * lines_at_once)] : 0.0f;
        }
        from_ += major == Major::mn ? offset(Shape::chunk_k) : Shape::chunk_k;
    }
    template <int pitch>
    __device__ void store(Slice<Shape::chunk_k, pitch>& to) const {
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const int line = line_ + i * lines_at_once;
            (major == Major::mn ? to[line][position_] : to[position_][line]) = values_[i];
        }
    }

  private:
    __device__ std::int64_t offset(int lines) const {
        return std::int64_t{lines} * leading_dimension_;
    }

    int position_, line_, valid_mn_, leading_dimension_;
    const float* from_;
    float values_[count];
};

template <class Shape>
using Sums = float[Shape::thread_n][Shape::thread_m];

/// `steps` steps of k from there on; the slices are zero up to the next multiple of 4.
template <class Shape>
__device__ inline void multiply_add(Sums<Shape>& sums, const float (*a)[pitch_m<Shape>],
                                    const float (*b)[pitch_n<Shape>], int steps, unsigned lane_m,
                                    unsigned lane_n) {
    constexpr int at_once = 4;
#pragma unroll 1
    for (int step = 0; step < steps; step += at_once) {
#pragma unroll
        for (int s = 0; s < at_once; ++s) {
            float of_a[Shape::thread_m], of_b[Shape::thread_n];
            ShareOfM<Shape>::load(of_a, a[step + s], lane_m);
            ShareOfN<Shape>::load(of_b, b[step + s], lane_n);
#pragma unroll
            for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
                for (int i = 0; i < Shape::thread_m; ++i)
                    sums[j][i] = fused_multiply_add(of_a[i], of_b[j], sums[j][i]);
            }
        }
    }
}

/// Adds up the sums of a block's groups and a cluster's blocks in the first group of the first block. Returns
/// whether this is it.
template <class Shape>
__device__ inline bool add_up(Sums<Shape>& sums, Storage<Shape>& storage, unsigned thread, unsigned ranks) {
    synchronize_block();
#pragma unroll
    for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
        for (int i = 0; i < Shape::thread_m; ++i) storage.sums[j * Shape::thread_m + i][thread] = sums[j][i];
    }
    if (ranks > 1)
        synchronize_cluster();
    else
        synchronize_block();
    const bool is_first = thread < Shape::group_threads && cluster_rank() == 0;
    if (is_first) {
        for (auto& column : sums) {
            for (float& sum : column) sum = 0.0f;
        }
#pragma unroll 1
        for (unsigned rank = 0; rank < ranks; ++rank) {
            const float* const of_rank = remote_shared(&storage.sums[0][thread], rank);
#pragma unroll
            for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
                for (int i = 0; i < Shape::thread_m; ++i) {
#pragma unroll
                    for (unsigned group = 0; group < Shape::groups_k; ++group)
                        sums[j][i] += of_rank[(j * Shape::thread_m + i) * Shape::threads +
                                              group * Shape::group_threads];
                }
            }
        }
    }
    if (ranks > 1) synchronize_cluster();
    return is_first;
}

template <class Shape, Major major_a, Major major_b>
__global__ void __launch_bounds__(Shape::threads)
    kernel(Division division, GemmArguments arguments, Divisor tiles_of_matrix) {
    const Epilogue epilogue(arguments);
    if (epilogue.keeps_c()) return;
    const Place place = Place::of_block<Shape>(division, arguments, tiles_of_matrix);
    const int valid_m = static_cast<int>(arguments.m) - place.m;
    const int valid_n = static_cast<int>(arguments.n) - place.n;
    const unsigned ranks = division.ranks;

    const unsigned thread = thread_index();
    const int group = static_cast<int>(thread / Shape::group_threads);
    const unsigned in_group = thread % Shape::group_threads;
    const unsigned lane_m = in_group % Shape::lanes_m, lane_n = in_group / Shape::lanes_m;

    auto& storage = shared_memory<Storage<Shape>>();
    Sums<Shape> sums = {};
    if (epilogue.has_product()) {
        int begin = 0, left = static_cast<int>(arguments.k);
        if (ranks > 1) {
            // Whole chunks; the last blocks' parts may be empty.
            const int chunks = (left + Shape::chunk_k - 1) / Shape::chunk_k;
            const auto all = static_cast<unsigned>(chunks) + ranks - 1;
            const int part = static_cast<int>(all / ranks) * Shape::chunk_k;
            begin = static_cast<int>(cluster_rank()) * part;
            left = left - begin < part ? left - begin : part;
        }
        ChunkLoads<Shape, major_a, Shape::tile_m> loads_a(view_of_a<major_a>(arguments, place.batch), place.m,
                                                          valid_m, begin, thread);
        ChunkLoads<Shape, major_b, Shape::tile_n> loads_b(view_of_b<major_b>(arguments, place.batch), place.n,
                                                          valid_n, begin, thread);
        loads_a.start(left);
        loads_b.start(left);
#pragma unroll 1
        for (int stage = 0; left > 0; left -= Shape::chunk_k, stage ^= 1) {
            loads_a.store(storage.stages.a[stage]);
            loads_b.store(storage.stages.b[stage]);
            // Whoever is still multiplying is so from the other stage.
            synchronize_block();
            if (left > Shape::chunk_k) {
                loads_a.start(left - Shape::chunk_k);
                loads_b.start(left - Shape::chunk_k);
            }
            const int first = group * Shape::slice_k;
            const int steps = left - first < Shape::slice_k ? left - first : Shape::slice_k;
            multiply_add<Shape>(sums, &storage.stages.a[stage][first], &storage.stages.b[stage][first], steps,
                                lane_m, lane_n);
        }
    }
    if (Shape::groups_k > 1 || ranks > 1) {
        if (!add_up<Shape>(sums, storage, thread, ranks)) return;
    }

    float* const c = matrix_c(arguments, place.batch);
    assume_global(c);
    const auto write = [&](int m, int n, float sum) {
        const auto ldc = static_cast<int>(arguments.c.leading_dimension);
        if (m < valid_m && n < valid_n)
            epilogue.update(c + place.m + m + std::int64_t{place.n + n} * ldc, sum);
    };
    if constexpr (ShareOfM<Shape>::has_fours) {
        // Neighbouring lanes are to write neighbouring rows.
        constexpr int columns_at_once = static_cast<int>(Shape::threads) / Shape::tile_m;
        static_assert(Shape::groups_k == 1 && Shape::tile_m % 32 == 0 &&
                      Shape::threads % Shape::tile_m == 0 && Shape::tile_n % columns_at_once == 0);
        synchronize_block();
#pragma unroll
        for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
            for (int i = 0; i < Shape::thread_m; i += 4) {
                store_vector(
                    &storage.tile[ShareOfN<Shape>::place(lane_n, j)][ShareOfM<Shape>::place(lane_m, i)],
                    float4{sums[j][i], sums[j][i + 1], sums[j][i + 2], sums[j][i + 3]});
            }
        }
        synchronize_block();
        const int m = static_cast<int>(thread) % Shape::tile_m;
        const int first_n = static_cast<int>(thread) / Shape::tile_m;
#pragma unroll 4
        for (int n = 0; n < Shape::tile_n; n += columns_at_once)
            write(m, first_n + n, storage.tile[first_n + n][m]);
    } else {
#pragma unroll
        for (int j = 0; j < Shape::thread_n; ++j) {
#pragma unroll
            for (int i = 0; i < Shape::thread_m; ++i)
                write(ShareOfM<Shape>::place(lane_m, i), ShareOfN<Shape>::place(lane_n, j), sums[j][i]);
        }
    }
}

}  // namespace sgemm_shim::staged_tile
