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
    if (context().failure != cudaSuccess) return;
    Machine::instance().run(request);
    const std::string findings = sgemm_shim::simt::FindingList::instance().take();
    if (findings.empty()) return;
    std::fputs(findings.c_str(), stderr);
    context().failure = cudaErrorIllegalAddress;
}

}  // namespace

cudaError_t launch(const LaunchRequest& request) {
    {
        const std::lock_guard lock(device_mutex());
        if (const cudaError_t status = Machine::instance().check(request); status != cudaSuccess)
            return status;
    }
    // The arguments are those of the moment of the launch.
    return enqueue(request.stream, cudaGraphNodeTypeKernel,
                   [request, constants = copy_of(request.constants, request.constant_bytes)] {
                       LaunchRequest later = request;
                       later.constants = constants.get();
                       run(later);
                   });
}

cudaError_t allow_shared_memory(const void* kernel, std::size_t bytes) {
    return in_context([&] { return Machine::instance().allow_shared_memory(kernel, bytes); });
}

}  // namespace software_gpu
