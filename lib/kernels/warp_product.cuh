// A tile of C of up to 32 x 32 elements and a part of k, by one warp that needs nobody else: it copies its
// operands into shared memory of its own and multiplies from there. What the kernels for small matrices are
// made of.
//
// An operand lies in shared memory as it does in global memory, line by line, a line being a column of the
// storage. Every float keeps its place within 16 bytes, so that nearly all of the copies are of 16 bytes
// whatever the alignment and the leading dimension: a line's first floats, up to a multiple of 16 bytes, go
// one by one. A matrix without padding is a single line. Nothing is transposed; a lane finds its elements by
// one address a line or, where the lines are steps of k, by one address in all.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"
#include "warp_division.cuh"

namespace sgemm_shim::warp_product {

/// Where a tile is, and how much of it exists.
struct Tile {
    unsigned batch;
    int m, n;
    int valid_m, valid_n;

    __device__ Tile(unsigned number, const Division& division) : batch(division.tiles.divide(number)) {
        const unsigned in_matrix = number - batch * division.tiles.value;
        const unsigned column = division.tiles_m.divide(in_matrix);
        m = static_cast<int>(in_matrix - column * division.tiles_m.value) * division.tile_m;
        n = static_cast<int>(column) * division.tile_n;
        valid_m = division.m - m < division.tile_m ? division.m - m : division.tile_m;
        valid_n = division.n - n < division.tile_n ? division.n - n : division.tile_n;
    }
};

constexpr int vector = 4;  ///< floats in 16 bytes

/// The bytes to copy where so many floats are left; the rest of the 16 becomes zero.
__device__ inline int bytes_of_vector(int floats_left) {
    return floats_left >= vector ? 16 : floats_left > 0 ? floats_left * 4 : 0;
}

/// Copies one line of `length` floats, and zeros up to `read_length`, less than 128 more. `phase` is that of
/// both addresses.
__device__ inline void start_run(float* to, const float* from, int phase, int length, int read_length,
                                 int lane) {
    const int head = to_next_vector(phase);
    if (lane < head && lane < read_length) copy_async<4>(to + lane, from + lane, lane < length ? 4 : 0);
    constexpr int floats_of_warp = 32 * vector;
    const int first = head + lane * vector;
    to += first;
    from += first;
    int left = length - first;
    constexpr int unrolled = 4;
#pragma unroll 1
    for (; left >= vector + (unrolled - 1) * floats_of_warp; left -= unrolled * floats_of_warp) {
#pragma unroll
        for (int i = 0; i < unrolled; ++i) copy_async<16>(to + i * floats_of_warp, from + i * floats_of_warp);
        to += unrolled * floats_of_warp;
        from += unrolled * floats_of_warp;
    }
#pragma unroll 1
    for (; left >= vector; left -= floats_of_warp) {
        copy_async<16>(to, from);
        to += floats_of_warp;
        from += floats_of_warp;
    }
    if (left + read_length > length) copy_async<16>(to, from, bytes_of_vector(left));
}

/// The same for lines that lie apart.
template <bool are_aligned>
__device__ inline void start_lines(float* to, const float* from, int phase, std::int64_t leading_dimension,
                                   const Image& image, int lines, int length, int read_length, int lane) {
    if constexpr (!are_aligned) {
        // The floats before the first multiple of 16 bytes, 4 lanes a line.
        constexpr int step = 32 / vector;
        const int i = lane % vector;
        const int line = lane / vector;
        float* to_line = to + line * image.pitch + i;
        const float* from_line = from + line * leading_dimension + i;
        int phase_of_line = phase + line * image.pitch;
        const int bytes = i < length ? 4 : 0;
#pragma unroll 1
        for (int left = i < read_length ? lines - line : 0; left > 0; left -= step) {
            if (i < to_next_vector(phase_of_line)) copy_async<4>(to_line, from_line, bytes);
            to_line += step * image.pitch;
            from_line += step * leading_dimension;
            phase_of_line += step * image.pitch;
        }
    }
    const int log2 = image.lanes_of_line_log2;
    const int line = lane >> log2;
    const int step = 32 >> log2;
#pragma unroll 1
    for (int i = (lane & ((1 << log2) - 1)) * vector; i < read_length; i += vector << log2) {
        float* to_line = to + line * image.pitch + i;
        const float* from_line = from + line * leading_dimension + i;
        int phase_of_line = phase + line * image.pitch;
#pragma unroll 1
        for (int left = lines - line; left > 0; left -= step) {
            const int head = are_aligned ? 0 : to_next_vector(phase_of_line);
            if (are_aligned || i + head < read_length)
                copy_async<16>(to_line + head, from_line + head, bytes_of_vector(length - i - head));
            to_line += step * image.pitch;
            from_line += step * leading_dimension;
            phase_of_line += step * image.pitch;
        }
    }
}

/// Starts copying a slice of an operand to `shared`, which is on 16 bytes: `valid_mn` rows of op(A) or
/// columns of op(B), `steps` of k, both at least 1. Returns how many floats further on it begins.
template <Major major>
__device__ inline int start_copies(float* shared, const Image& image, const OperandView<major>& view,
                                   std::int64_t mn, std::int64_t k, int valid_mn, int steps, int lane) {
    const float* const first = view.address(mn, k);
    // Where the slice's image begins, too.
    const int phase = image.is_aligned ? 0 : phase_of(first);
    float* const to = shared + phase;
    const int lines = major == Major::mn ? steps : valid_mn;
    const int length = major == Major::mn ? valid_mn : steps;
    // Lanes beyond a tile's last row or column read past it: zeros, if not the next line.
    const int read_length = major == Major::mn ? image.read_length : steps;
    if (image.is_run) {
        const int before_last = (lines - 1) * image.pitch;
        start_run(to, first, phase, before_last + length, before_last + read_length, lane);
    } else if (image.is_aligned) {
        start_lines<true>(to, first, 0, view.leading_dimension, image, lines, length, read_length, lane);
    } else {
        start_lines<false>(to, first, phase, view.leading_dimension, image, lines, length, read_length, lane);
    }
    return phase;
}

/// Where the slices of both operands begin in a stage.
struct SlicePlaces {
    int a, b;
};

/// Starts copying `steps` steps of k, at least 1, for a tile.
template <Major major_a, Major major_b>
__device__ inline SlicePlaces start_slices(float* stage, const GemmArguments& arguments,
                                           const Division& division, const Tile& tile, int k, int steps,
                                           int lane) {
    const int a = start_copies(stage, division.a, view_of_a<major_a>(arguments, tile.batch), tile.m, k,
                               tile.valid_m, steps, lane);
    const int b =
        start_copies(stage + division.b_begins, division.b, view_of_b<major_b>(arguments, tile.batch), tile.n,
                     k, tile.valid_n, steps, lane);
    return {a, division.b_begins + b};
}

/// A lane's elements of one operand: `lanes` apart.
template <Major major, int count, int lanes>
class Reader {
    static constexpr int lines = major == Major::mn ? 1 : count;

