// The host's way to the CUDA runtime and driver: what the current context's GPU is, and whether our kernels
// are loaded there. Cached for each CUDA context, because cudaDeviceReset and second contexts exist.
#pragma once

#include <driver_types.h>

#include "plan.hpp"

namespace sgemm_shim {

/// The figures of the context that is current in the calling thread. The first call in a context loads every
/// kernel there, except while `stream` (or, for the legacy stream, any other) is being captured: then the
/// answer has the obstacle `capture` and is not remembered. After that, the cost is two driver queries and no
/// lock.
///
/// Never makes a context, and leaves the calling thread's CUDA errors as they were.
const DeviceFigures& current_device_figures(cudaStream_t stream);

/// The memory that a launch in `stream` may use in the current context; empty where it needs or there is
/// none, and while the stream is being captured. A few driver queries and no lock. Leaves the calling
/// thread's CUDA errors as they were.
Workspace current_workspace(cudaStream_t stream, const Partition& partition);

/// Loads every kernel into the current context ahead of the first call, for programs that capture early, and
/// takes the memory of current_workspace().
void load_kernels_ahead();

}  // namespace sgemm_shim
