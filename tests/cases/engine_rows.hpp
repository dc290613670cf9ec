// Runs rows of cases.csv on the engine's kernels, on whatever backend is linked.
#pragma once

#include <functional>
#include <string>

#include "case_rows.hpp"
#include "kernel_table.hpp"

namespace sgemm_shim::testing {

/// Told of each thing that ran: the line that repeats it, and what is wrong (empty: nothing).
using Report = std::function<void(const std::string& line, const std::string& finding)>;

/// What main() was asked for.
struct Selection {
    std::string kernel;  ///< only this one; empty: all
    std::uint64_t seed = 1;
    bool all_kernels_everywhere = false;  ///< not on some by turns
};

/// Runs a row of runner product, pointers, late_scalars, overlap or plan.
void run_engine_row(const CaseRow& row, const Selection& selection, const Report& report);

/// Runs a row of runner large: on a GPU only (large_rows.cpp); elsewhere no such row gets through.
void run_large_row(const CaseRow& row, const Selection& selection, const Report& report);

/// Whether a row that names `wanted` ("", "auto" or a name) runs on the kernel.
bool is_wanted(const Kernel& kernel, const std::string& wanted, const Selection& selection);

}  // namespace sgemm_shim::testing
