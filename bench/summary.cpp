#include "summary.hpp"

#include <algorithm>
#include <ostream>

#include "text.hpp"

namespace sgemm_bench {
namespace {

bool belongs(const Result& result, const Summary& summary) {
    return result.asked == summary.asked && result.cold == summary.cold &&
           (result.shape.batch > 1) == summary.batched;
}

void fill(Summary& summary, std::span<const Result> results) {
    std::vector<double> counts, ratios, fractions, cublas_fractions;
    for (const Result& result : results) {
        if (!belongs(result, summary)) continue;
        if (!result.is_timed()) {
            ++summary.untimed;
            continue;
        }
        const auto count = static_cast<double>(result.shape.count);
        counts.push_back(count);
        ratios.push_back(result.ratio());
        fractions.push_back(result.ours.roofline_fraction);
        cublas_fractions.push_back(result.cublas.roofline_fraction);
        if (summary.shapes == 0 || result.ratio() < summary.lowest_ratio) {
            summary.lowest_ratio = result.ratio();
            summary.lowest_shape = result.shape.name;
        }
        ++summary.shapes;
        summary.calls += count;
        summary.forwarded += result.is_forwarded() ? count : 0;
        summary.at_least_one += result.ratio() >= 1 ? count : 0;
        summary.us += count * result.ours.us;
        summary.cublas_us += count * result.cublas.us;
        summary.roofline_us += count * result.ours.us * result.ours.roofline_fraction;
    }
    summary.ratio = geometric_mean(ratios, counts);
    summary.roofline_fraction = geometric_mean(fractions, counts);
    summary.cublas_roofline_fraction = geometric_mean(cublas_fractions, counts);
}

std::string percent(double fraction) {
    return format("%.1f %%", 100 * fraction);
}

std::string line(const Summary& s) {
    std::string text =
        format("%s, %s, batch %s: ", s.asked.c_str(), s.cold ? "cold" : "warm", s.batched ? "> 1" : "= 1");
    if (s.shapes == 0) return text + format("none of %zu shapes was timed", s.untimed);
    text += format("%zu shapes", s.shapes);
    const bool is_weighted = s.calls != static_cast<double>(s.shapes);
    if (is_weighted) text += format(" in %.0f calls", s.calls);
    text += format("; ratio to cuBLAS: geometric mean %.3f, lowest %.3f (%s), at least 1 in %.0f", s.ratio,
                   s.lowest_ratio, s.lowest_shape.c_str(), s.at_least_one);
    text += format("; forwarded %.0f (", s.forwarded) + percent(s.forwarded / s.calls) + ")";
    text += "; of the roofline, geometric mean: ours " + percent(s.roofline_fraction) + ", cuBLAS " +
            percent(s.cublas_roofline_fraction);
    text += format("; in all: ours %.3f ms, cuBLAS %.3f ms, roofline %.3f ms", s.us / 1e3, s.cublas_us / 1e3,
                   s.roofline_us / 1e3);
    if (s.untimed > 0) text += format("; %zu shapes without times", s.untimed);
    return text;
}

}  // namespace

std::vector<Summary> summarize(std::span<const Result> results) {
    std::vector<std::string> kernels;
    for (const Result& result : results) {
        if (std::find(kernels.begin(), kernels.end(), result.asked) == kernels.end())
            kernels.push_back(result.asked);
    }
    std::vector<Summary> summaries;
    for (const std::string& kernel : kernels) {
        for (const bool cold : {false, true}) {
            for (const bool batched : {false, true}) {
                Summary summary;
                summary.asked = kernel;
                summary.cold = cold;
                summary.batched = batched;
                fill(summary, results);
                if (summary.shapes + summary.untimed > 0) summaries.push_back(summary);
            }
        }
    }
    return summaries;
}

void write_summary(std::ostream& out, const char* prefix, std::span<const Summary> summaries) {
    for (const Summary& summary : summaries) out << prefix << "summary of " << line(summary) << '\n';
}

void write_summary_json(std::ostream& out, std::span<const Summary> summaries) {
    const char* separator = "\n";
    out << '[';
    for (const Summary& s : summaries) {
        const auto figure = [&](const char* name, double value) {
            const std::string text = number(value);
            out << ", " << json_quote(name) << ": " << (text.empty() ? "null" : text);
        };
        out << separator << "  {\"asked\": " << json_quote(s.asked) << ", \"mode\": \""
            << (s.cold ? "cold" : "warm") << "\", \"batched\": " << (s.batched ? "true" : "false")
            << ", \"lowest_shape\": " << json_quote(s.lowest_shape);
        figure("shapes", static_cast<double>(s.shapes));
        figure("untimed", static_cast<double>(s.untimed));
        figure("calls", s.calls);
        figure("forwarded", s.forwarded);
        figure("at_least_one", s.at_least_one);
        figure("ratio", s.ratio);
        figure("lowest_ratio", s.lowest_ratio);
        figure("roofline_fraction", s.roofline_fraction);
        figure("cublas_roofline_fraction", s.cublas_roofline_fraction);
        figure("us", s.us);
        figure("cublas_us", s.cublas_us);
        figure("roofline_us", s.roofline_us);
        out << '}';
        separator = ",\n";
    }
    out << "\n]";
}

}  // namespace sgemm_bench
