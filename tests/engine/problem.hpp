// The data of a case in host memory.
#pragma once

#include <vector>

#include "gemm_case.hpp"

namespace sgemm_shim::testing {

struct HostOperand {
    OperandLayout layout;
    std::vector<float> values;     ///< layout.size() of them
    std::vector<bool> is_element;  ///< false: padding between rows and leading dimension, or between matrices

    float at(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
        return values[static_cast<std::size_t>(layout.offset(matrix, row, column))];
    }
    float& at(std::int64_t matrix, std::int64_t row, std::int64_t column) {
        return values[static_cast<std::size_t>(layout.offset(matrix, row, column))];
    }
};

struct Problem {
    HostOperand a, b, c;
};

/// Fills A, B and C by the case's pattern and seed. NaNs of many payloads stand wherever the call must not
/// look: in all padding, in A and B when alpha or k is 0, in C when beta is 0. Where C must keep its bits, it
/// holds some NaNs too, signalling ones among them.
Problem make_problem(const GemmCase& gemm_case);

}  // namespace sgemm_shim::testing
