// Division by what the host knows.
#pragma once

#include <cstdint>

#include "kernels/primitives.cuh"

namespace sgemm_shim {

/// A multiplication and a shift instead of some 20 instructions that wait for one another. Exact below 2^31.
struct Divisor {
    unsigned value;
    unsigned multiplier;  ///< 2^shift / value, rounded up
    int shift;

    __device__ unsigned divide(unsigned dividend) const {
        return static_cast<unsigned>(std::uint64_t{dividend} * multiplier >> shift);
    }
};

/// Granlund and Montgomery's: with 31 + ceil(log2(value)) bits, a dividend of 31 bits never sees the
/// rounding.
inline Divisor divisor(unsigned value) {
    int log2 = 0;
    while (std::uint64_t{1} << log2 < value) ++log2;
    const int shift = 31 + log2;
    return {value, static_cast<unsigned>(((std::uint64_t{1} << shift) + value - 1) / value), shift};
}

}  // namespace sgemm_shim
