// The rows of tests/data/cases.csv: what is run for each fault of faults.csv.
#pragma once

#include <string>
#include <vector>

#include "gemm_call.hpp"
#include "tests/engine/gemm_case.hpp"

namespace sgemm_shim::testing {

struct CaseRow {
    std::string id, runner, machines, property, around, size, devices, call;
    int line = 0;

    bool runs_on(const std::string& machine) const;
};

/// Reads the file and refuses (std::invalid_argument, with the line) every name that is not known: of a
/// runner, a machine, a property, a neighbourhood or a size class. The calls are read too.
std::vector<CaseRow> read_case_rows(const std::string& path);

/// A call of the product runners, with what a GemmCase has no field for.
struct ProductCall {
    GemmCase gemm_case;   ///< kernel: a name, "auto", or empty for all
    int sparsity = 1;     ///< see LargeCall
    std::string overlap;  ///< "": none; "c": all matrices of C are one; "abc": A, B and C are one
};

ProductCall parse_product_call(const std::string& line);

/// A call that need not be legal, for plan() and for the library: its pointers are NULL or point nowhere.
struct AnyCall {
    GemmCall call;
    float alpha = 1.0f, beta = 0.0f;
};

AnyCall parse_any_call(const std::string& line);

/// The base case first, then its neighbours: those cases of the same kind that the words of `around` ask for
/// (sizes, ops, align, padding, scalars, depths, batches, data). Leading dimensions and strides keep their
/// distance from the least ones.
std::vector<GemmCase> neighbourhood(const GemmCase& base, const std::string& around);

std::vector<std::string> words(const std::string& text);

}  // namespace sgemm_shim::testing
