// What launches of a kernel may ask for. CUDA keeps it for each context, so the machine, which has none, does
// not: whoever launches has one of these for each.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <map>
#include <set>

#include "machine/launch.hpp"

namespace sgemm_shim::simt {

class FunctionLimits {
  public:
    /// cudaFuncAttributeMaxDynamicSharedMemorySize.
    cudaError_t allow_shared_memory(const void* kernel, std::size_t bytes);
    /// cudaFuncAttributeNonPortableClusterSizeAllowed.
    void allow_large_clusters(const void* kernel);

    /// Dynamic shared memory that a launch of the kernel may have.
    std::size_t shared_memory(const void* kernel) const;

    /// What the launch itself answers: whether the machine can run such a grid, and the kernel may have it.
    cudaError_t check(const LaunchRequest& request) const;

  private:
    std::map<const void*, std::size_t> shared_memory_;
    std::set<const void*> large_clusters_;
};

}  // namespace sgemm_shim::simt
