// Kernels by name, for the files that define them and the one that launches them.
#pragma once

#include <string>
#include <vector>

#include "kernels/primitives.cuh"

namespace sgemm_shim::broken {

struct NamedKernel {
    std::string name;
    void (*kernel)(float*);
    std::size_t dynamic_shared_bytes = 0;
    unsigned cluster = 1;
};
using KernelList = std::vector<NamedKernel>;

extern const KernelList memory_kernels;
extern const KernelList synchronisation_kernels;
extern const KernelList copy_kernels;

}  // namespace sgemm_shim::broken
