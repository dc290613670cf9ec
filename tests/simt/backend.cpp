// The comparison loop's backend on the software GPU.
#include "tests/engine/backend.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "kernels/primitives.cuh"
#include "machine/finding.hpp"
#include "machine/global_memory.hpp"
#include "machine/machine.hpp"

namespace sgemm_shim::testing {

using simt::GlobalMemory;

const char* reason_backend_is_missing() {
    return nullptr;
}

const char* backend_name() {
    return "software GPU";
}

namespace {

/// As lib/device does it: every kernel is prepared before its first launch.
DeviceFigures prepare_kernels() {
    DeviceFigures figures;
    figures.compute_capability_major = 9;
    figures.compute_capability_minor = 0;
    figures.multiprocessor_count = 132;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation == nullptr) continue;
        if (kernel.implementation->prepare != nullptr && kernel.implementation->prepare() != cudaSuccess)
            continue;
        figures.ready_kernels |= std::uint64_t{1} << kernel_index(kernel);
    }
    return figures;
}

}  // namespace

DeviceFigures backend_figures() {
    static const DeviceFigures figures = prepare_kernels();
    return figures;
}

DeviceBuffer::DeviceBuffer(std::size_t count, int misalignment) : count_(count) {
    allocation_ = GlobalMemory::instance().allocate(count * sizeof(float),
                                                    static_cast<std::size_t>(misalignment) * sizeof(float));
    data_ = static_cast<float*>(allocation_);
    std::fill_n(data_, count_, std::numeric_limits<float>::quiet_NaN());
}

DeviceBuffer::~DeviceBuffer() {
    GlobalMemory::instance().free(allocation_);
}

void DeviceBuffer::upload(std::span<const float> values) {
    if (values.size() != count_) throw std::invalid_argument("upload() of another size than the buffer's");
    GlobalMemory::instance().set_poison(data_, count_ * sizeof(float), false);
    if (count_ != 0) std::memcpy(data_, values.data(), values.size_bytes());
}

void DeviceBuffer::download(std::span<float> values) const {
    if (values.size() != count_) throw std::invalid_argument("download() of another size than the buffer's");
    GlobalMemory::instance().set_poison(data_, count_ * sizeof(float), false);
    if (count_ != 0) std::memcpy(values.data(), data_, values.size_bytes());
}

void DeviceBuffer::poison(std::size_t first, std::size_t count) {
    if (first > count_ || count > count_ - first) throw std::out_of_range("poison() outside the buffer");
    GlobalMemory::instance().set_poison(data_ + first, count * sizeof(float), true);
}

cudaStream_t backend_stream() {
    return nullptr;
}

void synchronize_backend() {
    const std::string findings = simt::FindingList::instance().take();
    if (!findings.empty()) throw std::runtime_error("\n" + findings);
}

}  // namespace sgemm_shim::testing
