#include <new>

#include "handle.hpp"

using stand_in_cublas::is_handle;

namespace {

std::atomic<cublasLogCallback> log_callback{nullptr};
std::atomic<bool> log_is_on{false};

template <class Value>
cublasStatus_t set(cublasHandle_t handle, std::atomic<Value> cublasContext::*field, Value value) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    (handle->*field).store(value, std::memory_order_relaxed);
    return CUBLAS_STATUS_SUCCESS;
}

template <class Value>
cublasStatus_t get(cublasHandle_t handle, std::atomic<Value> cublasContext::*field, Value* value) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    *value = (handle->*field).load(std::memory_order_relaxed);
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

void stand_in_cublas::log_call(const char* function) {
    const cublasLogCallback callback = log_callback.load();
    if (log_is_on.load() && callback != nullptr) callback(function);
}

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (software_gpu::enter() != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = new (std::nothrow) cublasContext;
    return *handle != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->mark.store(0, std::memory_order_relaxed);
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    return set(handle, &cublasContext::stream, stream);
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
    return get(handle, &cublasContext::stream, stream);
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
    return set(handle, &cublasContext::pointer_mode, mode);
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
    return get(handle, &cublasContext::pointer_mode, mode);
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    return set(handle, &cublasContext::math_mode, mode);
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    return get(handle, &cublasContext::math_mode, mode);
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
    return set(handle, &cublasContext::atomics_mode, mode);
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
    return get(handle, &cublasContext::atomics_mode, mode);
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int target) {
    return set(handle, &cublasContext::sm_count_target, target);
}

cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* target) {
    return get(handle, &cublasContext::sm_count_target, target);
}

/// Needs none, so whatever the program gives is left alone.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, size_t) {
    return is_handle(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasLoggerConfigure(int on, int, int, const char*) {
    log_is_on = on != 0;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback) {
    log_callback = callback;
    return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS:
            return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED:
            return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_ALLOC_FAILED:
            return "CUBLAS_STATUS_ALLOC_FAILED";
        case CUBLAS_STATUS_INVALID_VALUE:
            return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_EXECUTION_FAILED:
            return "CUBLAS_STATUS_EXECUTION_FAILED";
        case CUBLAS_STATUS_NOT_SUPPORTED:
            return "CUBLAS_STATUS_NOT_SUPPORTED";
        default:
            return "a status that the stand-in cuBLAS has no name for";
    }
}

const char* cublasGetStatusString(cublasStatus_t status) {
    return cublasGetStatusName(status);
}

}  // extern "C"
