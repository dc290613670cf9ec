// What C must be, from FP64 arithmetic on the host, and how far from it an FP32 kernel may stray.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "problem.hpp"

namespace sgemm_shim::testing {

/// 2^-24: half a unit in the last place of 1.
inline constexpr double unit_roundoff = 0x1p-24;

/// Elements of all matrices, column by column without padding, one matrix after the other.
struct Expectation {
    std::vector<double> value;  ///< +-Inf where FP32 overflows, NaN where the rules say NaN
    /// |alpha| |A| |B| + |beta| |C|: what the permitted error is proportional to.
    std::vector<double> magnitude;
    std::int64_t k = 0;
    double scale = 1.0;          ///< max(1, |alpha|): carries the rounding of denormal sums
    bool exact = false;          ///< not even one rounding error is permitted
    bool positive_zero = false;  ///< a zero must be +0
    bool keeps_bits = false;     ///< C is untouched, and nothing above is filled in

    /// Rounding errors of a dot product of length k, in any order of summation, and of the epilogue; and
    /// those of sums below the normal range, which are not relative to anything.
    double bound(std::size_t element) const;
};

Expectation expect(const GemmCase& gemm_case, const Problem& problem);

struct Comparison {
    std::size_t wrong = 0;     ///< elements outside the bound, padding that changed
    std::string first;         ///< what is wrong with the first of them; empty if none
    double largest_error = 0;  ///< in units of 2^-24 * magnitude, over the finite elements
};

/// Judges one element: written so that a NaN that should not be there fails.
bool is_acceptable(const Expectation& expectation, std::size_t element, float actual);

/// Compares what a kernel left in C's buffer with what must be there, padding included.
Comparison compare(const Problem& before, std::span<const float> c_after, const Expectation& expectation);

}  // namespace sgemm_shim::testing
