// Where the engine's kernels run in a test: on a GPU (backend_cuda.cpp) or on the software GPU (tests/simt).
// The comparison loop is written against this header only, and linked with one or the other.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <span>

#include "plan.hpp"

namespace sgemm_shim::testing {

/// Why no kernel can run here, or nullptr.
const char* reason_backend_is_missing();

/// "NVIDIA H200" or "software GPU".
const char* backend_name();

/// The figures that plan() gets; every kernel of the table is ready, or the tests fail.
DeviceFigures backend_figures();

/// Memory that kernels can reach: exactly `count` floats that begin `misalignment` floats past a 16-byte
/// boundary, filled with NaN. A kernel that touches what lies outside is found out where the backend can tell
/// (the software GPU always, a GPU under compute-sanitizer).
class DeviceBuffer {
  public:
    DeviceBuffer(std::size_t count, int misalignment);
    ~DeviceBuffer();
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    float* data() const { return data_; }
    std::size_t size() const { return count_; }
    void upload(std::span<const float> values);
    void download(std::span<float> values) const;
    /// Elements that no kernel may read or write although they lie inside the buffer: the gap between rows
    /// and leading dimension. A backend without poisoning ignores it. upload() and download() lift it again.
    void poison(std::size_t first, std::size_t count);

  private:
    void* allocation_ = nullptr;
    float* data_ = nullptr;
    std::size_t count_ = 0;
};

/// The stream that tests launch on.
cudaStream_t backend_stream();

/// Waits for everything launched; throws std::runtime_error with the backend's findings if something went
/// wrong.
void synchronize_backend();

}  // namespace sgemm_shim::testing
