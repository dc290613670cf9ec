#include "machine/function_limits.hpp"

#include "machine/clock.hpp"
#include "machine/shared_memory.hpp"

namespace sgemm_shim::simt {
namespace {

constexpr unsigned thread_limit = 1024;
/// What every GPU with clusters can.
constexpr unsigned portable_cluster = 8;

}  // namespace

cudaError_t FunctionLimits::allow_shared_memory(const void* kernel, std::size_t bytes) {
    if (bytes > SharedMemory::block_limit) return cudaErrorInvalidValue;
    shared_memory_[kernel] = bytes;
    return cudaSuccess;
}

void FunctionLimits::allow_large_clusters(const void* kernel) {
    large_clusters_.insert(kernel);
}

std::size_t FunctionLimits::shared_memory(const void* kernel) const {
    const auto found = shared_memory_.find(kernel);
    return found != shared_memory_.end() ? found->second : SharedMemory::static_limit;
}

cudaError_t FunctionLimits::check(const LaunchRequest& request) const {
    if (request.block == 0 || request.block > thread_limit || request.grid == 0 ||
        request.grid > 0x7fffffffu || request.cluster == 0 || request.cluster > cluster_limit ||
        request.grid % request.cluster != 0)
        return cudaErrorInvalidConfiguration;
    if (request.cluster > portable_cluster && !large_clusters_.contains(request.kernel))
        return cudaErrorInvalidClusterSize;
    // A limit below what needs no permission changes nothing.
    if (request.dynamic_shared_bytes > SharedMemory::static_limit &&
        request.dynamic_shared_bytes > shared_memory(request.kernel))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

}  // namespace sgemm_shim::simt
