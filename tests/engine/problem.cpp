#include "problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "random.hpp"

namespace sgemm_shim::testing {
namespace {

enum class Role : std::uint64_t { a = 1, b = 2, c = 3 };

float uniform(std::uint64_t bits) {
    return static_cast<float>(bits >> 40) * 0x1p-23f - 1.0f;
}

float small_integer(std::uint64_t bits) {
    return static_cast<float>(static_cast<int>((bits >> 40) % 17) - 8);
}

float with_random_sign(std::uint64_t bits, float magnitude) {
    return (bits >> 40) % 2 == 0 ? magnitude : -magnitude;
}

/// A quiet NaN that no arithmetic makes: its payload depends on where it stands.
float sentinel(std::uint64_t bits) {
    return std::bit_cast<float>(0x7fc00001u | static_cast<std::uint32_t>((bits >> 40) & 0x3ffffe));
}

float signalling_nan(std::uint64_t bits) {
    return std::bit_cast<float>(0xff800001u | static_cast<std::uint32_t>((bits >> 40) & 0x3ffffe));
}

float element(DataPattern pattern, Role role, std::uint64_t bits) {
    switch (pattern) {
        case DataPattern::integers:
            return small_integer(bits);
        case DataPattern::fine_a:
            return with_random_sign(bits, role == Role::a ? 1.0f + 0x1p-12f : 1.0f);
        case DataPattern::fine_b:
            return with_random_sign(bits, role == Role::b ? 1.0f + 0x1p-12f : 1.0f);
        case DataPattern::denormal_in:
            return small_integer(bits) * (role == Role::a   ? 0x1p-140f
                                          : role == Role::b ? 0x1p40f
                                                            : 0x1p-100f);
        case DataPattern::denormal_out:
            return small_integer(bits) * (role == Role::a   ? 0x1p-100f
                                          : role == Role::b ? 0x1p-40f
                                                            : 0x1p-140f);
        case DataPattern::zeros:
            return role == Role::a ? with_random_sign(bits, 0.0f) : small_integer(bits);
        case DataPattern::huge:
            return 0x1p70f;
        case DataPattern::random:
        case DataPattern::nan_in_a:
        case DataPattern::nan_in_b:
        case DataPattern::inf_in_a:
        case DataPattern::count:
            break;
    }
    return uniform(bits);
}

HostOperand fill(const OperandLayout& layout, DataPattern pattern, Role role, std::uint64_t seed) {
    HostOperand operand{layout, {}, {}};
    const auto size = static_cast<std::size_t>(layout.size());
    operand.values.resize(size);
    operand.is_element.resize(size);
    for (std::int64_t matrix = 0; size != 0 && matrix < layout.batch_count; ++matrix) {
        for (std::int64_t column = 0; column < layout.columns; ++column) {
            const auto first = operand.is_element.begin() + layout.offset(matrix, 0, column);
            std::fill(first, first + layout.rows, true);
        }
    }
    const std::uint64_t stream = hash(seed * 4 + static_cast<std::uint64_t>(role));
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t bits = hash(stream + i);
        operand.values[i] = operand.is_element[i] ? element(pattern, role, bits) : sentinel(bits);
    }
    return operand;
}

void fill_with_sentinels(HostOperand& operand, std::uint64_t seed) {
    for (std::size_t i = 0; i < operand.values.size(); ++i) operand.values[i] = sentinel(hash(seed + i));
}

/// Puts one value somewhere into one matrix.
void plant(HostOperand& operand, float value, std::uint64_t seed) {
    if (operand.values.empty()) return;
    Random random(seed + 100);
    const OperandLayout& layout = operand.layout;
    const std::int64_t matrix = random.below(layout.batch_count);
    const std::int64_t row = random.below(layout.rows);
    operand.at(matrix, row, random.below(layout.columns)) = value;
}

/// One element in four becomes a NaN, by turns quiet and signalling.
void plant_nans(HostOperand& operand, std::uint64_t seed) {
    for (std::size_t i = 0; i < operand.values.size(); ++i) {
        const std::uint64_t bits = hash(seed + 200 + i);
        if (operand.is_element[i] && bits % 4 == 0)
            operand.values[i] = bits % 8 == 0 ? sentinel(bits) : signalling_nan(bits);
    }
}

}  // namespace

Problem make_problem(const GemmCase& gemm_case) {
    const std::uint64_t seed = gemm_case.seed;
    const DataPattern pattern = gemm_case.data;
    Problem problem{fill(gemm_case.layout_a(), pattern, Role::a, seed),
                    fill(gemm_case.layout_b(), pattern, Role::b, seed),
                    fill(gemm_case.layout_c(), pattern, Role::c, seed)};

    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    if (pattern == DataPattern::nan_in_a) plant(problem.a, nan, seed);
    if (pattern == DataPattern::nan_in_b) plant(problem.b, nan, seed);
    if (pattern == DataPattern::inf_in_a) plant(problem.a, std::numeric_limits<float>::infinity(), seed);

    if (!gemm_case.has_product()) {
        fill_with_sentinels(problem.a, seed);
        fill_with_sentinels(problem.b, seed);
    }
    if (gemm_case.beta == 0.0f) fill_with_sentinels(problem.c, seed);
    if (gemm_case.keeps_c()) plant_nans(problem.c, seed);
    return problem;
}

}  // namespace sgemm_shim::testing
