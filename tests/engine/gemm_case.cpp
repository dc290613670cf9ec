#include "gemm_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace sgemm_shim::testing {
namespace {

constexpr const char* pattern_names[] = {"random",      "integers",     "fine_a",  "fine_b",
                                         "denormal_in", "denormal_out", "zeros",   "huge",
                                         "nan_in_a",    "nan_in_b",     "inf_in_a"};
static_assert(std::size(pattern_names) == static_cast<std::size_t>(DataPattern::count));

constexpr std::string_view operation_letters = "NTC";

std::string scalar_text(float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%a", static_cast<double>(value));
    return text;
}

[[noreturn]] void refuse(std::string_view field) {
    throw std::invalid_argument("not a valid field of a case: '" + std::string(field) + "'");
}

/// One word of a line: "name=value".
struct Field {
    std::string text, name, value;

    explicit Field(const std::string& word) : text(word) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) refuse(word);
        name = word.substr(0, equals);
        value = word.substr(equals + 1);
    }

    std::int64_t integer(std::int64_t least = std::numeric_limits<std::int64_t>::min()) const {
        std::size_t used = 0;
        std::int64_t number = 0;
        try {
            number = std::stoll(value, &used);
        } catch (const std::logic_error&) {
            refuse(text);
        }
        if (used != value.size() || number < least) refuse(text);
        return number;
    }
    float scalar() const {
        char* end = nullptr;
        const float number = std::strtof(value.c_str(), &end);
        if (value.empty() || *end != '\0') refuse(text);
        return number;
    }
    Operation operation(std::size_t place) const {
        if (value.size() != 2) refuse(text);
        const std::size_t found = operation_letters.find(value[place]);
        if (found == std::string_view::npos) refuse(text);
        return static_cast<Operation>(found);
    }
    std::array<int, 3> misalignments() const {
        std::array<int, 3> result{};
        char rest = 0;
        if (std::sscanf(value.c_str(), "%d,%d,%d%c", &result[0], &result[1], &result[2], &rest) != 3)
            refuse(text);
        if (!std::ranges::all_of(result, [](int floats) { return floats >= 0 && floats < 4; })) refuse(text);
        return result;
    }
    DataPattern pattern() const {
        const auto* found = std::ranges::find(pattern_names, value);
        if (found == std::end(pattern_names)) refuse(text);
        return static_cast<DataPattern>(found - pattern_names);
    }
    /// The place of the value among two words.
    bool is_second(const char* first, const char* second) const {
        if (value != first && value != second) refuse(text);
        return value == second;
    }
};

void assign(GemmCase& result, const Field& field) {
    const std::string& name = field.name;
    if (name == "kernel") {
        result.kernel = field.value;
    } else if (name == "ops") {
        result.operation_a = field.operation(0);
        result.operation_b = field.operation(1);
    } else if (name == "m") {
        result.m = field.integer(1);
    } else if (name == "n") {
        result.n = field.integer(1);
    } else if (name == "k") {
        result.k = field.integer(0);
    } else if (name == "lda") {
        result.lda = field.integer(1);
    } else if (name == "ldb") {
        result.ldb = field.integer(1);
    } else if (name == "ldc") {
        result.ldc = field.integer(1);
    } else if (name == "align") {
        result.misalignment = field.misalignments();
    } else if (name == "scalars") {
        result.pointer_mode = field.is_second("host", "device") ? PointerMode::device : PointerMode::host;
    } else if (name == "alpha") {
        result.alpha = field.scalar();
    } else if (name == "beta") {
        result.beta = field.scalar();
    } else if (name == "batch") {
        result.batch_count = field.integer(1);
    } else if (name == "layout") {
        result.pointer_arrays = field.is_second("strided", "arrays");
    } else if (name == "stride_a") {
        result.stride_a = field.integer();
    } else if (name == "stride_b") {
        result.stride_b = field.integer();
    } else if (name == "stride_c") {
        result.stride_c = field.integer();
    } else if (name == "data") {
        result.data = field.pattern();
    } else if (name == "seed") {
        result.seed = static_cast<std::uint64_t>(field.integer(0));
    } else {
        refuse(field.text);
    }
}

/// Leading dimension 0 stands for "not given" while a line is read.
void complete_leading_dimension(std::int64_t& leading_dimension, const OperandLayout& layout,
                                const char* name) {
    const std::int64_t least = std::max<std::int64_t>(1, layout.rows);
    if (leading_dimension == 0) leading_dimension = least;
    if (leading_dimension < least) refuse(name);
}

}  // namespace

const char* to_string(DataPattern pattern) {
    return pattern_names[static_cast<std::size_t>(pattern)];
}

OperandLayout GemmCase::layout_a() const {
    const bool plain = operation_a == Operation::none;
    return {plain ? m : k, plain ? k : m, lda, stride_a, batch_count};
}

OperandLayout GemmCase::layout_b() const {
    const bool plain = operation_b == Operation::none;
    return {plain ? k : n, plain ? n : k, ldb, stride_b, batch_count};
}

OperandLayout GemmCase::layout_c() const {
    return {m, n, ldc, stride_c, batch_count};
}

std::string to_line(const GemmCase& gemm_case) {
    std::ostringstream line;
    if (!gemm_case.kernel.empty()) line << "kernel=" << gemm_case.kernel << ' ';
    line << "ops=" << operation_letters[static_cast<std::size_t>(gemm_case.operation_a)]
         << operation_letters[static_cast<std::size_t>(gemm_case.operation_b)] << " m=" << gemm_case.m
         << " n=" << gemm_case.n << " k=" << gemm_case.k << " lda=" << gemm_case.lda
         << " ldb=" << gemm_case.ldb << " ldc=" << gemm_case.ldc << " align=" << gemm_case.misalignment[0]
         << ',' << gemm_case.misalignment[1] << ',' << gemm_case.misalignment[2]
         << " scalars=" << (gemm_case.pointer_mode == PointerMode::device ? "device" : "host")
         << " alpha=" << scalar_text(gemm_case.alpha) << " beta=" << scalar_text(gemm_case.beta)
         << " batch=" << gemm_case.batch_count
         << " layout=" << (gemm_case.pointer_arrays ? "arrays" : "strided")
         << " stride_a=" << gemm_case.stride_a << " stride_b=" << gemm_case.stride_b
         << " stride_c=" << gemm_case.stride_c << " data=" << to_string(gemm_case.data)
         << " seed=" << gemm_case.seed;
    return line.str();
}

GemmCase parse_case(std::string_view line) {
    GemmCase result;
    result.lda = result.ldb = result.ldc = 0;
    std::istringstream words{std::string(line)};
    for (std::string word; words >> word;) assign(result, Field(word));
    complete_leading_dimension(result.lda, result.layout_a(), "lda");
    complete_leading_dimension(result.ldb, result.layout_b(), "ldb");
    complete_leading_dimension(result.ldc, result.layout_c(), "ldc");
    if (result.batch_count > 1 && std::abs(result.stride_c) < result.layout_c().extent())
        refuse("stride_c (matrices of C overlap)");
    return result;
}

GemmCall shape_of(const GemmCase& gemm_case) {
    GemmCall call;
    call.operation_a = gemm_case.operation_a;
    call.operation_b = gemm_case.operation_b;
    call.m = gemm_case.m;
    call.n = gemm_case.n;
    call.k = gemm_case.k;
    call.a.leading_dimension = gemm_case.lda;
    call.b.leading_dimension = gemm_case.ldb;
    call.c.leading_dimension = gemm_case.ldc;
    call.batch_count = gemm_case.batch_count;
    return call;
}

}  // namespace sgemm_shim::testing
