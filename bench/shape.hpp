// What is to be measured: shapes as a person or a file names them, and the column-major problem that is run
// for one.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sgemm_bench {

/// N or T for each operand.
struct Operations {
    char a = 'N';
    char b = 'N';
};

/// Offsets of A, B and C from their alignment, and columns longer than they need be (where the shape does not
/// say). In elements.
struct Variation {
    std::array<std::int64_t, 3> misalignment{};
    std::int64_t leading_dimension_pad = 0;
};

/// Sizes in elements. A leading dimension of 0 is the smallest that is legal.
struct Shape {
    std::string name;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    Operations operations;
    std::int64_t batch = 1;
    std::int64_t lda = 0;
    std::int64_t ldb = 0;
    std::int64_t ldc = 0;
    /// From one matrix of A, B and C to the next; without, they lie one behind the other.
    std::optional<std::array<std::int64_t, 3>> strides;
    bool pointer_arrays = false;  ///< the matrices are found through arrays of pointers
    float beta = 0;
    bool row_major = false;
    Variation variation;
    std::int64_t count = 1;  ///< how often a program calls it
};

/// A matrix, or a batch of them, as it lies in memory. Matrices may share elements (stride 0), or lie between
/// each other's columns.
struct Storage {
    std::int64_t leading_dimension = 0;
    std::int64_t columns = 0;
    std::int64_t batch = 1;
    std::int64_t stride = 0;  ///< from one matrix to the next; never negative
    std::int64_t misalignment = 0;

    /// Every column one leading dimension behind the one before, those of the next matrix too.
    bool is_contiguous() const { return batch == 1 || stride == leading_dimension * columns; }
    std::int64_t matrices() const { return stride != 0 ? batch : 1; }
    std::int64_t elements() const { return stride * (batch - 1) + leading_dimension * columns; }
    /// From one copy of the storage to the next with the same alignment.
    std::int64_t spacing() const { return (elements() + misalignment + 63) / 64 * 64; }
};

/// The column-major call: C (m x n) = op(A) op(B) + beta C.
struct Problem {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    Operations operations;
    std::int64_t batch = 1;
    bool pointer_arrays = false;
    float beta = 0;
    Storage a, b, c;

    double flops() const;
    /// What has to cross the memory bus if every element is moved once: the stored padding is not.
    double bytes() const;
    /// Bytes from one copy of all three operands to the next.
    std::int64_t spacing_bytes() const { return 4 * (a.spacing() + b.spacing() + c.spacing()); }
};

/// Row-major data is the same memory as the transposed column-major matrix, so C' = op(B)' op(A)' with the
/// operands swapped. Throws InputError if a leading dimension is too small, or C's matrices are one.
Problem to_problem(const Shape& shape);

/// Copies of the operands so that together they are `bytes` large, and a call finds its own out of the cache;
/// at least 1 and at most `most`.
std::int64_t rotation_count(const Problem& problem, std::int64_t bytes, std::int64_t most);

/// "1x2x3_TN", with "_b4" behind it for a batch of 4: what parse_shapes() would need for the same shape.
std::string default_name(const Shape& shape);

/// "256,512,1024:2048:128": sizes, and ranges of first, last and step.
std::vector<std::int64_t> parse_sizes(std::string_view text);

/// "NN,TN".
std::vector<Operations> parse_operations(std::string_view text);

/// "m,n,k[,operations[,batch]];..."; a shape without operations is taken once with each of `operations`.
std::vector<Shape> parse_shapes(std::string_view text, const std::vector<Operations>& operations);

/// Lines of name,m,n,k,transA,transB,batch,lda,ldb,ldc,beta,source below a line that says so; empty numbers
/// are 1 for the batch, tight for the leading dimensions, 0 for beta. Lines that begin with # are comments.
std::vector<Shape> read_shapes(std::istream& file);

/// One square for each size and pair of operations.
std::vector<Shape> square_shapes(const std::vector<std::int64_t>& sizes,
                                 const std::vector<Operations>& operations);

/// The six row-major shapes of the table of convolutions that the ladder's aliases come from.
std::vector<Shape> second_source_shapes();

/// Each dimension log-uniform in 1 to 8192, each pair of operations as likely. The same seed draws the same
/// shapes everywhere.
std::vector<Shape> random_shapes(std::int64_t count, std::uint64_t seed);

/// Behind each shape, itself with every operand one element off its alignment, and with leading dimensions
/// one longer.
std::vector<Shape> with_unaligned(const std::vector<Shape>& shapes);

/// The column-major calls of the shapes as read_shapes() takes them: without alignments, strides, arrays of
/// pointers and counts, which it does not know.
void write_shapes(std::ostream& out, const std::vector<Shape>& shapes);

}  // namespace sgemm_bench
