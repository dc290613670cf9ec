// Which calls every kernel must get right. All of them together would be billions, so each list below walks
// some dimensions completely and draws the others from the seed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gemm_case.hpp"

namespace sgemm_shim::testing {

enum class Breadth : std::uint8_t {
    full,     ///< for a GPU: every pair of edges in m and n under each of NN, NT, TN, TT
    reduced,  ///< for the software GPU: every edge in m, in n and in k under each of NN, NT, TN, TT, but not
              ///< every pair
    quick,    ///< for compute-sanitizer: a few odd sizes of each kind
};

const char* to_string(Breadth breadth);
/// Throws std::invalid_argument.
Breadth parse_breadth(std::string_view name);

/// One aspect of a call, walked systematically.
struct Sweep {
    const char* name;
    std::vector<GemmCase> (*cases)(Breadth breadth, std::uint64_t seed);
};

/// Around every tile edge in m and n: once with operands that permit 16-byte loads, once with any others.
std::vector<GemmCase> size_sweep(Breadth breadth, std::uint64_t seed);
/// Every short k, and around the edges of every slice of k.
std::vector<GemmCase> depth_sweep(Breadth breadth, std::uint64_t seed);
/// Misalignment 0..3 of A, B and C independently.
std::vector<GemmCase> alignment_sweep(Breadth breadth, std::uint64_t seed);
/// Leading dimensions of rows + 0..5 for A, B and C independently, all operands aligned.
std::vector<GemmCase> leading_dimension_sweep(Breadth breadth, std::uint64_t seed);
/// Every pair of special scalars in host and device memory; with and without a product.
std::vector<GemmCase> scalar_sweep(Breadth breadth, std::uint64_t seed);
/// Batches: strides of every sign, broadcast operands, overlapping inputs, pointer arrays.
std::vector<GemmCase> batch_sweep(Breadth breadth, std::uint64_t seed);
/// Every data pattern at sizes with and without edges.
std::vector<GemmCase> pattern_sweep(Breadth breadth, std::uint64_t seed);

}  // namespace sgemm_shim::testing
