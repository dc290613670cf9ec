// What the host tells the kernels of warp_product.cuh about a call: how it is divided among warps.
#pragma once

#include <cstdint>

#include "divisor.cuh"

namespace sgemm_shim::warp_product {

constexpr int largest_tile = 32;  ///< along m and n

/// Lanes along m and n. Each computes the elements that lie so many rows and columns apart.
constexpr int lanes_m = 8, lanes_n = 4;

/// A lane computes `rows` x `columns` elements of a tile that is covered with as few as 8 rows and 8 columns
/// at a time.
constexpr int cover = 8;
constexpr int most_rows = largest_tile / lanes_m, most_columns = largest_tile / lanes_n;

/// How a slice of an operand lies in shared memory. Chosen on the host, the same for every tile of a call. In
/// floats.
struct Image {
    int pitch;               ///< from line to line; modulo 4, the leading dimension
    int read_length;         ///< what is read of each line, if only to be thrown away
    int lanes_of_line_log2;  ///< neighbouring lanes that copy one line
    bool is_run;             ///< the lines follow one another without a gap, here as in global memory
    bool is_aligned;         ///< all lines of all slices begin on 16 bytes
};

/// How a call is divided among warps, and one warp's shared memory. Chosen on the host.
struct Division {
    int m, n, k;
    int tile_m, tile_n;
    Divisor tiles_m, tiles;  ///< of one matrix: along m, in all
    int slice_k;             ///< steps of k in shared memory at the same time
    Image a, b;
    int b_begins;      ///< in a stage, behind A
    int stage_floats;  ///< for both, and for the tile's sums; a multiple of 4
    int thread_tile;   ///< for with_thread_tile()
};

}  // namespace sgemm_shim::warp_product
