#include "call.hpp"

using software_gpu::MemoryKind;

extern "C" {

cudaError_t cudaMalloc(void** address, size_t bytes) {
    MAKE_CALL(return software_gpu::allocate(address, bytes, MemoryKind::device));
}

cudaError_t cudaMallocHost(void** address, size_t bytes) {
    MAKE_CALL(return software_gpu::allocate(address, bytes, MemoryKind::pinned));
}

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned) {
    MAKE_CALL(return software_gpu::allocate(address, bytes, MemoryKind::pinned));
}

cudaError_t cudaMallocManaged(void** address, size_t bytes, unsigned) {
    MAKE_CALL(return software_gpu::allocate(address, bytes, MemoryKind::managed));
}

cudaError_t cudaFree(void* address) {
    MAKE_CALL(return software_gpu::release(address));
}

cudaError_t cudaFreeHost(void* address) {
    MAKE_CALL(return software_gpu::release(address));
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    MAKE_CALL(return software_gpu::copy(to, from, bytes, kind));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    MAKE_CALL(return software_gpu::copy_later(to, from, bytes, kind, stream));
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    MAKE_CALL(return software_gpu::fill_later(to, value, bytes, cudaStreamLegacy));
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    MAKE_CALL(return software_gpu::fill_later(to, value, bytes, stream));
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    MAKE_CALL(return software_gpu::memory_left(*free, *total));
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
    MAKE_CALL(return software_gpu::attributes_of(*attributes, address));
}

}  // extern "C"
