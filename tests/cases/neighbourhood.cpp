#include <algorithm>
#include <cstdlib>
#include <functional>

#include "case_rows.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr Operation operations[][2] = {{Operation::none, Operation::none},
                                       {Operation::transpose, Operation::none},
                                       {Operation::none, Operation::transpose},
                                       {Operation::conjugate_transpose, Operation::transpose}};

/// Only powers of two and 0, so that exact sums stay exact.
constexpr float scalar_pairs[][2] = {{1, 0},     {1, -0.0f}, {-1, 1},    {2, 0.5f},  {0, 0},
                                     {0, -0.0f}, {0, 1},     {-0.0f, 2}, {0.5f, -1}, {-1, 0}};

/// Makes changed sizes and operations legal again: leading dimensions and strides keep their distance from
/// the least ones.
GemmCase changed(const GemmCase& base, const std::function<void(GemmCase&)>& change) {
    GemmCase result = base;
    change(result);
    const auto follow = [](const OperandLayout& before, std::int64_t& leading_dimension,
                           const std::function<OperandLayout()>& layout, std::int64_t& stride) {
        const auto least = [](const OperandLayout& operand) {
            return std::max<std::int64_t>(1, operand.rows);
        };
        leading_dimension += least(layout()) - least(before);
        const std::int64_t gap = std::abs(stride) - before.extent();
        if (stride != 0 && gap >= 0) stride = (stride < 0 ? -1 : 1) * (layout().extent() + gap);
    };
    // A change of the padding itself is kept: only what the shape asks for is added.
    follow(
        base.layout_a(), result.lda, [&] { return result.layout_a(); }, result.stride_a);
    follow(
        base.layout_b(), result.ldb, [&] { return result.layout_b(); }, result.stride_b);
    follow(
        base.layout_c(), result.ldc, [&] { return result.layout_c(); }, result.stride_c);
    return result;
}

using Changes = std::vector<std::function<void(GemmCase&)>>;

void add_sizes(Changes& changes) {
    for (const std::int64_t step : {-1, 1, 3}) {
        changes.push_back([step](GemmCase& c) { c.m = std::max<std::int64_t>(1, c.m + step); });
        changes.push_back([step](GemmCase& c) { c.n = std::max<std::int64_t>(1, c.n + step); });
        changes.push_back([step](GemmCase& c) { c.k = std::max<std::int64_t>(0, c.k + step); });
    }
}

void add_alignments(Changes& changes) {
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b)
            changes.push_back([a, b](GemmCase& c) { c.misalignment = {a, b, (a + b) % 4}; });
    }
}

void add_paddings(Changes& changes) {
    for (const std::int64_t a : {0, 1, 3}) {
        for (const std::int64_t b : {0, 2, 5}) {
            changes.push_back([a, b](GemmCase& c) {
                c.lda += a;
                c.ldb += b;
                c.ldc += a + b;
            });
        }
    }
}

void add_scalars(Changes& changes) {
    for (const auto& pair : scalar_pairs) {
        for (const PointerMode mode : {PointerMode::host, PointerMode::device}) {
            changes.push_back([&pair = pair, mode](GemmCase& c) {
                c.alpha = pair[0];
                c.beta = pair[1];
                c.pointer_mode = mode;
            });
        }
    }
}

void add(Changes& changes, const std::string& word) {
    if (word == "sizes") add_sizes(changes);
    if (word == "align") add_alignments(changes);
    if (word == "padding") add_paddings(changes);
    if (word == "scalars") add_scalars(changes);
    if (word == "depths") {
        for (const std::int64_t k : {1, 7, 8, 9, 40, 48, 56, 63})
            changes.push_back([k](GemmCase& c) { c.k = k; });
    }
    if (word == "batches") {
        for (const std::int64_t step : {-1, 1})
            changes.push_back([step](GemmCase& c) { c.batch_count += step; });
    }
    if (word == "data") {
        for (const DataPattern data :
             {DataPattern::integers, DataPattern::fine_a, DataPattern::fine_b, DataPattern::zeros})
            changes.push_back([data](GemmCase& c) { c.data = data; });
    }
    if (word == "ops") {
        for (const auto& pair : operations) {
            changes.push_back([&pair = pair](GemmCase& c) {
                c.operation_a = pair[0];
                c.operation_b = pair[1];
            });
        }
    }
}

}  // namespace

std::vector<GemmCase> neighbourhood(const GemmCase& base, const std::string& around) {
    std::vector<GemmCase> cases{base};
    if (around == "-") return cases;
    Changes changes;
    bool all_operations = false;
    for (const std::string& word : words(around)) {
        add(changes, word);
        all_operations |= word == "ops";
    }
    for (std::size_t i = 0; i < changes.size(); ++i) {
        GemmCase one = changed(base, changes[i]);
        one.seed = base.seed + i + 1;
        // Besides the four transpositions alone, every other neighbour takes one of them by turns.
        if (all_operations && one.operation_a == base.operation_a && one.operation_b == base.operation_b) {
            const auto& pair = operations[i % std::size(operations)];
            one = changed(one, [&](GemmCase& c) {
                c.operation_a = pair[0];
                c.operation_b = pair[1];
            });
        }
        cases.push_back(one);
    }
    return cases;
}

}  // namespace sgemm_shim::testing
