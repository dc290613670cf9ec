#include "shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <istream>
#include <limits>
#include <ostream>
#include <random>
#include <utility>

#include "text.hpp"

namespace sgemm_bench {
namespace {

/// cuBLAS is called with 32-bit sizes, as most programs do.
constexpr std::int64_t size_limit = std::numeric_limits<std::int32_t>::max();
/// Elements of one operand: more than any GPU holds, and far from what would overflow.
constexpr double elements_limit = 0x1p48;
/// The first line of a shapes file; more columns may follow.
constexpr std::string_view shapes_header = "name,m,n,k,transA,transB,batch,lda,ldb,ldc,beta";

std::int64_t parse_size(std::string_view text, std::string_view what) {
    return parse_number<std::int64_t>(text, 1, what, size_limit);
}

Operations parse_operation_pair(std::string_view text) {
    const auto is_operation = [](char letter) { return letter == 'N' || letter == 'T'; };
    if (text.size() != 2 || !is_operation(text[0]) || !is_operation(text[1]))
        throw InputError("operations: '" + std::string(text) + "' is none of NN, NT, TN, TT");
    return {text[0], text[1]};
}

std::string to_string(Operations operations) {
    return {operations.a, operations.b};
}

Storage make_storage(std::int64_t rows, std::int64_t columns, std::int64_t leading_dimension,
                     std::int64_t batch, std::optional<std::int64_t> stride, std::int64_t misalignment,
                     std::int64_t pad, const std::string& name) {
    if (leading_dimension != 0 && leading_dimension < rows)
        throw InputError(name + ": a leading dimension of " + std::to_string(leading_dimension) + " for " +
                         std::to_string(rows) + " rows");
    Storage storage;
    storage.leading_dimension = leading_dimension != 0 ? leading_dimension : rows + pad;
    storage.columns = columns;
    storage.batch = batch;
    storage.misalignment = misalignment;
    // Backwards through memory is as far as forwards.
    storage.stride = stride ? std::abs(*stride) : storage.leading_dimension * columns;
    if (storage.leading_dimension > size_limit)
        throw InputError(name + ": a leading dimension of " + std::to_string(storage.leading_dimension));
    if (static_cast<double>(storage.leading_dimension) * static_cast<double>(columns) +
            static_cast<double>(storage.stride) * static_cast<double>(batch) >
        elements_limit)
        throw InputError(name + ": too large for any memory");
    return storage;
}

Shape parse_shape_line(const std::vector<std::string>& fields) {
    constexpr std::size_t needed = 11;
    if (fields.size() < needed)
        throw InputError("shapes file: '" + fields[0] + "' has " + std::to_string(fields.size()) +
                         " fields, not " + std::to_string(needed) + " or more");
    const auto size_or = [&](std::size_t field, std::int64_t absent) {
        return fields[field].empty() ? absent : parse_size(fields[field], fields[0]);
    };
    Shape shape;
    shape.name = fields[0];
    shape.m = parse_size(fields[1], shape.name);
    shape.n = parse_size(fields[2], shape.name);
    shape.k = parse_size(fields[3], shape.name);
    shape.operations = parse_operation_pair(fields[4] + fields[5]);
    shape.batch = size_or(6, 1);
    shape.lda = size_or(7, 0);
    shape.ldb = size_or(8, 0);
    shape.ldc = size_or(9, 0);
    if (!fields[10].empty())
        shape.beta = parse_number<float>(fields[10], std::numeric_limits<float>::lowest(), shape.name);
    return shape;
}

}  // namespace

std::string default_name(const Shape& shape) {
    std::string name = std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
                       std::to_string(shape.k) + "_" + to_string(shape.operations);
    if (shape.batch != 1) name += "_b" + std::to_string(shape.batch);
    return name;
}

double Problem::flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(batch);
}

double Problem::bytes() const {
    const auto elements = [](std::int64_t rows, std::int64_t columns, const Storage& storage) {
        return static_cast<double>(rows) * static_cast<double>(columns) *
               static_cast<double>(storage.matrices());
    };
    const double visits_of_c = beta != 0 ? 2 : 1;
    return 4 * (elements(m, k, a) + elements(k, n, b) + visits_of_c * elements(m, n, c));
}

Problem to_problem(const Shape& shape) {
    Shape columns = shape;
    auto& misalignment = columns.variation.misalignment;
    if (shape.row_major) {
        std::swap(columns.m, columns.n);
        std::swap(columns.operations.a, columns.operations.b);
        std::swap(columns.lda, columns.ldb);
        std::swap(misalignment[0], misalignment[1]);
        if (columns.strides) std::swap((*columns.strides)[0], (*columns.strides)[1]);
    }
    const auto stride = [&](std::size_t operand) {
        return columns.strides ? std::optional((*columns.strides)[operand]) : std::nullopt;
    };
    if (columns.batch > 1 && stride(2) == 0) throw InputError(shape.name + ": the matrices of C are one");
    const bool transposed_a = columns.operations.a == 'T';
    const bool transposed_b = columns.operations.b == 'T';
    const auto storage = [&](bool transposed, std::int64_t rows, std::int64_t count,
                             std::int64_t leading_dimension, std::size_t operand) {
        return make_storage(transposed ? count : rows, transposed ? rows : count, leading_dimension,
                            shape.batch, stride(operand), misalignment[operand],
                            shape.variation.leading_dimension_pad, shape.name);
    };
    return {columns.m,
            columns.n,
            columns.k,
            columns.operations,
            columns.batch,
            columns.pointer_arrays,
            columns.beta,
            storage(transposed_a, columns.m, columns.k, columns.lda, 0),
            storage(transposed_b, columns.k, columns.n, columns.ldb, 1),
            storage(false, columns.m, columns.n, columns.ldc, 2)};
}

