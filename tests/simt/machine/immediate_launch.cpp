// What kernels ask of the CUDA runtime, without one: launches run at once, in the calling thread.
// tests/chain has a runtime with streams instead.
#include "kernels/primitives.cuh"
#include "machine/function_limits.hpp"
#include "machine/machine.hpp"

namespace sgemm_shim {
namespace {

simt::FunctionLimits& limits() {
    static simt::FunctionLimits* const limits = new simt::FunctionLimits;
    return *limits;
}

}  // namespace

cudaError_t allow_shared_memory(const void* kernel, std::size_t dynamic_bytes) {
    return limits().allow_shared_memory(kernel, dynamic_bytes);
}

cudaError_t allow_large_clusters(const void* kernel) {
    limits().allow_large_clusters(kernel);
    return cudaSuccess;
}

cudaError_t simt::run_grid(const LaunchRequest& request) {
    const cudaError_t status = limits().check(request);
    if (status == cudaSuccess) Machine::instance().run(request);
    return status;
}

}  // namespace sgemm_shim
