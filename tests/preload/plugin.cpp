// What a Python extension is to cuBLAS: a library, linked to it, that arrives by dlopen() with RTLD_LOCAL.
#include <cublas_v2.h>

extern "C" [[gnu::visibility("default")]] int call_cublas() {
    cublasHandle_t handle = nullptr;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return -1;
    const float one = 1.0f;
    float* nowhere = reinterpret_cast<float*>(0x1000);
    // Kept in a variable: a tail call would leave the caller's return address, and its module, behind.
    const volatile int status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, nowhere, 8,
                                            nowhere, 8, &one, nowhere, 8);
    return status;
}

#ifdef CALLS_IN_CONSTRUCTOR
namespace {
[[gnu::constructor]] void call_while_being_loaded() {
    call_cublas();
}
}  // namespace
#endif
