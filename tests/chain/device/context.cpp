#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "state.hpp"

namespace software_gpu {
namespace {

/// The process that has made the context; 0: none. CUDA does not survive fork() either.
std::atomic<pid_t> owner{0};

/// Of the context that is current in the thread.
thread_local unsigned long long current = 0;

struct Fault {
    /// Asked without the lock, which would order the threads of the program.
    std::atomic<bool> armed{false};
    std::mutex mutex;
    std::string file;
    unsigned calls_left = 0;
    cudaError_t status = cudaSuccess;
    std::atomic<const char*> injected{nullptr};
};

Fault& fault() {
    static Fault* const the_fault = new Fault;
    return *the_fault;
}

}  // namespace

std::mutex& device_mutex() {
    static std::mutex* const mutex = new std::mutex;
    return *mutex;
}

Context& context() {
    static Context* const the_context = new Context;
    return *the_context;
}

cudaError_t enter() {
    pid_t expected = 0;
    const pid_t self = getpid();
    if (!owner.compare_exchange_strong(expected, self) && expected != self)
        return cudaErrorInitializationError;
    const std::lock_guard lock(device_mutex());
    current = context().id;
    return context().failure;
}

unsigned long long current_context() {
    return owner.load(std::memory_order_relaxed) == getpid() ? current : 0;
}

cudaError_t reset() {
    return in_context([] {
        forget_streams();
        context() = {context().id + 1, cudaSuccess};
        current = 0;
        return cudaSuccess;
    });
}

void inject_fault(const char* file, unsigned call, cudaError_t status) {
    const std::lock_guard lock(fault().mutex);
    fault().file = file;
    fault().calls_left = call;
    fault().status = status;
    fault().injected = nullptr;
    fault().armed.store(call != 0, std::memory_order_relaxed);
}

const char* fault_injected() {
    return fault().injected;
}

cudaError_t fault_for(const char* file, const char* function) {
    if (!fault().armed.load(std::memory_order_relaxed)) return cudaSuccess;
    const std::lock_guard lock(fault().mutex);
    if (fault().calls_left == 0 || std::strncmp(file, fault().file.c_str(), fault().file.size()) != 0 ||
        --fault().calls_left != 0)
        return cudaSuccess;
    fault().injected = function;
    return fault().status;
}

}  // namespace software_gpu
