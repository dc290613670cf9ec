// How long a kernel will take for a call, estimated from the sizes and the GPU's own figures. Pure
// arithmetic: no CUDA call, no state.
#pragma once

#include "kernel_table.hpp"

namespace sgemm_shim {

struct DeviceFigures;

/// Cluster sizes that are considered, beside 1, and the share of an H200's multiprocessors that they can use:
/// clusters lie within the chip's uneven groups of processors (cudaOccupancyMaxActiveClusters says so). Any
/// size up to 8 fits every GPU that has clusters.
struct ClusterSize {
    unsigned k_parts;
    float usable_share;
};
inline constexpr ClusterSize cluster_sizes[] = {{2, 1.0f},         {3, 117.0f / 132}, {4, 120.0f / 132},
                                                {6, 102.0f / 132}, {8, 112.0f / 132}, {12, 84.0f / 132},
                                                {16, 104.0f / 132}};

/// Partition::meeting_parts is considered from so many on, doubled up to what the kernel takes.
inline constexpr unsigned least_meeting_parts = 4;

/// With fewer steps of k for each part, Partition::k_parts is not considered.
int least_steps_of_a_part(const Kernel& kernel);

/// A kernel's way to serve a call, and what it is expected to cost.
struct Choice {
    const Kernel* kernel = nullptr;  ///< nullptr: none can
    Partition partition{};
    float microseconds = 0;  ///< from launch to end
};

/// The fastest way among the kernels that have cost figures, are ready on the device and support the call.
Choice cheapest(const GemmCall& call, const DeviceFigures& device);

/// The fastest way of one kernel, which supports the call. A kernel without cost figures has only one way.
Choice cheapest_of(const Kernel& kernel, const GemmCall& call, const DeviceFigures& device);

}  // namespace sgemm_shim
