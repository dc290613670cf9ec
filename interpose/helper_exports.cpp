// Exported functions that compute nothing: they pass on, and tell the shim what it must know.
#include "device.hpp"
#include "intercept.hpp"
#include "settings.hpp"

using namespace sgemm_shim;

extern "C" {

/// Loads the kernels as soon as there is a context, so that a program whose first product is inside a stream
/// capture finds them loaded.
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    const RealCublas* real = real_cublas_for(__builtin_return_address(0));
    if (real == nullptr || real->cublasCreate_v2 == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const cublasStatus_t status = real->cublasCreate_v2(handle);
    if (status == CUBLAS_STATUS_SUCCESS && !process_settings().disabled) load_kernels_ahead();
    return status;
}

cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr, const char* logFileName) {
    const RealCublas* real = real_cublas_for(__builtin_return_address(0));
    if (real == nullptr || real->cublasLoggerConfigure == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    note_cublas_logging(logIsOn != 0);
    return real->cublasLoggerConfigure(logIsOn, logToStdOut, logToStdErr, logFileName);
}

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback) {
    const RealCublas* real = real_cublas_for(__builtin_return_address(0));
    if (real == nullptr || real->cublasSetLoggerCallback == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    note_cublas_log_callback(userCallback != nullptr);
    return real->cublasSetLoggerCallback(userCallback);
}

}  // extern "C"

namespace {

/// Runs when the loader lets go of the library, which is linked with -z nodelete: at exit, after the
/// program's own handlers.
[[gnu::destructor]] void summarise() {
    report_at_exit();
}

}  // namespace
