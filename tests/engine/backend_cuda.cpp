// The backend on a GPU, with the static CUDA runtime.
//
// Around every buffer lie guard floats: NaNs of a known pattern, so that what a kernel reads there poisons
// its result, and what it writes there is found at the next synchronize_backend(). With
// SGEMM_TEST_EXACT_BUFFERS set, an allocation ends with its buffer instead, and compute-sanitizer sees every
// access past it.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend.hpp"
#include "device.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr unsigned guard_bits = 0x7fedcba9;  ///< a quiet NaN
constexpr std::size_t floats_per_vector = 4;

void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Floats before and after a buffer.
std::size_t guard_length() {
    static const std::size_t length = std::getenv("SGEMM_TEST_EXACT_BUFFERS") != nullptr ? 0 : 64;
    return length;
}

struct Guard {
    const float* address;
    std::size_t count;
};

/// The guards of every buffer that is alive, and what is already known to be wrong.
struct Guards {
    std::vector<Guard> all;
    std::string finding;
};

Guards& guards() {
    static Guards instance;
    return instance;
}

void set_guard(float* address, std::size_t count) {
    if (count == 0) return;
    const std::vector<float> values(count, std::bit_cast<float>(guard_bits));
    check(cudaMemcpy(address, values.data(), count * sizeof(float), cudaMemcpyHostToDevice), "guard");
    guards().all.push_back({address, count});
}

bool is_intact(const Guard& guard) {
    std::vector<float> values(guard.count);
    check(cudaMemcpy(values.data(), guard.address, guard.count * sizeof(float), cudaMemcpyDeviceToHost),
          "guard");
    return std::ranges::all_of(values,
                               [](float value) { return std::bit_cast<unsigned>(value) == guard_bits; });
}

}  // namespace

const char* reason_backend_is_missing() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? nullptr : "no CUDA device";
}

const char* backend_name() {
    static const cudaDeviceProp properties = [] {
        cudaDeviceProp found{};
        if (reason_backend_is_missing() == nullptr) cudaGetDeviceProperties(&found, 0);
        return found;
    }();
    return properties.name;
}

DeviceFigures backend_figures() {
    check(cudaFree(nullptr), "context");
    return current_device_figures(backend_stream());
}

DeviceBuffer::DeviceBuffer(std::size_t count, int misalignment) : count_(count) {
    // An exact buffer keeps the floats that misalign it, and no others.
    const std::size_t front = guard_length() + static_cast<std::size_t>(misalignment);
    static_assert(64 % floats_per_vector == 0);
    check(cudaMalloc(&allocation_, std::max<std::size_t>(1, front + count + guard_length()) * sizeof(float)),
          "cudaMalloc");
    data_ = static_cast<float*>(allocation_) + front;
    set_guard(static_cast<float*>(allocation_), front);
    set_guard(data_ + count, guard_length());
    if (count != 0) check(cudaMemset(data_, 0xff, count * sizeof(float)), "cudaMemset");
}

DeviceBuffer::~DeviceBuffer() {
    const float* end = data_ + count_;
    std::erase_if(guards().all, [&](const Guard& guard) {
        return guard.address == allocation_ || (guard.address == end && guard_length() != 0);
    });
    cudaFree(allocation_);
}

void DeviceBuffer::upload(std::span<const float> values) {
    if (values.size() != count_) throw std::logic_error("upload of another size");
    if (count_ != 0)
        check(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice), "upload");
}

void DeviceBuffer::download(std::span<float> values) const {
    if (values.size() != count_) throw std::logic_error("download of another size");
    if (count_ != 0)
        check(cudaMemcpy(values.data(), data_, values.size_bytes(), cudaMemcpyDeviceToHost), "download");
}

void DeviceBuffer::poison(std::size_t, std::size_t) {}

cudaStream_t backend_stream() {
    static const cudaStream_t stream = [] {
        cudaStream_t created = nullptr;
        check(cudaStreamCreate(&created), "cudaStreamCreate");
        return created;
    }();
    return stream;
}

void synchronize_backend() {
    check(cudaStreamSynchronize(backend_stream()), "the kernel");
    check(cudaGetLastError(), "an earlier call");
    for (const Guard& guard : guards().all) {
        if (is_intact(guard)) continue;
        set_guard(const_cast<float*>(guard.address), guard.count);
        guards().all.pop_back();
        throw std::runtime_error("a kernel wrote outside a buffer");
    }
}

}  // namespace sgemm_shim::testing
