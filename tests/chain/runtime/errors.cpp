#include <dlfcn.h>

#include <cstring>

#include "call.hpp"

namespace stand_in_runtime {

thread_local cudaError_t last_error = cudaSuccess;

const char* own_file() {
    static const char* const name = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<const void*>(&own_file), &info);
        const char* slash = std::strrchr(info.dli_fname, '/');
        return slash != nullptr ? slash + 1 : info.dli_fname;
    }();
    return name;
}

}  // namespace stand_in_runtime

using stand_in_runtime::last_error;

extern "C" {

cudaError_t cudaGetLastError() {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError() {
    return last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "cudaSuccess";
        case cudaErrorInvalidValue:
            return "cudaErrorInvalidValue";
        case cudaErrorMemoryAllocation:
            return "cudaErrorMemoryAllocation";
        case cudaErrorInitializationError:
            return "cudaErrorInitializationError";
        case cudaErrorInvalidConfiguration:
            return "cudaErrorInvalidConfiguration";
        case cudaErrorInvalidDevice:
            return "cudaErrorInvalidDevice";
        case cudaErrorInvalidClusterSize:
            return "cudaErrorInvalidClusterSize";
        case cudaErrorLaunchOutOfResources:
            return "cudaErrorLaunchOutOfResources";
        case cudaErrorInvalidResourceHandle:
            return "cudaErrorInvalidResourceHandle";
        case cudaErrorIllegalAddress:
            return "cudaErrorIllegalAddress";
        case cudaErrorNotReady:
            return "cudaErrorNotReady";
        case cudaErrorStreamCaptureUnsupported:
            return "cudaErrorStreamCaptureUnsupported";
        case cudaErrorStreamCaptureInvalidated:
            return "cudaErrorStreamCaptureInvalidated";
        case cudaErrorStreamCaptureImplicit:
            return "cudaErrorStreamCaptureImplicit";
        default:
            return "an error that the stand-in CUDA runtime has no name for";
    }
}

const char* cudaGetErrorString(cudaError_t error) {
    return cudaGetErrorName(error);
}

}  // extern "C"
