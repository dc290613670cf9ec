#include "case_rows.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace sgemm_shim::testing {
namespace {

constexpr std::string_view runners[] = {"product", "pointers", "overlap", "late_scalars", "large",
                                        "plan",    "status",   "test",    "pending"};
constexpr std::string_view machines[] = {"software", "gpu", "library"};
constexpr std::string_view product_properties[] = {"correct", "exact", "same_bits", "error_1e-6",
                                                   "error_sqrt_k"};
constexpr std::string_view neighbours[] = {"sizes",   "ops",    "align",   "padding",
                                           "scalars", "depths", "batches", "data"};
constexpr std::string_view sizes[] = {"small", "medium", "large"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

bool contains(std::initializer_list<std::string_view> names, std::string_view name) {
    return contains(std::span(names.begin(), names.size()), name);
}

[[noreturn]] void refuse(const CaseRow& row, const std::string& what) {
    throw std::invalid_argument("cases.csv line " + std::to_string(row.line) + " (" + row.id + "): " + what);
}

/// Fields of one line; a field in quotation marks may hold commas.
std::vector<std::string> split_csv(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char character : line) {
        if (character == '"')
            quoted = !quoted;
        else if (character == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += character;
    }
    return fields;
}

bool is_product(const CaseRow& row) {
    return contains({"product", "pointers", "late_scalars", "large"}, row.runner);
}

bool is_property(const CaseRow& row) {
    const std::string& property = row.property;
    if (row.runner == "large") return property == "exact" || property == "correct";
    if (is_product(row)) return contains(product_properties, property);
    if (row.runner == "plan") return property == "served" || property.starts_with("forwarded: ");
    if (row.runner == "status") return property.starts_with("status ");
    if (row.runner == "overlap") return property == "survives";
    return property == (row.runner == "test" ? "passes" : "later");
}

/// Which machines have the runner at all.
bool can_run_there(const CaseRow& row) {
    if (row.runner == "test" || row.runner == "pending") return true;
    for (const std::string& machine : words(row.machines)) {
        const bool on_library = machine == "library";
        if (row.runner == "status" && !on_library) return false;
        if (on_library && row.runner != "status" && row.runner != "product") return false;
        if (machine == "software" &&
            (row.runner == "large" || row.runner == "overlap" || row.size != "small"))
            return false;
    }
    return true;
}

/// Keeps all rows together below a minute.
bool fits_software(const GemmCase& c) {
    constexpr double most_multiplications = 1 << 20, most_matrices = 20;
    const auto batch_count = static_cast<double>(c.batch_count);
    return static_cast<double>(c.m) * static_cast<double>(c.n) * static_cast<double>(c.k) * batch_count <=
               most_multiplications &&
           batch_count <= most_matrices;
}

void check(const CaseRow& row) {
    if (!contains(runners, row.runner)) refuse(row, "no runner '" + row.runner + "'");
    if (words(row.machines).empty()) refuse(row, "runs nowhere");
    for (const std::string& machine : words(row.machines))
        if (!contains(machines, machine)) refuse(row, "no machine '" + machine + "'");
    if (!is_property(row)) refuse(row, "runner " + row.runner + " has no property '" + row.property + "'");
    if (row.around != "-")
        for (const std::string& word : words(row.around))
            if (!contains(neighbours, word)) refuse(row, "no neighbourhood '" + word + "'");
    if (!contains(sizes, row.size)) refuse(row, "no size class '" + row.size + "'");
    if (!contains({"0", "1", "2"}, row.devices)) refuse(row, "devices: " + row.devices);
    if (!can_run_there(row)) refuse(row, "the runner and the size do not fit the machines");
    try {
        if (is_product(row) || row.runner == "overlap") parse_product_call(row.call);
        if (row.runner == "plan" || row.runner == "status") parse_any_call(row.call);
        if (is_product(row) && row.runs_on("software") &&
            !fits_software(parse_product_call(row.call).gemm_case))
            throw std::invalid_argument("too large for the software GPU");
    } catch (const std::invalid_argument& error) {
        refuse(row, error.what());
    }
}

/// Takes "name=value" out of a line; the value, or an empty text.
std::string take(std::vector<std::string>& line, std::string_view name) {
    for (auto word = line.begin(); word != line.end(); ++word) {
        if (!word->starts_with(name) || word->size() <= name.size() || (*word)[name.size()] != '=') continue;
        std::string value = word->substr(name.size() + 1);
        line.erase(word);
        return value;
    }
    return "";
}

}  // namespace

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
}

bool CaseRow::runs_on(const std::string& machine) const {
    const std::vector<std::string> all = words(machines);
    return std::ranges::find(all, machine) != all.end();
}

std::vector<CaseRow> read_case_rows(const std::string& path) {
    std::ifstream file(path);
    std::string text;
    if (!std::getline(file, text)) throw std::invalid_argument("cannot read " + path);
    if (text != "id,runner,machines,property,around,size,devices,call")
        throw std::invalid_argument(path + ": other columns than expected");
    std::vector<CaseRow> rows;
    for (int line = 2; std::getline(file, text); ++line) {
        std::vector<std::string> f = split_csv(text);
        if (f.size() != 8)
            throw std::invalid_argument(path + " line " + std::to_string(line) + ": not 8 fields");
        rows.push_back({f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], line});
        check(rows.back());
    }
    return rows;
}

ProductCall parse_product_call(const std::string& line) {
    std::vector<std::string> rest = words(line);
    ProductCall result;
    result.overlap = take(rest, "overlap");
    if (!contains({"", "c", "abc"}, result.overlap)) throw std::invalid_argument("overlap=" + result.overlap);
    if (const std::string sparsity = take(rest, "sparsity"); !sparsity.empty())
        result.sparsity = std::stoi(sparsity);
    std::string joined;
    for (const std::string& word : rest) joined += word + ' ';
    result.gemm_case = parse_case(joined);
    return result;
}

AnyCall parse_any_call(const std::string& line) {
    std::vector<std::string> rest = words(line);
    const auto number = [&](std::string_view name, std::int64_t otherwise) {
        const std::string value = take(rest, name);
        return value.empty() ? otherwise : std::stoll(value);
    };
    AnyCall result;
    GemmCall& call = result.call;
    const std::string operations = take(rest, "ops");
    if (operations.size() != 2) throw std::invalid_argument("ops=" + operations);
    call.operation_a = static_cast<Operation>(std::string_view("NTC").find(operations[0]));
    call.operation_b = static_cast<Operation>(std::string_view("NTC").find(operations[1]));
    call.m = number("m", 1);
    call.n = number("n", 1);
    call.k = number("k", 1);
    call.batch_count = number("batch", 1);
    const std::string null = take(rest, "null");
    const auto pointer = [&](std::string_view name) {
        return null == name ? nullptr : reinterpret_cast<float*>(std::uintptr_t{0x10000});
    };
    call.alpha = pointer("alpha");
    call.beta = pointer("beta");
    call.a = {pointer("a"), nullptr, number("lda", 1), 0};
    call.b = {pointer("b"), nullptr, number("ldb", 1), 0};
    call.c = {pointer("c"), nullptr, number("ldc", 1), number("stride_c", 0)};
    call.pointer_mode = PointerMode::host;
    if (const std::string beta = take(rest, "beta"); !beta.empty()) result.beta = std::stof(beta);
    if (!rest.empty()) throw std::invalid_argument("not a field of a call: " + rest.front());
    return result;
}

}  // namespace sgemm_shim::testing
