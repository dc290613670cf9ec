// What a run comes to: a few figures for each kernel, warm and cold, single products and batches apart.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "report.hpp"

namespace sgemm_bench {

/// Every figure counts a shape as often as the program called it (Shape::count; 1 where no call log says
/// otherwise).
struct Summary {
    std::string asked;     ///< the kernel of the command line
    bool cold = false;     ///< operands out of the cache
    bool batched = false;  ///< more than one matrix in a call
    std::size_t shapes = 0;
    std::size_t untimed = 0;  ///< shapes without times, in no other figure
    double calls = 0;
    double forwarded = 0;  ///< of the calls
    double at_least_one = 0;
    double ratio = 0;  ///< to cuBLAS, geometric mean
    double lowest_ratio = std::numeric_limits<double>::quiet_NaN();
    std::string lowest_shape;
    double roofline_fraction = 0;  ///< geometric mean
    double cublas_roofline_fraction = 0;
    double us = 0;  ///< all calls one after the other
    double cublas_us = 0;
    double roofline_us = 0;
};

/// In the order of the kernels' first results; warm before cold, single products before batches. A group in
/// which nothing was timed is there too.
std::vector<Summary> summarize(std::span<const Result> results);

/// A line for each, behind `prefix`.
void write_summary(std::ostream& out, const char* prefix, std::span<const Summary> summaries);

/// A JSON array of objects.
void write_summary_json(std::ostream& out, std::span<const Summary> summaries);

}  // namespace sgemm_bench
