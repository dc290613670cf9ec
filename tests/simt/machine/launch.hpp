// What primitives.cuh needs of the machine: the part of the software GPU that is included in kernel sources,
// so nothing here has code.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>

namespace sgemm_shim::simt {

/// A line of kernel source, filled in by default arguments.
struct CallPlace {
    const char* file;
    const char* function;
    unsigned line;

    static constexpr CallPlace current(const char* file = __builtin_FILE(),
                                       const char* function = __builtin_FUNCTION(),
                                       unsigned line = __builtin_LINE()) {
        return {file, function, line};
    }
};

struct LaunchRequest {
    const void* kernel = nullptr;  ///< only a name
    unsigned grid = 0;
    unsigned block = 0;
    unsigned cluster = 1;  ///< blocks that run together
    std::size_t dynamic_shared_bytes = 0;
    unsigned device = 0;  ///< whose memory the kernel can reach
    cudaStream_t stream = nullptr;
    const void* constants = nullptr;  ///< the arguments, readable by every thread
    std::size_t constant_bytes = 0;
    void (*run_thread)(const void* constants) = nullptr;  ///< calls the kernel once
};

/// Runs the whole grid: in the calling thread before it returns (immediate_launch.cpp), or in the order of
/// the stream (tests/chain). What the kernel does wrong is kept as findings (finding.hpp); as on a GPU, the
/// status speaks of the launch alone.
cudaError_t run_grid(const LaunchRequest& request);

/// The block's static shared memory. Every thread of a block asks for the same size.
void* static_shared_memory(std::size_t bytes, std::size_t alignment);

void copy_async(void* shared, const void* global, int bytes, int valid);
void wait_for_copies(int pending_groups);

}  // namespace sgemm_shim::simt
