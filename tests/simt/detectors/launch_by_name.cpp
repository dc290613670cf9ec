#include <stdexcept>

#include "broken_kernels.cuh"
#include "kernel_list.hpp"

namespace sgemm_shim::broken {

namespace {

const NamedKernel& find(const std::string& name) {
    for (const KernelList* list : {&memory_kernels, &synchronisation_kernels, &copy_kernels}) {
        for (const NamedKernel& kernel : *list) {
            if (kernel.name == name) return kernel;
        }
    }
    throw std::out_of_range("no kernel " + name);
}

}  // namespace

void launch_by_name(const std::string& name, float* memory, unsigned threads, unsigned blocks) {
    const NamedKernel& kernel = find(name);
    const cudaError_t status = launch_clusters(kernel.kernel, kernel.cluster, blocks, threads,
                                               kernel.dynamic_shared_bytes, nullptr, memory);
    if (status != cudaSuccess) throw std::runtime_error("launch of " + name + " fails");
}

void allow_shared_memory_by_name(const std::string& name) {
    const NamedKernel& kernel = find(name);
    if (allow_shared_memory(reinterpret_cast<const void*>(kernel.kernel), kernel.dynamic_shared_bytes) !=
        cudaSuccess)
        throw std::runtime_error("shared memory for " + name + " is refused");
}

float read_on_host(const float* device) {
    return *device;
}

}  // namespace sgemm_shim::broken
