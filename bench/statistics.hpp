// The arithmetic between times and what is reported of them. Times are microseconds of the GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace sgemm_bench {

/// The middle value, or the mean of the two middle ones; NaN for none.
inline double median(std::vector<double> values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Each value as often as its weight says; NaN for none.
inline double geometric_mean(std::span<const double> values, std::span<const double> weights) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        sum += weights[i] * std::log(values[i]);
        total += weights[i];
    }
    return total > 0 ? std::exp(sum / total) : std::numeric_limits<double>::quiet_NaN();
}

/// What the machine can do at best. The defaults are those of an H200, measured: an FFMA loop, and a
/// device-to-device copy, read and written bytes together.
struct Roofline {
    double peak_tflops = 65.4;
    double bandwidth_tbs = 4.16;

    /// Less is not possible: the operations or the bytes take at least this long.
    double least_us(double flops, double bytes) const {
        return std::max(flops / (peak_tflops * 1e6), bytes / (bandwidth_tbs * 1e6));
    }
};

/// The figures of one timed call.
struct Figures {
    double us = 0;
    double tflops = 0;
    double gbps = 0;
    double roofline_fraction = 0;
};

inline Figures figures(double us, double flops, double bytes, const Roofline& roofline) {
    return {us, flops / us / 1e6, bytes / us / 1e3, roofline.least_us(flops, bytes) / us};
}

/// The largest |a - b| in units of the tolerance, over two samples of the same elements. NaN if any
/// difference is, so that !(result <= 1) finds every fault.
inline double worst_difference(std::span<const float> a, std::span<const float> b, double tolerance) {
    double worst = 0;
    bool all_ordered = a.size() == b.size();
    for (std::size_t i = 0; all_ordered && i < a.size(); ++i) {
        const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        all_ordered = difference <= std::numeric_limits<double>::max();
        worst = std::max(worst, difference);
    }
    return all_ordered ? worst / tolerance : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sgemm_bench
