#include <cstring>
#include <memory>
#include <new>

#include "machine/global_memory.hpp"
#include "state.hpp"

namespace software_gpu {
namespace {

using sgemm_shim::simt::GlobalMemory;

/// What a GPU of today would say it has, here all devices together; the host pays only for what is touched.
constexpr std::size_t total_bytes = std::size_t{24} << 30;

GlobalMemory& memory() {
    return GlobalMemory::instance();
}

bool is_host_memory(const void* address) {
    return !memory().contains(address) || memory().word(address)->host != 0;
}

/// Whether source and destination are what the kind of copy says.
bool fits(const void* to, const void* from, cudaMemcpyKind kind) {
    switch (kind) {
        case cudaMemcpyHostToHost:
            return is_host_memory(to) && is_host_memory(from);
        case cudaMemcpyHostToDevice:
            return memory().contains(to) && is_host_memory(from);
        case cudaMemcpyDeviceToHost:
            return is_host_memory(to) && memory().contains(from);
        case cudaMemcpyDeviceToDevice:
            return memory().contains(to) && memory().contains(from);
        case cudaMemcpyDefault:
            return true;
    }
    return false;
}

/// For an address in the memory of some device.
int device_of(const void* address) {
    return memory().word(address)->device;
}

/// Device memory is mapped to its end, allocated or not, so a copy past an allocation must be refused here.
bool is_allocated(const void* address, std::size_t bytes) {
    if (!memory().contains(address) || bytes == 0) return true;
    const char* last = static_cast<const char*>(address) + bytes - 1;
    return memory().contains(last) && memory().word(address)->accessible != 0 &&
           memory().word(last)->accessible != 0;
}

}  // namespace

cudaError_t allocate(void** address, std::size_t bytes, MemoryKind kind) {
    if (address == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t status = check_unsafe_call(); status != cudaSuccess) return status;
    return in_context([&] {
        *address = nullptr;
        if (bytes == 0) return cudaSuccess;
        if (bytes > total_bytes - memory().bytes_in_use()) return cudaErrorMemoryAllocation;
        try {
            *address = memory().allocate((bytes + 3) / 4 * 4, 0, kind != MemoryKind::device,
                                         static_cast<unsigned>(current_device()));
        } catch (const std::bad_alloc&) {
            return cudaErrorMemoryAllocation;
        }
        return cudaSuccess;
    });
}

cudaError_t release(void* address) {
    if (const cudaError_t status = check_unsafe_call(); status != cudaSuccess) return status;
    return in_context([&] {
        if (address == nullptr) return cudaSuccess;
        if (!memory().contains(address) || !memory().is_allocation(address)) return cudaErrorInvalidValue;
        run_everything(device_of(address));
        memory().free(address);
        return cudaSuccess;
    });
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (const cudaError_t status = check_unsafe_call(); status != cudaSuccess) return status;
    if (const cudaError_t status = copy_later(to, from, bytes, kind, cudaStreamLegacy); status != cudaSuccess)
        return status;
    return synchronize(cudaStreamLegacy);
}

cudaError_t copy_later(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream) {
    {
        const std::lock_guard lock(device_mutex());
        if (!is_allocated(to, bytes) || !is_allocated(from, bytes)) return cudaErrorInvalidValue;
        if (bytes != 0 && !fits(to, from, kind)) return cudaErrorInvalidValue;
    }
    if (!memory().contains(from)) {
        // From pageable memory: read now, as CUDA does, so that the program may use it again.
        auto staged = std::make_shared<std::vector<char>>(bytes);
        if (bytes != 0) std::memcpy(staged->data(), from, bytes);
        return enqueue(stream, cudaGraphNodeTypeMemcpy, [to, staged] {
            if (!staged->empty()) std::memcpy(to, staged->data(), staged->size());
        });
    }
    return enqueue(stream, cudaGraphNodeTypeMemcpy, [to, from, bytes] { std::memmove(to, from, bytes); });
}

cudaError_t fill_later(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    {
        const std::lock_guard lock(device_mutex());
        if (!memory().contains(to) || !is_allocated(to, bytes)) return cudaErrorInvalidValue;
    }
    return enqueue(stream, cudaGraphNodeTypeMemset, [to, value, bytes] { std::memset(to, value, bytes); });
}

cudaError_t attributes_of(cudaPointerAttributes& attributes, const void* address) {
    return in_context([&] {
        attributes = {};
        attributes.type = cudaMemoryTypeUnregistered;
        if (!memory().contains(address) || memory().word(address)->accessible == 0) {
            attributes.device = -2;  // cudaInvalidDeviceId
            attributes.hostPointer = const_cast<void*>(address);
            return cudaSuccess;
        }
        attributes.device = device_of(address);
        const bool host = memory().word(address)->host != 0;
        attributes.type = host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
        attributes.devicePointer = const_cast<void*>(address);
        attributes.hostPointer = host ? const_cast<void*>(address) : nullptr;
        return cudaSuccess;
    });
}

cudaError_t memory_left(std::size_t& free, std::size_t& total) {
    return in_context([&] {
        total = total_bytes;
        free = total_bytes - memory().bytes_in_use();
        return cudaSuccess;
    });
}

}  // namespace software_gpu
