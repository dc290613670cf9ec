#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "machine/finding.hpp"
#include "machine/machine.hpp"
#include "state.hpp"

namespace software_gpu {
namespace {

using sgemm_shim::simt::LaunchRequest;
using sgemm_shim::simt::Machine;

/// Enough for every type of argument.
constexpr std::size_t alignment = 64;

std::shared_ptr<void> copy_of(const void* constants, std::size_t bytes) {
    std::shared_ptr<void> copy(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment),
                               std::free);
    std::memcpy(copy.get(), constants, bytes);
    return copy;
}

void run(const LaunchRequest& request) {
    cudaError_t& failure = context(static_cast<int>(request.device)).failure;
    if (failure != cudaSuccess) return;
    Machine::instance().run(request);
    const std::string findings = sgemm_shim::simt::FindingList::instance().take();
    if (findings.empty()) return;
    std::fputs(findings.c_str(), stderr);
    failure = cudaErrorIllegalAddress;
}

}  // namespace

cudaError_t launch(const LaunchRequest& request) {
    if (const cudaError_t status = load(request.kernel); status != cudaSuccess) return status;
    const cudaError_t status = in_context([&] {
        const cudaError_t refusal = context().limits.check(request);
        return refusal == cudaSuccess && request.cluster > largest_cluster() ? cudaErrorLaunchOutOfResources
                                                                             : refusal;
    });
    if (status != cudaSuccess) return status;
    // The arguments are those of the moment of the launch.
    return enqueue(request.stream, cudaGraphNodeTypeKernel,
                   [request, device = static_cast<unsigned>(current_device()),
                    constants = copy_of(request.constants, request.constant_bytes)] {
                       LaunchRequest later = request;
                       later.device = device;
                       later.constants = constants.get();
                       run(later);
                   });
}

cudaError_t load(const void* kernel) {
    bool is_loaded = false;
    const cudaError_t status = in_context([&] {
        is_loaded = context().loaded.contains(kernel);
        return cudaSuccess;
    });
    if (status != cudaSuccess || is_loaded) return status;
    if (const cudaError_t refusal = check_unsafe_call(); refusal != cudaSuccess) return refusal;
    return in_context([&] {
        context().loaded.insert(kernel);
        return cudaSuccess;
    });
}

cudaError_t allow_shared_memory(const void* kernel, std::size_t bytes) {
    return in_context([&] { return context().limits.allow_shared_memory(kernel, bytes); });
}

cudaError_t allow_large_clusters(const void* kernel) {
    return in_context([&] {
        context().limits.allow_large_clusters(kernel);
        return cudaSuccess;
    });
}

cudaError_t shared_memory_of(const void* kernel, std::size_t& bytes) {
    return in_context([&] {
        bytes = context().limits.shared_memory(kernel);
        return cudaSuccess;
    });
}

}  // namespace software_gpu
