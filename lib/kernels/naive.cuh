// Kernel 1, naive: one thread computes one element of C, and the lanes of a warp sit side by side in memory.
//
// The idea: coalescing. The 32 lanes of a warp lie along the dimension in which an operand is contiguous, so
// that one load instruction touches 128 contiguous bytes of that operand and a single address of the other.
//
// What changed from the uncoalesced kernel: the shape of a warp, nothing else. Which shape is best depends on
// the operands, because a load instruction costs as many cycles as it touches cache lines:
//     A contiguous along m (NN, NT)       32 x 1 lanes (m x n): 1 + 1 lines for the loads of A and B
//     only B contiguous along n (TT)       1 x 32 lanes:         1 + 1 lines
//     both contiguous along k (TN)         8 x 4 lanes:          8 + 4 lines, the least there is
// In the last case every lane walks along its own cache lines, and the only way to use more of a line at once
// is to read 4 steps of k with one load, where the operands' alignment allows it: 12 lines for 4 steps.
//
// Block tile 32 x 32, 1024 threads. Two loads for each multiply-add: the load units are the limit.
// Measured: see the table in the README.
#pragma once

#include "uncoalesced.cuh"

namespace sgemm_shim::naive {

using element_per_thread::threads;
using element_per_thread::tile;

template <Major major_a, Major major_b>
constexpr int lanes_m = major_a == Major::mn ? 32 : (major_b == Major::mn ? 1 : 8);

template <Major major_a, Major major_b, int k_per_load>
__global__ void __launch_bounds__(threads) kernel(GemmArguments arguments) {
    element_per_thread::compute<major_a, major_b, lanes_m<major_a, major_b>, k_per_load>(arguments);
}

}  // namespace sgemm_shim::naive
