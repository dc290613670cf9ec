// A library, linked to one cuBLAS, that switches on the log of the cuBLAS it got and then has it refuse a
// product: the log says which version was asked, and with what.
#include <cublas_v2.h>

#include <cstdlib>

extern "C" [[gnu::visibility("default")]] int call_cublas() {
    if (cublasLoggerConfigure(1, 0, 0, std::getenv(LOG_FILE_VARIABLE)) != CUBLAS_STATUS_SUCCESS) return -1;
    const float one = 1.0f;
    float* nowhere = reinterpret_cast<float*>(0x1000);
    const volatile int status = cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, MAJOR, 8, 8, &one, nowhere,
                                            MAJOR, nowhere, 8, &one, nowhere, MAJOR);
    return status;
}
