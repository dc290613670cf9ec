// The calls of a program, as the shim logs them with SGEMM_SHIM_LOG=calls, as shapes to measure.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "shape.hpp"

namespace sgemm_bench {

/// Different calls, and how often each was made.
class CallLog {
  public:
    /// Adds a log: CSV with a header that names its columns (lib/record.cpp writes it). Alignments may be
    /// missing. Throws InputError, with `name` in its message, for a file that is no such log.
    ///
    /// What the log does not tell is taken as: alpha 1; beta 0 where it was in device memory, 0.5 where it
    /// was neither 0 nor 1; the distance of the matrices of a batch by pointers as if they lay one behind the
    /// other.
    void read(std::istream& file, const std::string& name);

    /// Those that come to the most operations first, so that a time budget leaves out the least.
    std::vector<Shape> shapes() const;

    /// Calls that are no FP32 products to measure, under the reason why.
    const std::map<std::string, std::int64_t>& left_out() const { return left_out_; }

  private:
    std::map<std::string, Shape> shapes_;  ///< by name, which tells all there is
    std::map<std::string, std::int64_t> left_out_;
};

}  // namespace sgemm_bench
