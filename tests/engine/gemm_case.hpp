// One test case as a value: everything that decides what a kernel is asked to do, and nothing else. A case is
// printed as one line, and the line is read back, so that a failure can be repeated.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gemm_call.hpp"

namespace sgemm_shim::testing {

/// What the elements of A, B and C hold. Whatever a call must not read is NaN under every pattern.
enum class DataPattern : std::uint8_t {
    random,        ///< uniform in [-1, 1)
    integers,      ///< -8 .. 8: sums are exact
    fine_a,        ///< A = +-(1 + 2^-12), B = +-1: exact, unless A is rounded to TF32 or BF16
    fine_b,        ///< the same with A and B exchanged
    denormal_in,   ///< A holds denormals, B brings the products back to normal size: exact
    denormal_out,  ///< the products are denormals: exact
    zeros,         ///< A = +-0: every sum is a zero of some sign
    huge,          ///< A = B = 2^70: the sum overflows, whatever alpha is
    nan_in_a,      ///< random, and one NaN in A: it poisons one row of one C
    nan_in_b,      ///< random, and one NaN in B: it poisons one column of one C
    inf_in_a,      ///< random, and one Inf in A
    count
};

const char* to_string(DataPattern pattern);

/// How the matrices of one operand lie in memory. Matrix b begins `offset(b)` floats into a buffer that holds
/// them all and nothing more: the last column ends with its last row, not with the leading dimension.
struct OperandLayout {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t leading_dimension = 1;
    std::int64_t stride = 0;
    std::int64_t batch_count = 1;

    /// Floats from the first element of a matrix to its last.
    std::int64_t extent() const {
        return rows == 0 || columns == 0 ? 0 : leading_dimension * (columns - 1) + rows;
    }
    std::int64_t size() const { return extent() == 0 ? 0 : extent() + (batch_count - 1) * std::abs(stride); }
    std::int64_t offset(std::int64_t matrix) const {
        return stride >= 0 ? matrix * stride : (matrix - (batch_count - 1)) * stride;
    }
    std::int64_t offset(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
        return offset(matrix) + row + column * leading_dimension;
    }
};

struct GemmCase {
    std::string kernel;  ///< name; empty: every kernel of the table
    Operation operation_a = Operation::none;
    Operation operation_b = Operation::none;
    std::int64_t m = 1, n = 1, k = 1;
    std::int64_t lda = 1, ldb = 1, ldc = 1;
    std::array<int, 3> misalignment{};  ///< of A, B, C: floats past a 16-byte boundary
    PointerMode pointer_mode = PointerMode::host;
    float alpha = 1.0f, beta = 0.0f;
    std::int64_t batch_count = 1;
    bool pointer_arrays = false;  ///< matrices in buffers of their own, misaligned by one more float each
    std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
    DataPattern data = DataPattern::random;
    std::uint64_t seed = 0;

    OperandLayout layout_a() const;
    OperandLayout layout_b() const;
    OperandLayout layout_c() const;

    /// Whether A and B count: the BLAS rule, alpha = 0 and k = 0 leave them unread.
    bool has_product() const { return alpha != 0.0f && k > 0; }
    /// Whether C must stay as it is, bit by bit.
    bool keeps_c() const { return !has_product() && beta == 1.0f; }
};

/// "kernel=naive ops=NT m=3 n=4 ...": every field, so that parse_case() gives the same case back.
std::string to_line(const GemmCase& gemm_case);

/// Reads such a line; fields that are left out keep a default (leading dimensions: the least legal one).
/// Throws std::invalid_argument that names the bad field.
GemmCase parse_case(std::string_view line);

/// The call of a case without its operands, scalars and pointer mode: operations, sizes, leading dimensions,
/// batch.
GemmCall shape_of(const GemmCase& gemm_case);

}  // namespace sgemm_shim::testing
