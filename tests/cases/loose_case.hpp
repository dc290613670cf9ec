// Products that PreparedCase does not put together: matrices of one buffer found by pointers, scalars that an
// earlier launch writes, operands that are one.
#pragma once

#include <string>

#include "case_rows.hpp"
#include "kernel_table.hpp"

namespace sgemm_shim::testing {

/// The matrices lie in one buffer for each operand, as a strided batch would have them, and the kernel gets
/// arrays of their addresses: so that there may be very many of them.
std::string run_by_pointers(const GemmCase& gemm_case, const Kernel& kernel);

/// The scalars are in device memory and are written by two products that the kernel computes just before, on
/// the same stream and without a wait.
std::string run_with_late_scalars(const GemmCase& gemm_case, const Kernel& kernel);

/// A, B and C are one, or all matrices of C are: undefined by cuBLAS, so the only question is whether the
/// launch succeeds, ends and stays inside the operands.
std::string run_overlapping(const ProductCall& call, const Kernel& kernel);

}  // namespace sgemm_shim::testing
