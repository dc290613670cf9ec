// How long a kernel will take for a call, estimated from the sizes and the GPU's own figures. Pure
// arithmetic: no CUDA call, no state.
#pragma once

#include "kernel_table.hpp"

namespace sgemm_shim {

struct DeviceFigures;

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
