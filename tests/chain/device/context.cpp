#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "machine/clock.hpp"
#include "machine/global_memory.hpp"
#include "state.hpp"

namespace software_gpu {
namespace {

/// The process that has made the contexts; 0: none. CUDA does not survive fork() either.
std::atomic<pid_t> owner{0};

thread_local int current_device_of_thread = 0;
/// The id of the context that is current in the thread; 0: none yet.
thread_local unsigned long long current = 0;

unsigned long long new_id() {
    static unsigned long long last = 0;
    return ++last;
}

/// A number from 1 to `most` in a variable of the environment.
unsigned from_environment(const char* name, unsigned most, unsigned otherwise) {
    const char* text = std::getenv(name);
    if (text == nullptr) return otherwise;
    unsigned value = 0;
    const char* end = text + std::strlen(text);
    if (const auto [parsed_to, error] = std::from_chars(text, end, value);
        error != std::errc{} || parsed_to != end || value < 1 || value > most) {
        std::fprintf(stderr, "%s must be a number from 1 to %u, not '%s'\n", name, most, text);
        std::exit(2);
    }
    return value;
}

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

Context& context(int device) {
    static auto* const contexts = [] {
        auto* all = new std::vector<Context>;
        for (int i = 0; i < device_count(); ++i) all->push_back({.id = new_id()});
        return all;
    }();
    return (*contexts)[static_cast<std::size_t>(device)];
}

int device_count() {
    static const unsigned count = from_environment("SOFTWARE_GPU_DEVICES", sgemm_shim::simt::device_limit, 1);
    return static_cast<int>(count);
}

int multiprocessors(int device) {
    // Few: the library takes memory for each, every word of which the software GPU keeps account of.
    static_assert(sgemm_shim::simt::device_limit <= 8);
    return 8 - device;
}

unsigned largest_cluster() {
    constexpr unsigned limit = sgemm_shim::simt::cluster_limit;
    static const unsigned largest = from_environment("SOFTWARE_GPU_LARGEST_CLUSTER", limit, limit);
    return largest;
}

int current_device() {
    return current_device_of_thread;
}

cudaError_t set_device(int device) {
    if (device < 0 || device >= device_count()) return cudaErrorInvalidDevice;
    current_device_of_thread = device;
    return enter();
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
        forget_streams(current_device());
        context() = {.id = new_id()};
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
