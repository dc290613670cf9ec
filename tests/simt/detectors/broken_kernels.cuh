// Kernels that are wrong on purpose, one fault each, and a correct one beside them where the difference is
// small. Launched by name, so that the tests stay free of device code.
#pragma once

#include <cstddef>
#include <string>

namespace sgemm_shim::broken {

/// Launches blocks of `threads` of the named kernel with `memory` as its argument. Throws
/// std::out_of_range for an unknown name.
void launch_by_name(const std::string& name, float* memory, unsigned threads = 64, unsigned blocks = 1);

/// allow_shared_memory() for what the named kernel needs.
void allow_shared_memory_by_name(const std::string& name);

/// Host code of a kernel's file that takes a device pointer for its own.
float read_on_host(const float* device);

}  // namespace sgemm_shim::broken
