// The devices and what is known of them; the driver functions that libraries look up.
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "call.hpp"

namespace {

// The figures of an H200, as far as anybody asks.
constexpr int capability_major = 9;
constexpr int capability_minor = 0;
constexpr int warp = 32;
constexpr int shared_bytes = 48 * 1024;
constexpr int most_shared_bytes = 227 * 1024;
constexpr int threads_per_block = 1024;

bool is_device(int device) {
    return device >= 0 && device < software_gpu::device_count();
}

/// -1: unknown.
int attribute(cudaDeviceAttr name, int device) {
    switch (name) {
        case cudaDevAttrComputeCapabilityMajor:
            return capability_major;
        case cudaDevAttrComputeCapabilityMinor:
            return capability_minor;
        case cudaDevAttrMultiProcessorCount:
            return software_gpu::multiprocessors(device);
        case cudaDevAttrMaxThreadsPerBlock:
            return threads_per_block;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            return shared_bytes;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            return most_shared_bytes;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return most_shared_bytes + 1024;
        case cudaDevAttrWarpSize:
            return warp;
        case cudaDevAttrL2CacheSize:
            return 50 << 20;
        default:
            return -1;
    }
}

/// A driver function, whose failures are the runtime's to inject as well.
template <class Call>
CUresult driver_call(const char* function, Call call) {
    return software_gpu::fault_for(stand_in_runtime::own_file(), function) == cudaSuccess
               ? call()
               : CUDA_ERROR_UNKNOWN;
}

CUresult get_current_context(CUcontext* context) {
    return driver_call("cuCtxGetCurrent", [&] {
        *context = reinterpret_cast<CUcontext>(software_gpu::current_context());
        return CUDA_SUCCESS;
    });
}

CUresult get_context_id(CUcontext context, unsigned long long* id) {
    return driver_call("cuCtxGetId", [&] {
        *id = reinterpret_cast<unsigned long long>(context);
        return CUDA_SUCCESS;
    });
}

CUresult get_context_device(CUdevice* device) {
    return driver_call("cuCtxGetDevice", [&] {
        *device = software_gpu::current_device();
        return software_gpu::current_context() != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    });
}

void* driver_function(std::string_view name) {
    if (name == "cuCtxGetCurrent") return reinterpret_cast<void*>(&get_current_context);
    if (name == "cuCtxGetId") return reinterpret_cast<void*>(&get_context_id);
    if (name == "cuCtxGetDevice") return reinterpret_cast<void*>(&get_context_device);
    return nullptr;
}

}  // namespace

using stand_in_runtime::make_call;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    MAKE_CALL(*count = software_gpu::device_count(); return cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
    MAKE_CALL(*device = software_gpu::current_device(); return cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
    MAKE_CALL(return software_gpu::set_device(device));
}

cudaError_t cudaDeviceReset() {
    MAKE_CALL(return software_gpu::reset());
}

cudaError_t cudaDeviceSynchronize() {
    MAKE_CALL(return software_gpu::synchronize_device());
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name, int device) {
    return make_call(__func__, [&] {
        if (!is_device(device)) return cudaErrorInvalidDevice;
        const int known = attribute(name, device);
        if (known < 0) return cudaErrorInvalidValue;
        *value = known;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return make_call(__func__, [&] {
        if (!is_device(device)) return cudaErrorInvalidDevice;
        *properties = {};
        std::snprintf(properties->name, sizeof properties->name, "software GPU");
        properties->major = capability_major;
        properties->minor = capability_minor;
        properties->multiProcessorCount = software_gpu::multiprocessors(device);
        properties->warpSize = warp;
        properties->maxThreadsPerBlock = threads_per_block;
        properties->sharedMemPerBlock = shared_bytes;
        properties->sharedMemPerBlockOptin = most_shared_bytes;
        std::size_t free = 0;
        return software_gpu::memory_left(free, properties->totalGlobalMem);
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    MAKE_CALL(*version = CUDART_VERSION; return cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    MAKE_CALL(*version = CUDART_VERSION; return cudaSuccess);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
    return make_call(__func__, [&] {
        *function = driver_function(name);
        *result = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
        return cudaSuccess;
    });
}

/// A kernel is loaded when it is first asked for, which a capture can forbid.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    return make_call(__func__, [&] {
        if (function == nullptr) return cudaErrorInvalidDeviceFunction;
        if (const cudaError_t status = software_gpu::load(function); status != cudaSuccess) return status;
        *attributes = {};
        attributes->binaryVersion = capability_major * 10 + capability_minor;
        attributes->ptxVersion = attributes->binaryVersion;
        attributes->maxThreadsPerBlock = threads_per_block;
        std::size_t dynamic_bytes = 0;
        const cudaError_t status = software_gpu::shared_memory_of(function, dynamic_bytes);
        attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_bytes);
        return status;
    });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute name, int value) {
    return make_call(__func__, [&] {
        if (name == cudaFuncAttributeNonPortableClusterSizeAllowed && value == 1)
            return software_gpu::allow_large_clusters(function);
        if (name != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0) return cudaErrorInvalidValue;
        return software_gpu::allow_shared_memory(function, static_cast<std::size_t>(value));
    });
}

/// What a program asks who wants to know whether a cluster fits: the device's attributes do not tell.
cudaError_t cudaOccupancyMaxActiveClusters(int* count, const void*, const cudaLaunchConfig_t* configuration) {
    return make_call(__func__, [&] {
        unsigned cluster = 1;
        for (unsigned i = 0; i < configuration->numAttrs; ++i) {
            const cudaLaunchAttribute& attribute = configuration->attrs[i];
            if (attribute.id == cudaLaunchAttributeClusterDimension) cluster = attribute.val.clusterDim.x;
        }
        if (cluster == 0) return cudaErrorInvalidClusterSize;
        const auto blocks =
            static_cast<unsigned>(software_gpu::multiprocessors(software_gpu::current_device()));
        *count =
            cluster > software_gpu::largest_cluster() ? 0 : static_cast<int>(std::max(blocks / cluster, 1u));
        return software_gpu::enter();
    });
}

}  // extern "C"

// The way of the kernels, compiled for the software GPU, to the runtime.
namespace sgemm_shim {

cudaError_t allow_shared_memory(const void* kernel, std::size_t dynamic_bytes) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(dynamic_bytes));
}

cudaError_t allow_large_clusters(const void* kernel) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

cudaError_t simt::run_grid(const LaunchRequest& request) {
    return stand_in_runtime::make_call("cudaLaunchKernelExC", [&] { return software_gpu::launch(request); });
}

}  // namespace sgemm_shim