std::int64_t rotation_count(const Problem& problem, std::int64_t bytes, std::int64_t most) {
    const std::int64_t spacing = problem.spacing_bytes();
    return std::clamp((bytes + spacing - 1) / spacing, std::int64_t{1}, most);
}

std::vector<std::int64_t> parse_sizes(std::string_view text) {
    std::vector<std::int64_t> sizes;
    for (const std::string& part : split(text, ',')) {
        const std::vector<std::string> range = split(part, ':');
        if (range.size() != 1 && range.size() != 3)
            throw InputError("sizes: '" + part + "' is neither a size nor first:last:step");
        const std::int64_t first = parse_size(range[0], "sizes");
        const std::int64_t last = range.size() == 3 ? parse_size(range[1], "sizes") : first;
        const std::int64_t step = range.size() == 3 ? parse_size(range[2], "sizes") : 1;
        if (last < first) throw InputError("sizes: '" + part + "' is an empty range");
        for (std::int64_t size = first; size <= last; size += step) sizes.push_back(size);
    }
    return sizes;
}

std::vector<Operations> parse_operations(std::string_view text) {
    std::vector<Operations> operations;
    for (const std::string& pair : split(text, ',')) operations.push_back(parse_operation_pair(pair));
    return operations;
}

std::vector<Shape> parse_shapes(std::string_view text, const std::vector<Operations>& operations) {
    std::vector<Shape> shapes;
    for (const std::string& part : split(text, ';')) {
        const std::vector<std::string> fields = split(part, ',');
        if (fields.size() < 3 || fields.size() > 5)
            throw InputError("shape: '" + part + "' is not m,n,k[,operations[,batch]]");
        Shape shape;
        shape.m = parse_size(fields[0], "m");
        shape.n = parse_size(fields[1], "n");
        shape.k = parse_size(fields[2], "k");
        if (fields.size() > 4) shape.batch = parse_size(fields[4], "batch");
        for (const Operations pair :
             fields.size() > 3 ? std::vector{parse_operation_pair(fields[3])} : operations) {
            shape.operations = pair;
            shape.name = default_name(shape);
            shapes.push_back(shape);
        }
    }
    return shapes;
}

std::vector<Shape> read_shapes(std::istream& file) {
    std::vector<Shape> shapes;
    bool has_header = false;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        if (has_header) {
            shapes.push_back(parse_shape_line(csv_fields(line)));
        } else if (line.starts_with(shapes_header)) {
            has_header = true;
        } else {
            throw InputError("shapes file: the first line names other columns: " + line);
        }
    }
    if (shapes.empty()) throw InputError("shapes file: no shapes in it");
    return shapes;
}

std::vector<Shape> square_shapes(const std::vector<std::int64_t>& sizes,
                                 const std::vector<Operations>& operations) {
    std::vector<Shape> shapes;
    for (const std::int64_t size : sizes) {
        for (const Operations pair : operations) {
            Shape shape;
            shape.name = std::to_string(size) + "_" + to_string(pair);
            shape.m = shape.n = shape.k = size;
            shape.operations = pair;
            shapes.push_back(shape);
        }
    }
    return shapes;
}

std::vector<Shape> second_source_shapes() {
    std::vector<Shape> shapes = parse_shapes(
        "32,1605632,27;384,14161,1152;256,43264,1152;64,1605632,147;64,559104,147;256,50176,1024",
        {{'N', 'N'}});
    for (Shape& shape : shapes) {
        shape.row_major = true;
        shape.name = "row_major_" + shape.name;
    }
    return shapes;
}

std::vector<Shape> random_shapes(std::int64_t count, std::uint64_t seed) {
    constexpr int largest = 8192;
    // The library's distributions may differ from one to the next; its engines may not.
    std::mt19937_64 engine(seed);
    const auto draw_size = [&] {
        const double uniform = static_cast<double>(engine() >> 11) * 0x1p-53;
        const double size = std::exp(uniform * std::log(largest + 1.0));
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(size), 1, largest);
    };
    std::vector<Shape> shapes;
    for (std::int64_t i = 0; i < count; ++i) {
        Shape shape;
        shape.m = draw_size();
        shape.n = draw_size();
        shape.k = draw_size();
        const std::uint64_t pair = engine();
        shape.operations = {(pair & 1) != 0 ? 'T' : 'N', (pair & 2) != 0 ? 'T' : 'N'};
        shape.name = default_name(shape);
        shapes.push_back(shape);
    }
    return shapes;
}

std::vector<Shape> with_unaligned(const std::vector<Shape>& shapes) {
    std::vector<Shape> all;
    for (const Shape& shape : shapes) {
        all.push_back(shape);
        Shape& misaligned = all.emplace_back(shape);
        misaligned.name += "_misaligned";
        for (std::int64_t& offset : misaligned.variation.misalignment) ++offset;
        Shape& padded = all.emplace_back(shape);
        padded.name += "_ld+1";
        ++padded.variation.leading_dimension_pad;
    }
    return all;
}

void write_shapes(std::ostream& out, const std::vector<Shape>& shapes) {
    out << shapes_header << ",source\n";
    for (const Shape& shape : shapes) {
        const Problem problem = to_problem(shape);
        out << csv_quote(shape.name) << ',' << problem.m << ',' << problem.n << ',' << problem.k << ','
            << problem.operations.a << ',' << problem.operations.b << ',' << problem.batch << ','
            << problem.a.leading_dimension << ',' << problem.b.leading_dimension << ','
            << problem.c.leading_dimension << ',' << shortest_text(problem.beta) << ",\n";
    }
}

}  // namespace sgemm_bench
