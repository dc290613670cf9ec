#include "call_log.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <istream>
#include <limits>
#include <optional>
#include <string_view>

#include "plan.hpp"
#include "record.hpp"
#include "text.hpp"

namespace sgemm_bench {
namespace {

using sgemm_shim::EntryPoint;
using sgemm_shim::ForwardReason;

/// Reasons that lie in the call itself: cuBLAS's FP32 product would be another one, or none. All others lie
/// in the circumstances of the day.
constexpr ForwardReason reasons_of_the_call[] = {
    ForwardReason::data_type, ForwardReason::compute_type, ForwardReason::algorithm,
    ForwardReason::invalid,   ForwardReason::empty,        ForwardReason::pointer,
    ForwardReason::tf32,      ForwardReason::math_mode,    ForwardReason::overlapping_c,
};
constexpr EntryPoint pointer_array_entry_points[] = {EntryPoint::batched, EntryPoint::batched_64,
                                                     EntryPoint::batched_ex, EntryPoint::batched_ex_64};

/// The fields of one line by the names of their columns.
class Row {
  public:
    Row(const std::map<std::string, std::size_t>& columns, std::vector<std::string> fields)
        : columns_(columns), fields_(std::move(fields)) {}

    const std::string& text(const std::string& column) const { return fields_[columns_.at(column)]; }
    std::int64_t integer(const std::string& column) const {
        return parse_number(text(column), std::numeric_limits<std::int64_t>::min(), column);
    }
    /// Of a column that older logs lack.
    std::int64_t integer_or_zero(const std::string& column) const {
        return columns_.contains(column) ? integer(column) : 0;
    }

  private:
    const std::map<std::string, std::size_t>& columns_;
    std::vector<std::string> fields_;
};

std::map<std::string, std::size_t> columns_of(const std::string& header) {
    std::map<std::string, std::size_t> columns;
    for (const std::string& name : csv_fields(header)) columns.emplace(name, columns.size());
    for (const char* needed :
         {"entry_point", "operation_a", "operation_b", "m", "n", "k", "lda", "ldb", "ldc", "batch",
          "stride_a", "stride_b", "stride_c", "alpha", "beta", "kernel", "reason", "status"}) {
        if (!columns.contains(needed))
            throw InputError("not a log of calls: no column " + std::string(needed));
    }
    return columns;
}

/// Why the call is not one to measure; empty if it is.
std::string obstacle(const Row& row) {
    for (const ForwardReason reason : reasons_of_the_call) {
        if (row.text("reason") == to_string(reason)) return to_string(reason);
    }
    if (row.text("status") != "0") return "status " + row.text("status");
    if (row.text("alpha") == "0" || row.text("alpha") == "null") return "alpha = 0";
    for (const char* column : {"m", "n", "k", "lda", "ldb", "ldc", "batch"}) {
        const std::int64_t value = row.integer(column);
        if (value < 1) return "empty";
        if (value > std::numeric_limits<std::int32_t>::max()) return "more than 32 bits";
    }
    return {};
}

char operation(const std::string& letter) {
    if (letter == "N") return 'N';
    if (letter == "T" || letter == "C") return 'T';  // the same for real numbers
    throw InputError("operation '" + letter + "'");
}

float beta_of_class(const std::string& text) {
    if (text == "1") return 1;
    return text == "other" ? 0.5f : 0;
}

std::string triple(const std::array<std::int64_t, 3>& values) {
    return std::to_string(values[0]) + "/" + std::to_string(values[1]) + "/" + std::to_string(values[2]);
}

/// default_name(), and everything that is not as usual.
std::string full_name(const Shape& shape) {
    Shape tight = shape;
    tight.lda = tight.ldb = tight.ldc = 0;
    tight.strides.reset();
    const Problem usual = to_problem(tight);
    const Problem problem = to_problem(shape);
    const auto leading_dimensions = [](const Problem& p) {
        return std::array{p.a.leading_dimension, p.b.leading_dimension, p.c.leading_dimension};
    };
    std::string name = default_name(shape);
    if (leading_dimensions(problem) != leading_dimensions(usual))
        name += "_ld" + triple(leading_dimensions(problem));
    if (shape.strides) name += "_stride" + triple(*shape.strides);
    if (shape.pointer_arrays) name += "_pointers";
    if (shape.variation.misalignment != std::array<std::int64_t, 3>{})
        name += "_off" + triple(shape.variation.misalignment);
    if (shape.beta != 0) name += "_beta" + shortest_text(shape.beta);
    return name;
}

Shape to_shape(const Row& row) {
    Shape shape;
    shape.m = row.integer("m");
    shape.n = row.integer("n");
    shape.k = row.integer("k");
    shape.operations = {operation(row.text("operation_a")), operation(row.text("operation_b"))};
    shape.batch = row.integer("batch");
    shape.lda = row.integer("lda");
    shape.ldb = row.integer("ldb");
    shape.ldc = row.integer("ldc");
    shape.name = default_name(shape);  // for messages, until all is known
    shape.beta = beta_of_class(row.text("beta"));
    shape.pointer_arrays = std::any_of(
        std::begin(pointer_array_entry_points), std::end(pointer_array_entry_points),
        [&](EntryPoint entry_point) { return row.text("entry_point") == to_string(entry_point); });
    if (shape.batch > 1 && !shape.pointer_arrays) {
        const std::array<std::int64_t, 3> strides{row.integer("stride_a"), row.integer("stride_b"),
                                                  row.integer("stride_c")};
        const Problem problem = to_problem(shape);
        if (strides != std::array{problem.a.stride, problem.b.stride, problem.c.stride})
            shape.strides = strides;
    }
    shape.variation.misalignment = {row.integer_or_zero("misalignment_a"),
                                    row.integer_or_zero("misalignment_b"),
                                    row.integer_or_zero("misalignment_c")};
    shape.name = full_name(shape);
    return shape;
}

}  // namespace

void CallLog::read(std::istream& file, const std::string& name) {
    std::optional<std::map<std::string, std::size_t>> columns;
    std::string header;
    std::int64_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        try {
            if (!columns) {
                columns = columns_of(line);
                header = line;
                continue;
            }
            if (line == header) continue;  // another process appended its log
            std::vector<std::string> fields = csv_fields(line);
            if (fields.size() != columns->size())
                throw InputError(std::to_string(fields.size()) + " fields, not " +
                                 std::to_string(columns->size()));
            const Row row(*columns, std::move(fields));
            if (const std::string reason = obstacle(row); !reason.empty()) {
                ++left_out_[reason];
                continue;
            }
            const Shape shape = to_shape(row);
            const auto [found, is_new] = shapes_.try_emplace(shape.name, shape);
            if (!is_new) ++found->second.count;
        } catch (const InputError& error) {
            throw InputError(name + ", line " + std::to_string(number) + ": " + error.what());
        }
    }
    if (!columns) throw InputError(name + ": empty");
}

std::vector<Shape> CallLog::shapes() const {
    std::vector<Shape> shapes;
    for (const auto& [name, shape] : shapes_) shapes.push_back(shape);
    const auto operations = [](const Shape& shape) {
        return to_problem(shape).flops() * static_cast<double>(shape.count);
    };
    std::stable_sort(shapes.begin(), shapes.end(), [&](const Shape& one, const Shape& other) {
        return operations(one) > operations(other);
    });
    return shapes;
}

}  // namespace sgemm_bench
