// What the files of the software GPU's device share: the one lock, and the state behind it.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "device.hpp"

namespace software_gpu {

class Stream;

/// Everything that a reset throws away.
struct Context {
    unsigned long long id = 1;
    cudaError_t failure = cudaSuccess;  ///< of a kernel: every later call answers it too
};

/// Held for every call, and while work runs. Never destroyed: other threads may go on while a process ends.
std::mutex& device_mutex();
Context& context();

/// To be called with the lock, by whoever is about to look at results: runs everything that waits.
void run_everything();
/// Waits for every stream and forgets them, with events and graphs.
void forget_streams();

/// Everything between a call of the runtime and its answer: the lock, and a context.
template <class Call>
cudaError_t in_context(Call call) {
    if (const cudaError_t status = enter(); status != cudaSuccess) return status;
    const std::lock_guard lock(device_mutex());
    return call();
}

}  // namespace software_gpu
