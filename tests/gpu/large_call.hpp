// A product that is too large to be checked element by element on the host: its operands are periodic, and
// the elements of C that are checked are chosen so that no tile is left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm_call.hpp"

namespace sgemm_shim::testing {

struct LargeCall {
    const char* name = "";
    Operation operation_a = Operation::none;
    Operation operation_b = Operation::none;
    std::int64_t m = 1, n = 1, k = 1;
    /// 0: the least legal one.
    std::int64_t lda = 0, ldb = 0, ldc = 0;
    float alpha = 1.0f, beta = 0.0f;
    std::int64_t batch_count = 1;
    std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
    /// One element in this many of A is not zero: keeps sums of small integers exact when k is huge.
    int sparsity = 1;
    /// Uniform numbers instead of integers: every rounding shows, within the bound.
    bool random = false;

    std::int64_t rows_a() const { return operation_a == Operation::none ? m : k; }
    std::int64_t rows_b() const { return operation_b == Operation::none ? k : n; }
    std::int64_t floats_a() const;
    std::int64_t floats_b() const;
    std::int64_t floats_c() const;
    /// Device memory that the operands take.
    double gibibytes() const;
};

/// The call with its leading dimensions filled in.
LargeCall complete(LargeCall call);

/// Runs the call on every kernel that supports it and checks it. Returns one line for each kernel whose
/// result is wrong; `kernels_run` counts those that ran.
std::vector<std::string> run_large(const LargeCall& call, const std::string& only_kernel, int& kernels_run);

}  // namespace sgemm_shim::testing
