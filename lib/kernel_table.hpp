// The kernels, one row each. Everything that names, lists, chooses, tests or times kernels walks this table.
#pragma once

#include <driver_types.h>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "gemm_call.hpp"

namespace sgemm_shim {

/// What a kernel's own file provides.
struct KernelImplementation {
    /// Enqueues the call on the stream. Never synchronises and never allocates. Anything but cudaSuccess
    /// means that nothing was enqueued.
    cudaError_t (*launch)(const GemmCall& call, cudaStream_t stream) = nullptr;
    /// Whether launch() can serve the call. Assumes that validate() found a product to compute, or k = 0.
    bool (*supports)(const GemmCall& call) = nullptr;
    /// Every __global__ function that launch() may start, for loading ahead and for asking the driver about
    /// them.
    std::span<const void* const> functions;
};

struct Kernel {
    static constexpr int unnumbered = -1;

    int number = unnumbered;  ///< place in the teaching ladder
    const char* name = "";
    std::array<const char*, 2> aliases{};  ///< other accepted names; nullptr where there is none
    const char* idea = "";                 ///< one line
    const KernelImplementation* implementation = nullptr;  ///< nullptr: the real cuBLAS
    /// What a call and its GPU must have, for people; supports() is what decides.
    const char* requirements =
        "machine code for the GPU in this library; any m, n, k, leading dimension, transposition and "
        "scalars, operands aligned to 4 bytes";
};

/// All rows in the order of the ladder. Row 0 is cuBLAS itself.
std::span<const Kernel> kernel_table();

/// The place of a row in kernel_table().
std::size_t kernel_index(const Kernel& kernel);

/// Finds a row by number, name or alias; nullptr if there is none.
const Kernel* find_kernel(std::string_view number_or_name);

/// The row that `auto` uses until plan() has a cost model: the fastest one known.
const Kernel& fastest_kernel();

/// More rows than the table will have: sizes the arrays and bit masks that are indexed by row.
inline constexpr std::size_t kernel_limit = 64;

}  // namespace sgemm_shim
