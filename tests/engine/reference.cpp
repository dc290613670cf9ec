#include "reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

namespace sgemm_shim::testing {
namespace {

constexpr double float_limit = 0x1.ffffffp127;  ///< from here on FP32 rounds to infinity
constexpr double infinity = std::numeric_limits<double>::infinity();

double overflow_as_fp32(double value) {
    return std::abs(value) >= float_limit ? std::copysign(infinity, value) : value;
}

/// op(X) of one matrix, column by column without padding.
std::vector<double> dense(const HostOperand& operand, std::int64_t matrix, bool transposed) {
    const OperandLayout& layout = operand.layout;
    std::vector<double> result(static_cast<std::size_t>(layout.rows * layout.columns));
    for (std::int64_t column = 0; column < layout.columns; ++column) {
        for (std::int64_t row = 0; row < layout.rows; ++row) {
            const std::int64_t place =
                transposed ? column + row * layout.columns : row + column * layout.rows;
            result[static_cast<std::size_t>(place)] = operand.at(matrix, row, column);
        }
    }
    return result;
}

/// The product of one pair of matrices and the product of their magnitudes, both m x n and zero on entry.
void multiply(const GemmCase& gemm_case, const Problem& problem, std::int64_t matrix, double* sum,
              double* magnitude) {
    const std::vector<double> a = dense(problem.a, matrix, gemm_case.operation_a != Operation::none);
    const std::vector<double> b = dense(problem.b, matrix, gemm_case.operation_b != Operation::none);
    const std::int64_t m = gemm_case.m, k = gemm_case.k;
    for (std::int64_t j = 0; j < gemm_case.n; ++j) {
        for (std::int64_t l = 0; l < k; ++l) {
            const double factor = b[static_cast<std::size_t>(l + j * k)];
            const double factor_magnitude = std::abs(factor);
            const double* column = a.data() + l * m;
            for (std::int64_t i = 0; i < m; ++i) {
                sum[i + j * m] += column[i] * factor;
                magnitude[i + j * m] += std::abs(column[i]) * factor_magnitude;
            }
        }
    }
}

/// The scalars keep exact sums exact: powers of two near 1, zero, and what makes everything NaN or Inf.
bool is_exact_scalar(float scalar) {
    if (scalar == 0.0f || !std::isfinite(scalar)) return true;
    int exponent = 0;
    return std::abs(std::frexp(scalar, &exponent)) == 0.5f && std::abs(exponent) <= 4;
}

/// How large k may be before sums of the pattern need more than 24 bits.
std::int64_t exact_k_limit(DataPattern pattern) {
    switch (pattern) {
        case DataPattern::integers:
        case DataPattern::denormal_in:
        case DataPattern::denormal_out:
            return 1 << 15;
        case DataPattern::fine_a:
        case DataPattern::fine_b:
            return 2000;
        case DataPattern::zeros:
        case DataPattern::huge:
            return std::numeric_limits<std::int64_t>::max();
        default:
            return 0;
    }
}

bool must_be_exact(const GemmCase& gemm_case) {
    if (!gemm_case.has_product()) return true;  // one multiplication
    return is_exact_scalar(gemm_case.alpha) && is_exact_scalar(gemm_case.beta) &&
           gemm_case.k <= exact_k_limit(gemm_case.data);
}

/// alpha * sum + beta * old as FP32 does it, but for rounding: alpha comes after the sum, and the sum may
/// have overflowed.
double epilogue(const GemmCase& gemm_case, double sum, float old) {
    const double product = gemm_case.has_product() ? gemm_case.alpha * overflow_as_fp32(sum) : 0.0;
    if (gemm_case.beta == 0.0f) return overflow_as_fp32(product);
    const float scaled = gemm_case.beta * old;  // the one rounding of a call without a product
    return gemm_case.has_product()
               ? overflow_as_fp32(product + overflow_as_fp32(double{gemm_case.beta} * old))
               : scaled;
}

std::string describe(const OperandLayout& layout, std::size_t element, const Expectation& expectation,
                     float actual) {
    const auto rows = static_cast<std::size_t>(layout.rows);
    const auto columns = static_cast<std::size_t>(layout.columns);
    char text[256];
    std::snprintf(text, sizeof text, "matrix %zu row %zu column %zu is %.9g (0x%08x), expected %.12g +- %.3g",
                  element / (rows * columns), element % rows, element / rows % columns,
                  static_cast<double>(actual), std::bit_cast<unsigned>(actual), expectation.value[element],
                  expectation.exact ? 0.0 : expectation.bound(element));
    return text;
}

/// Everything that no kernel may write: the padding, or all of C.
void compare_bits(const Problem& before, std::span<const float> after, bool elements_too,
                  Comparison& result) {
    const HostOperand& c = before.c;
    for (std::size_t i = 0; i < c.values.size(); ++i) {
        if (c.is_element[i] && !elements_too) continue;
        const auto was = std::bit_cast<unsigned>(c.values[i]);
        const auto is = std::bit_cast<unsigned>(after[i]);
        if (was == is) continue;
        if (result.wrong++ == 0) {
            char text[160];
            std::snprintf(text, sizeof text, "%s at float %zu of C's buffer changed from 0x%08x to 0x%08x",
                          c.is_element[i] ? "an element" : "padding", i, was, is);
            result.first = text;
        }
    }
}

}  // namespace

double Expectation::bound(std::size_t element) const {
    constexpr double epilogue_roundings = 4;
    const double roundings = static_cast<double>(k) + epilogue_roundings;
    return roundings * (unit_roundoff * magnitude[element] + scale * 0x1p-150);
}

Expectation expect(const GemmCase& gemm_case, const Problem& problem) {
    Expectation result;
    result.k = gemm_case.has_product() ? gemm_case.k : 0;
    result.scale = std::isfinite(gemm_case.alpha) ? std::max(1.0, std::abs(double{gemm_case.alpha})) : 1.0;
    result.exact = must_be_exact(gemm_case);
    result.positive_zero = gemm_case.beta == 0.0f;
    result.keeps_bits = gemm_case.keeps_c();
    if (result.keeps_bits) return result;

    const auto matrix_size = static_cast<std::size_t>(gemm_case.m * gemm_case.n);
    result.value.resize(matrix_size * static_cast<std::size_t>(gemm_case.batch_count));
    result.magnitude.resize(result.value.size());
    for (std::int64_t matrix = 0; matrix < gemm_case.batch_count; ++matrix) {
        double* value = result.value.data() + static_cast<std::size_t>(matrix) * matrix_size;
        double* magnitude = result.magnitude.data() + static_cast<std::size_t>(matrix) * matrix_size;
        if (gemm_case.has_product()) multiply(gemm_case, problem, matrix, value, magnitude);
        for (std::int64_t j = 0; j < gemm_case.n; ++j) {
            for (std::int64_t i = 0; i < gemm_case.m; ++i) {
                const std::int64_t place = i + j * gemm_case.m;
                const float old = problem.c.at(matrix, i, j);
                value[place] = epilogue(gemm_case, value[place], old);
                magnitude[place] *= std::abs(double{gemm_case.alpha});
                if (gemm_case.beta != 0.0f) magnitude[place] += std::abs(double{gemm_case.beta} * old);
            }
        }
    }
    return result;
}

bool is_acceptable(const Expectation& expectation, std::size_t element, float actual) {
    const double expected = expectation.value[element];
    if (std::isnan(expected)) return std::isnan(actual);
    if (std::isinf(expected)) return actual == expected;
    // A negative result too small for FP32 is rounded to -0; every other zero is +0.
    const bool is_negative_zero = actual == 0.0f && std::signbit(actual);
    if (expectation.positive_zero && is_negative_zero && !(expected < 0)) return false;
    const double error = std::abs(double{actual} - expected);
    return error <= (expectation.exact ? 0.0 : expectation.bound(element));
}

Comparison compare(const Problem& before, std::span<const float> c_after, const Expectation& expectation) {
    Comparison result;
    const OperandLayout& layout = before.c.layout;
    std::size_t element = 0;
    for (std::int64_t matrix = 0; !expectation.keeps_bits && matrix < layout.batch_count; ++matrix) {
        for (std::int64_t column = 0; column < layout.columns; ++column) {
            for (std::int64_t row = 0; row < layout.rows; ++row, ++element) {
                const float actual = c_after[static_cast<std::size_t>(layout.offset(matrix, row, column))];
                if (!is_acceptable(expectation, element, actual) && result.wrong++ == 0)
                    result.first = describe(layout, element, expectation, actual);
                const double error = std::abs(double{actual} - expectation.value[element]);
                if (error > 0 && std::isfinite(error))
                    result.largest_error = std::max(result.largest_error,
                                                    error / (unit_roundoff * expectation.magnitude[element]));
            }
        }
    }
    compare_bits(before, c_after, expectation.keeps_bits, result);
    return result;
}

}  // namespace sgemm_shim::testing
