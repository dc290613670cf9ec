// Calls for tests that compute nothing: the pointers are addresses to be passed around, and A, B and C must
// not be followed.
#pragma once

#include <cstdint>
#include <ostream>

#include "gemm_call.hpp"

namespace sgemm_shim {
inline std::ostream& operator<<(std::ostream& out, Demand demand) {
    constexpr const char* names[] = {"fp32", "data_type", "compute_type", "algorithm"};
    return out << names[static_cast<int>(demand)];
}
}  // namespace sgemm_shim

namespace sgemm_shim::testing {

inline float* address_of_nothing(std::uintptr_t address) {
    return reinterpret_cast<float*>(address);
}

/// C (5 x 6) = A (5 x 7) * B (7 x 6), with the smallest legal leading dimensions for the operations.
inline GemmCall legal_call(Operation operation_a = Operation::none, Operation operation_b = Operation::none) {
    static constexpr float one = 1.0f;
    static constexpr float zero = 0.0f;
    GemmCall call;
    call.operation_a = operation_a;
    call.operation_b = operation_b;
    call.m = 5;
    call.n = 6;
    call.k = 7;
    call.alpha = &one;
    call.beta = &zero;
    call.a = {address_of_nothing(0x1000), nullptr, operation_a == Operation::none ? call.m : call.k, 0};
    call.b = {address_of_nothing(0x2000), nullptr, operation_b == Operation::none ? call.k : call.n, 0};
    call.c = {address_of_nothing(0x3000), nullptr, call.m, 0};
    call.pointer_mode = PointerMode::host;
    return call;
}

}  // namespace sgemm_shim::testing
