// The kernels, one row each. Everything that names, lists, chooses, tests or times kernels walks this table.
#pragma once

#include <driver_types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "gemm_call.hpp"
#include "partition.hpp"

namespace sgemm_shim {

/// What the cost model needs to know of a kernel that computes C in tiles. Sizes in elements.
struct TileFigures {
    int m = 0, n = 0, k = 0;            ///< k: of one slice, round or chunk
    int blocks_per_multiprocessor = 0;  ///< at the same time
};

/// What a kernel's own file provides.
struct KernelImplementation {
    /// Enqueues the call on the stream. Never synchronises and never allocates. Anything but cudaSuccess
    /// means that nothing was enqueued (but see Partition::tail_tiles). A workspace that is too small counts
    /// as none.
    cudaError_t (*launch)(const GemmCall& call, const Partition& partition, const Workspace& workspace,
                          cudaStream_t stream) = nullptr;
    /// Whether launch() can serve the call. Assumes that validate() found a product to compute, or k = 0.
    bool (*supports)(const GemmCall& call) = nullptr;
    /// Every __global__ function that launch() may start, for loading ahead and for asking the driver about
    /// them.
    std::span<const void* const> functions;
    /// Raises the functions' limits in the current context, once before the first launch there; nullptr:
    /// nothing to do.
    cudaError_t (*prepare)() = nullptr;
    /// Major and minor: 80 is 8.0.
    int least_compute_capability = 0;
    unsigned most_k_parts = 1;
    unsigned most_meeting_parts = 0;  ///< of Partition::meeting_parts; 0: it does not know them
    TileFigures tiles{};
    bool shares_tiles = false;  ///< knows Partition::shares_tiles
};

/// What lib/cost_model needs beside TileFigures, fitted to measurements (bench/fit_costs.py).
struct PipelineCost {
    float efficiency = 0;             ///< share of the multiply-add peak with many blocks on a multiprocessor
    float half_efficient_blocks = 0;  ///< blocks at which half of it is reached
    float exchange = 0;               ///< microseconds for an element of the tile, where warps divide k
};
/// Cycles that a warp's reads of one operand cost, for a round of k, by how the operand is contiguous and
/// whether its columns begin on 16 bytes.
struct ReadCycles {
    float along_mn = 0, along_mn_single = 0, along_k = 0, along_k_single = 0;
};
/// Microseconds until a round of k is there, by which operands are contiguous along m or n.
struct ReadLatencies {
    float both_along_mn = 0, a_along_mn = 0, b_along_mn = 0, both_along_k = 0;
};
struct RegistersCost {
    ReadCycles reads_of_a, reads_of_b;
    ReadLatencies latencies;
    bool reads_two_rounds = false;  ///< of k, in the time of one
    float round_us = 0;             ///< a round of blocks whose sums do not meet in a workspace
    float block_us = 0;             ///< a block, beside its reads
    float write_us = 0;             ///< an element of C, where columns begin on 16 bytes; else twice that
};
struct StagedCost {
    float efficiency = 0;  ///< share of the multiply-add peak
    float chunk_us = 0;    ///< until a chunk of k has been loaded and multiplied, whatever other blocks do
    float block_us = 0;    ///< a block, beside what it loads, multiplies and writes
};
struct CostFigures {
    enum class Kind : std::uint8_t { none, pipeline, registers, staged, fetch, tiny };

    Kind kind = Kind::none;  ///< none: plan() never chooses the kernel by itself
    PipelineCost pipeline{};
    RegistersCost registers{};
    StagedCost staged{};
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
    CostFigures cost{};
};

/// All rows in the order of the ladder. Row 0 is cuBLAS itself.
std::span<const Kernel> kernel_table();

/// The place of a row in kernel_table().
std::size_t kernel_index(const Kernel& kernel);

/// Finds a row by number, name or alias; nullptr if there is none.
const Kernel* find_kernel(std::string_view number_or_name);

/// The last rung of the ladder: what serves calls on GPUs that no kernel of the production family is for.
const Kernel& last_rung();

/// Whether the row belongs to the production family, which stands behind the ladder.
inline bool is_production(const Kernel& kernel) {
    return kernel_index(kernel) > kernel_index(last_rung());
}

/// More rows than the table will have: sizes the arrays and bit masks that are indexed by row.
inline constexpr std::size_t kernel_limit = 64;

}  // namespace sgemm_shim
