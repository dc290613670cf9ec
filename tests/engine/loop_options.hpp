// What the command line asks of the comparison loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "case_selection.hpp"

namespace sgemm_shim::testing {

struct LoopOptions {
    std::string kernel;     ///< only this one; empty: all
    std::string case_line;  ///< only this case; empty: the selection
    Breadth breadth = Breadth::full;
    std::uint64_t seed = 1;
};

/// Cases times kernels.
struct LoopTotals {
    std::size_t passed = 0;
    std::size_t failed = 0;
    std::size_t unsupported = 0;
    std::size_t left_out = 0;  ///< too large to be run here
};

/// The program's one instance of each, set by main() before any test runs.
LoopOptions& loop_options();
LoopTotals& loop_totals();

}  // namespace sgemm_shim::testing
