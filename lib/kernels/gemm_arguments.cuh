// What every kernel takes, the same for all: a GemmCall with its scalars ready to be read on the device.
#pragma once

#include <cstdint>

#include "../gemm_call.hpp"
#include "kernels/primitives.cuh"

namespace sgemm_shim {

/// Along which of its two dimensions an operand op(A) (m x k) or op(B) (k x n) is contiguous in memory.
enum class Major {
    mn,  ///< along m (A) or n (B): A not transposed, B transposed
    k,   ///< along k: A transposed, B not transposed
};

/// alpha or beta: a value that the host read, or the address of one that the kernel reads when it runs, as
/// GemmArguments::scalars_on_device says.
union Scalar {
    float value;
    const float* address;
};

/// Where a batch of matrices is: MatrixBatch without what only batches need.
template <class Element>
struct MatrixLocation {
    Element* first;  ///< or, as GemmArguments::are_arrays says, the array of their addresses
    std::int64_t leading_dimension;
};

/// The order is that in which a launch needs its parameters: all that single products need is in the first 96
/// bytes. A multiprocessor fetches parameters by lines, when an instruction asks for the first of one, and a
/// small product waits. On an H200, `dot_tall` and `dot_wide` take 0.2 us less than with strides and arrays
/// in between.
struct GemmArguments {
    std::int64_t m, n, k;
    bool scalars_on_device;
    bool are_arrays;  ///< the batch is given by arrays of addresses, not by strides
    bool is_batch;    ///< of more than one matrix
    MatrixLocation<const float> a, b;
    MatrixLocation<float> c;
    Scalar alpha, beta;
    std::int64_t stride_a, stride_b, stride_c;

    __device__ float read(Scalar scalar) const { return scalars_on_device ? *scalar.address : scalar.value; }
    /// One matrix of a batch. A single product's is found without a look at the strides.
    template <class Element>
    __device__ Element* matrix(MatrixLocation<Element> location, std::int64_t stride,
                               std::int64_t batch) const {
        if (are_arrays) return reinterpret_cast<Element* const*>(location.first)[batch];
        return is_batch ? location.first + batch * stride : location.first;
    }
};

/// C of one product of the batch.
__device__ inline float* matrix_c(const GemmArguments& arguments, std::int64_t batch) {
    return arguments.matrix(arguments.c, arguments.stride_c, batch);
}

/// One operand of one product, indexed [mn][k]: op(A)(mn, k) or op(B)(k, mn).
template <Major major>
struct OperandView {
    const float* base;
    std::int64_t leading_dimension;

    __device__ const float* address(std::int64_t mn, std::int64_t k) const {
        return major == Major::mn ? base + mn + k * leading_dimension : base + k + mn * leading_dimension;
    }
    /// Elements from (mn, k) to (mn, k + 1).
    __device__ std::int64_t k_stride() const { return major == Major::mn ? leading_dimension : 1; }
};

/// A and B of one product of the batch.
template <Major major>
__device__ inline OperandView<major> view_of_a(const GemmArguments& arguments, std::int64_t batch) {
    return {arguments.matrix(arguments.a, arguments.stride_a, batch), arguments.a.leading_dimension};
}
template <Major major>
__device__ inline OperandView<major> view_of_b(const GemmArguments& arguments, std::int64_t batch) {
    return {arguments.matrix(arguments.b, arguments.stride_b, batch), arguments.b.leading_dimension};
}

/// Whether every column of the storage begins on 16 bytes.
__device__ inline bool has_aligned_columns(const float* first, std::int64_t leading_dimension) {
    return is_vector_aligned(first) && leading_dimension % 4 == 0;
}

/// How many floats an address lies past the last one on 16 bytes, 0 to 3.
__device__ inline int phase_of(const float* address) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) / sizeof(float) % 4);
}
/// From an address of that phase, or a multiple of 4 more, to the next one on 16 bytes: 0 to 3 floats.
__device__ inline int to_next_vector(int phase) {
    return -phase & 3;
}

/// Where a block works.
struct TilePosition {
    std::int64_t m, n;  ///< first row and column of the tile
    std::int64_t batch;
};

/// Blocks are numbered so that those that run at the same time share operands in the L2 cache: 16 tiles down
/// m, then the next column of those 16, and so on to the last column; then the next 16 rows of tiles, and at
/// last the next matrix of the batch. (Down all of m first, the blocks on an H200 would read all of A for
/// every two columns of tiles: at 4096 cubed, 64 MB through a 60 MB cache.)
template <int tile_m, int tile_n>
__device__ inline TilePosition tile_position(unsigned block, const GemmArguments& arguments) {
    const auto tiles_m = static_cast<unsigned>((arguments.m + tile_m - 1) / tile_m);
    const auto tiles_n = static_cast<unsigned>((arguments.n + tile_n - 1) / tile_n);
    // Divisions take their time, which a small product notices: none is done whose result is known.
    const unsigned tiles = tiles_m * tiles_n;
    const unsigned batch = block < tiles ? 0 : block / tiles;
    const unsigned tile = block - batch * tiles;

    const unsigned group = tiles_m < 16 ? tiles_m : 16;
    const unsigned group_start = tiles_m <= 16 ? 0 : tile / (group * tiles_n) * group;
    const unsigned height = tiles_m - group_start < group ? tiles_m - group_start : group;
    const unsigned in_group = tile - group_start * tiles_n;
    const unsigned column = in_group / height;
    return {static_cast<std::int64_t>(group_start + in_group - column * height) * tile_m,
            static_cast<std::int64_t>(column) * tile_n, batch};
}

/// Turns the sum over k into an element of C, by the letter of cuBLAS: alpha = 0 and k = 0 leave A and B
/// unread, beta = 0 leaves C unread, a zero comes out as +0, and what is only scaled by one keeps its bits.
class Epilogue {
  public:
    __device__ explicit Epilogue(const GemmArguments& arguments)
        : alpha_(arguments.read(arguments.alpha)),
          beta_(arguments.read(arguments.beta)),
          has_product_(alpha_ != 0.0f && arguments.k > 0) {}

    /// Whether A and B count at all.
    __device__ bool has_product() const { return has_product_; }
    /// Whether C stays as it is, bit by bit.
    __device__ bool keeps_c() const { return !has_product_ && beta_ == 1.0f; }
    __device__ bool reads_c() const { return beta_ != 0.0f; }

    /// `old` is not looked at unless reads_c().
    __device__ float apply(float sum, float old) const {
        const float added = reads_c() ? beta_ * old : 0.0f;
        return has_product_ ? fused_multiply_add(alpha_, sum, added) : added;
    }
    /// The same where has_product() and not reads_c().
    __device__ float apply_product(float sum) const { return fused_multiply_add(alpha_, sum, 0.0f); }
    __device__ void update(float* element, float sum) const {
        *element = apply(sum, reads_c() ? *element : 0.0f);
    }

  private:
    float alpha_, beta_;
    bool has_product_;
};

}  // namespace sgemm_shim
