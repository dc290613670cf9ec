#include "shape.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "text.hpp"

namespace sgemm_bench {
namespace {

/// cuBLAS is called with 32-bit sizes, as most programs do.
constexpr std::int64_t size_limit = std::numeric_limits<std::int32_t>::max();

std::int64_t parse_size(std::string_view text, std::string_view what) {
    const auto value = parse_number<std::int64_t>(text, 1, what);
    if (value > size_limit) throw InputError(std::string(what) + ": " + std::string(text) + " is too large");
    return value;
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

std::string default_name(const Shape& shape) {
    std::string name = std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
                       std::to_string(shape.k) + "_" + to_string(shape.operations);
    if (shape.batch != 1) name += "_b" + std::to_string(shape.batch);
    return name;
}

Storage make_storage(std::int64_t rows, std::int64_t columns, std::int64_t leading_dimension,
                     std::int64_t batch, std::int64_t misalignment, std::int64_t pad,
                     const std::string& name) {
    if (leading_dimension != 0 && leading_dimension < rows)
        throw InputError(name + ": a leading dimension of " + std::to_string(leading_dimension) + " for " +
                         std::to_string(rows) + " rows");
    return {leading_dimension != 0 ? leading_dimension : rows + pad, columns, batch, misalignment};
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

double Problem::flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
           static_cast<double>(batch);
}

double Problem::bytes() const {
    const auto elements = [](std::int64_t rows, std::int64_t columns) {
        return static_cast<double>(rows) * static_cast<double>(columns);
    };
    const double visits_of_c = beta != 0 ? 2 : 1;
    return 4 * (elements(m, k) + elements(k, n) + visits_of_c * elements(m, n)) * static_cast<double>(batch);
}

Problem to_problem(const Shape& shape, const Variation& variation) {
    Shape columns = shape;
    auto misalignment = variation.misalignment;
    if (shape.row_major) {
        std::swap(columns.m, columns.n);
        std::swap(columns.operations.a, columns.operations.b);
        std::swap(columns.lda, columns.ldb);
        std::swap(misalignment[0], misalignment[1]);
    }
    const bool transposed_a = columns.operations.a == 'T';
    const bool transposed_b = columns.operations.b == 'T';
    const auto storage = [&](bool transposed, std::int64_t rows, std::int64_t count,
                             std::int64_t leading_dimension, std::int64_t offset) {
        return make_storage(transposed ? count : rows, transposed ? rows : count, leading_dimension,
                            shape.batch, offset, variation.leading_dimension_pad, shape.name);
    };
    return {columns.m,
            columns.n,
            columns.k,
            columns.operations,
            columns.batch,
            columns.beta,
            storage(transposed_a, columns.m, columns.k, columns.lda, misalignment[0]),
            storage(transposed_b, columns.k, columns.n, columns.ldb, misalignment[1]),
            storage(false, columns.m, columns.n, columns.ldc, misalignment[2])};
}

std::int64_t rotation_count(const Problem& problem, std::int64_t bytes, std::int64_t most) {
    const std::int64_t spacing = problem.spacing_bytes();
    return std::clamp((bytes + spacing - 1) / spacing, std::int64_t{1}, most);
}

std::vector<Operations> parse_operations(std::string_view text) {
    std::vector<Operations> operations;
    for (const std::string& pair : split(text, ',')) operations.push_back(parse_operation_pair(pair));
    return operations;
}

std::vector<Shape> parse_shapes(std::string_view text, const std::vector<Operations>& operations) {
    std::vector<Shape> shapes;
    for (const std::string& part : split(text, ';')) {
        if (part.empty()) continue;
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
        } else if (line.rfind("name,m,n,k,transA,transB,batch,lda,ldb,ldc,beta", 0) == 0) {
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

}  // namespace sgemm_bench
