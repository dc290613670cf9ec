// What the detectors say about one launch of a kernel that is wrong on purpose.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "broken_kernels.cuh"
#include "tests/engine/backend.hpp"

namespace sgemm_shim::broken {

/// 64 floats, zero but for what a test changes.
struct Memory {
    testing::DeviceBuffer buffer;
    explicit Memory(int misalignment = 0) : buffer(64, misalignment) {
        buffer.upload(std::vector<float>(64, 0.0f));
    }
};

/// Runs the kernel and returns the findings, empty if there are none.
inline std::string findings(const std::string& kernel, Memory& memory, unsigned threads = 64,
                            unsigned blocks = 1) {
    launch_by_name(kernel, memory.buffer.data(), threads, blocks);
    try {
        testing::synchronize_backend();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

/// The finding must name the problem, the kernel, and each of `details`.
inline void check_finding(const std::string& kernel, const std::string& problem,
                          const std::vector<std::string>& details = {}, unsigned threads = 64,
                          unsigned blocks = 1) {
    CAPTURE(kernel);
    Memory memory;
    const std::string text = findings(kernel, memory, threads, blocks);
    CAPTURE(text);
    CHECK(text.find("software GPU: " + problem) != std::string::npos);
    // Compilers differ in how much of the name they keep.
    CHECK(text.find(kernel, std::min(text.size(), text.find("\n  kernel   "))) != std::string::npos);
    CHECK(text.find("SGEMM_SIMT_SEED=") != std::string::npos);
    for (const std::string& detail : details) {
        CAPTURE(detail);
        CHECK(text.find(detail) != std::string::npos);
    }
}

inline void check_clean(const std::string& kernel, unsigned threads = 64, unsigned blocks = 1) {
    CAPTURE(kernel);
    Memory memory;
    CHECK(findings(kernel, memory, threads, blocks) == "");
}

}  // namespace sgemm_shim::broken