  public:
    __device__ Reader(const float* slice, const Image& image, int lane, int valid_mn)
        : step_(major == Major::mn ? image.pitch : 1) {
#pragma unroll
        for (int i = 0; i < lines; ++i) {
            // Lines that do not exist have not been copied either.
            const int line = lane + i * lanes < valid_mn ? lane + i * lanes : valid_mn - 1;
            at_[i] = slice + (major == Major::mn ? lane : line * image.pitch);
        }
    }
    __device__ void load(float (&values)[count]) {
#pragma unroll
        for (int i = 0; i < count; ++i) values[i] = major == Major::mn ? at_[0][i * lanes] : *at_[i];
#pragma unroll
        for (int i = 0; i < lines; ++i) at_[i] += step_;
    }

  private:
    const float* at_[lines];
    int step_;
};

/// A lane's elements of the tile. How many of them are in use only with_thread_tile() knows, so that all
/// places are known when compiling, and they stay in registers.
struct Sums {
    float at[most_columns * most_rows] = {};
};

/// Calls visit.template operator()<rows, columns>() for the elements that a lane has in such a tile.
template <class Visit>
__device__ inline void with_thread_tile(int thread_tile, Visit visit) {
    constexpr int n = lanes_m / lanes_n;  // columns for each row of the cover
    static_assert(n * lanes_n == cover && lanes_m == cover && most_rows == 4);
    switch (thread_tile) {
        case 0:
            return visit.template operator()<1, 1 * n>();
        case 1:
            return visit.template operator()<1, 2 * n>();
        case 2:
            return visit.template operator()<1, 3 * n>();
        case 3:
            return visit.template operator()<1, 4 * n>();
        case 4:
            return visit.template operator()<2, 1 * n>();
        case 5:
            return visit.template operator()<2, 2 * n>();
        case 6:
            return visit.template operator()<2, 3 * n>();
        case 7:
            return visit.template operator()<2, 4 * n>();
        case 8:
            return visit.template operator()<3, 1 * n>();
        case 9:
            return visit.template operator()<3, 2 * n>();
        case 10:
            return visit.template operator()<3, 3 * n>();
        case 11:
            return visit.template operator()<3, 4 * n>();
        case 12:
            return visit.template operator()<4, 1 * n>();
        case 13:
            return visit.template operator()<4, 2 * n>();
        case 14:
            return visit.template operator()<4, 3 * n>();
        default:
            return visit.template operator()<4, 4 * n>();
    }
}

/// Adds the products of the slices that start_slices() brought into the stage.
template <Major major_a, Major major_b>
__device__ inline void multiply_add(Sums& sums, const Division& division, const Tile& tile,
                                    const float* stage, const SlicePlaces& places, int steps, int lane) {
    with_thread_tile(division.thread_tile, [&]<int rows, int columns>() {
        Reader<major_a, rows, lanes_m> reader_a(stage + places.a, division.a, lane % lanes_m, tile.valid_m);
        Reader<major_b, columns, lanes_n> reader_b(stage + places.b, division.b, lane / lanes_m,
                                                   tile.valid_n);
        // With few elements, what counts is how many loads are on their way.
        [[maybe_unused]] constexpr int unrolled = rows * columns <= 8 ? 8 : 4;
#pragma unroll unrolled
        for (int step = 0; step < steps; ++step) {
            float a[rows], b[columns];
            reader_a.load(a);
            reader_b.load(b);
#pragma unroll
            for (int j = 0; j < columns; ++j) {
#pragma unroll
                for (int i = 0; i < rows; ++i)
                    sums.at[j * rows + i] = fused_multiply_add(a[i], b[j], sums.at[j * rows + i]);
            }
        }
    });
}

/// Stores the sums as [n][m] with `pitch` rows, all that the caller wants of a column.
__device__ inline void store_sums(float* to, int pitch, const Sums& sums, int thread_tile, int lane) {
    with_thread_tile(thread_tile, [&]<int rows, int columns>() {
        float* const own = to + lane / lanes_m * pitch + lane % lanes_m;
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            if (lane % lanes_m + i * lanes_m >= pitch) continue;
#pragma unroll
            for (int j = 0; j < columns; ++j) own[j * lanes_n * pitch + i * lanes_m] = sums.at[j * rows + i];
        }
    });
}

}  // namespace sgemm_shim::warp_product
