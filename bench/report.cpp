#include "report.hpp"

#include <cmath>
#include <ostream>

#include "summary.hpp"
#include "text.hpp"

namespace sgemm_bench {
namespace {

/// Empty where the matrices of a batch lie one behind the other.
std::string stride(const Result& result, std::size_t operand) {
    return result.shape.strides ? std::to_string((*result.shape.strides)[operand]) : "";
}

/// A column of the result files; absent values are empty in CSV and null in JSON.
struct Column {
    const char* name;
    bool is_text;
    std::string (*value)(const Result& result);
};

/// A time, or a figure made of one: absent where nothing was timed.
#define TIMED(expression) \
    [](const Result& r) { return r.is_timed() ? number(static_cast<double>(expression)) : std::string(); }

const Column columns[] = {
    {"name", true, [](const Result& r) { return r.shape.name; }},
    {"layout", true, [](const Result& r) { return std::string(r.shape.row_major ? "row" : "column"); }},
    {"m", false, [](const Result& r) { return std::to_string(r.shape.m); }},
    {"n", false, [](const Result& r) { return std::to_string(r.shape.n); }},
    {"k", false, [](const Result& r) { return std::to_string(r.shape.k); }},
    {"transA", true, [](const Result& r) { return std::string(1, r.shape.operations.a); }},
    {"transB", true, [](const Result& r) { return std::string(1, r.shape.operations.b); }},
    {"batch", false, [](const Result& r) { return std::to_string(r.shape.batch); }},
    {"lda", false, [](const Result& r) { return r.shape.lda != 0 ? std::to_string(r.shape.lda) : ""; }},
    {"ldb", false, [](const Result& r) { return r.shape.ldb != 0 ? std::to_string(r.shape.ldb) : ""; }},
    {"ldc", false, [](const Result& r) { return r.shape.ldc != 0 ? std::to_string(r.shape.ldc) : ""; }},
    {"stride_a", false, [](const Result& r) { return stride(r, 0); }},
    {"stride_b", false, [](const Result& r) { return stride(r, 1); }},
    {"stride_c", false, [](const Result& r) { return stride(r, 2); }},
    {"pointer_arrays", false, [](const Result& r) { return std::to_string(r.shape.pointer_arrays); }},
    {"beta", false, [](const Result& r) { return number(r.shape.beta); }},
    {"count", false, [](const Result& r) { return std::to_string(r.shape.count); }},
    {"ld_pad", false,
     [](const Result& r) { return std::to_string(r.shape.variation.leading_dimension_pad); }},
    {"misalign", true,
     [](const Result& r) {
         const auto& offsets = r.shape.variation.misalignment;
         return std::to_string(offsets[0]) + "/" + std::to_string(offsets[1]) + "/" +
                std::to_string(offsets[2]);
     }},
    {"asked", true, [](const Result& r) { return r.asked; }},
    {"kernel", true, [](const Result& r) { return r.kernel; }},
    {"choice", true, [](const Result& r) { return r.choice; }},
    {"mode", true, [](const Result& r) { return std::string(r.cold ? "cold" : "warm"); }},
    {"status", true, [](const Result& r) { return r.status; }},
    {"us", false, TIMED(r.ours.us)},
    {"cublas_us", false, TIMED(r.cublas.us)},
    {"ratio", false, TIMED(r.ratio())},
    {"ratio_low", false, TIMED(r.ratio_low)},
    {"ratio_high", false, TIMED(r.ratio_high)},
    {"tflops", false, TIMED(r.ours.tflops)},
    {"cublas_tflops", false, TIMED(r.cublas.tflops)},
    {"gbps", false, TIMED(r.ours.gbps)},
    {"cublas_gbps", false, TIMED(r.cublas.gbps)},
    {"roofline_fraction", false, TIMED(r.ours.roofline_fraction)},
    {"cublas_roofline_fraction", false, TIMED(r.cublas.roofline_fraction)},
    {"event_us", false, TIMED(r.event_us > 0 ? r.event_us : NAN)},
    {"cublas_event_us", false, TIMED(r.cublas_event_us > 0 ? r.cublas_event_us : NAN)},
    {"rounds", false, TIMED(r.rounds)},
    {"launches", false, TIMED(r.launches)},
    {"rotations", false, TIMED(r.rotations)},
    {"cublas_allocation_nodes", false, TIMED(r.allocation_nodes)},
    {"difference", false, [](const Result& r) { return number(r.difference); }},
    {"sm_clock_mhz", false, TIMED(r.sm_clock_mhz)},
    {"note", true, [](const Result& r) { return r.note; }},
};
#undef TIMED

}  // namespace

void write_provenance(std::ostream& out, const Provenance& provenance) {
    for (const auto& [name, value] : provenance) out << "# " << name << ": " << value << '\n';
}

void write_csv_header(std::ostream& out, const Provenance& provenance) {
    write_provenance(out, provenance);
    const char* separator = "";
    for (const Column& column : columns) {
        out << separator << column.name;
        separator = ",";
    }
    out << std::endl;
}

void write_csv_row(std::ostream& out, const Result& result) {
    const char* separator = "";
    for (const Column& column : columns) {
        out << separator << csv_quote(column.value(result));
        separator = ",";
    }
    out << std::endl;  // flushed: a run that is stopped keeps what it has
}

void write_json(std::ostream& out, const Provenance& provenance, std::span<const Result> results,
                std::span<const std::string> left_out, std::span<const Summary> summaries) {
    const char* separator = "\n";
    out << "{\n\"provenance\": {";
    for (const auto& [name, value] : provenance) {
        out << separator << "  " << json_quote(name) << ": " << json_quote(value);
        separator = ",\n";
    }
    out << "\n},\n\"results\": [";
    separator = "\n";
    for (const Result& result : results) {
        out << separator << "  {";
        separator = "";
        for (const Column& column : columns) {
            const std::string value = column.value(result);
            out << separator << json_quote(column.name) << ": "
                << (column.is_text  ? json_quote(value)
                    : value.empty() ? "null"
                                    : value);
            separator = ", ";
        }
        out << '}';
        separator = ",\n";
    }
    out << "\n],\n\"left_out\": [";
    separator = "";
    for (const std::string& name : left_out) {
        out << separator << json_quote(name);
        separator = ", ";
    }
    out << "],\n\"summary\": ";
    write_summary_json(out, summaries);
    out << "\n}\n";
}

void write_table_header(std::ostream& out) {
    out << format("%-36s %-18s %-4s %10s %10s %6s %13s %8s %8s %6s %6s  %s\n", "shape", "kernel", "", "us",
                  "cublas", "ratio", "(of rounds)", "TFLOP/s", "GB/s", "roof", "cublas", "");
}

void write_table_row(std::ostream& out, const Result& r) {
    const std::string name = r.shape.row_major ? r.shape.name + " (row)" : r.shape.name;
    std::string kernel = r.asked == r.kernel || r.kernel.empty() ? r.asked : r.asked + ":" + r.kernel;
    if (!r.choice.empty()) kernel += " " + r.choice;
    out << format("%-36s %-18s %-4s ", name.c_str(), kernel.c_str(), r.cold ? "cold" : "warm");
    if (r.is_timed()) {
        out << format("%10.2f %10.2f %6.3f %6.3f-%6.3f %8.2f %8.1f %5.1f%% %5.1f%%  ", r.ours.us, r.cublas.us,
                      r.ratio(), r.ratio_low, r.ratio_high, r.ours.tflops, r.ours.gbps,
                      100 * r.ours.roofline_fraction, 100 * r.cublas.roofline_fraction);
    } else {
        out << r.status << ' ';
    }
    out << r.note << std::endl;
}

}  // namespace sgemm_bench
