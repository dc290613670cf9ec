// What the files of the software GPU's devices share: the one lock, and the state behind it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "device.hpp"
#include "machine/function_limits.hpp"

namespace software_gpu {

class Stream;

/// Of a device: everything that a reset throws away, but for the streams.
struct Context {
    unsigned long long id;
    cudaError_t failure = cudaSuccess;  ///< of a kernel: every later call answers it too
    std::set<const void*> loaded{};     ///< kernels
    sgemm_shim::simt::FunctionLimits limits{};
};

/// Held for every call, and while work runs. Never destroyed: other threads may go on while a process ends.
std::mutex& device_mutex();
Context& context(int device);
/// The current device's.
inline Context& context() {
    return context(current_device());
}

/// To be called with the lock, by whoever is about to look at results: runs everything that waits on the
/// device.
void run_everything(int device);
/// Waits for every stream of the device and forgets them, with events and graphs.
void forget_streams(int device);

/// Everything between a call of the runtime and its answer: the lock, and a context.
template <class Call>
cudaError_t in_context(Call call) {
    if (const cudaError_t status = enter(); status != cudaSuccess) return status;
    const std::lock_guard lock(device_mutex());
    return call();
}

}  // namespace software_gpu
