// What programs compute between their products, as far as tests need it: a scalar that never leaves the
// device.
#include <cblas.h>

#include "handle.hpp"

extern "C" cublasStatus_t cublasSdot_v2(cublasHandle_t handle, int n, const float* x, int incx,
                                        const float* y, int incy, float* result) {
    if (!stand_in_cublas::is_handle(handle) || software_gpu::current_context() == 0)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!stand_in_cublas::is_on_current_device(handle)) return CUBLAS_STATUS_EXECUTION_FAILED;
    stand_in_cublas::log_call(__func__);
    const cudaStream_t stream = handle->stream.load(std::memory_order_relaxed);
    cudaError_t status = software_gpu::enqueue(stream, cudaGraphNodeTypeKernel,
                                               [=] { *result = cblas_sdot(n, x, incx, y, incy); });
    // A result on the host is there when the function returns.
    const bool on_host = handle->pointer_mode.load(std::memory_order_relaxed) == CUBLAS_POINTER_MODE_HOST;
    if (status == cudaSuccess && on_host) status = software_gpu::synchronize(stream);
    return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
