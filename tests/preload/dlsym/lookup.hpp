// The way of a program that is linked to no cuBLAS: dlopen, dlsym for each function, calls through the
// pointers.
#pragma once

#include <cublas_v2.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#ifdef BUILT_LONG_AGO
// As in programs and wheels that were built where dlsym was libdl's.
#if defined(__x86_64__)
asm(".symver dlsym, dlsym@GLIBC_2.2.5");
#else
asm(".symver dlsym, dlsym@GLIBC_2.17");
#endif
#endif

/// The functions of one library.
struct LookedUp {
    decltype(&cublasCreate_v2) create = nullptr;
    decltype(&cublasDestroy_v2) destroy = nullptr;
    decltype(&cublasLoggerConfigure) logger = nullptr;
    decltype(&cublasSgemm_v2) sgemm = nullptr;
    decltype(&cublasSgemm_v2_64) sgemm_64 = nullptr;
};

inline LookedUp look_up(const char* path, int more_flags = 0) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | more_flags);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        std::exit(1);
    }
    LookedUp found;
    found.create = reinterpret_cast<decltype(found.create)>(dlsym(library, "cublasCreate_v2"));
    found.destroy = reinterpret_cast<decltype(found.destroy)>(dlsym(library, "cublasDestroy_v2"));
    found.logger = reinterpret_cast<decltype(found.logger)>(dlsym(library, "cublasLoggerConfigure"));
    found.sgemm = reinterpret_cast<decltype(found.sgemm)>(dlsym(library, "cublasSgemm_v2"));
    found.sgemm_64 = reinterpret_cast<decltype(found.sgemm_64)>(dlsym(library, "cublasSgemm_v2_64"));
    return found;
}

/// The status of a product, small and of operands that do not exist: `handle` is that of a library that
/// computes nothing, or NULL.
inline int multiply(const LookedUp& library, cublasHandle_t handle) {
    const float one = 1.0f;
    float* nowhere = reinterpret_cast<float*>(0x1000);
    return library.sgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, nowhere, 8, nowhere, 8, &one,
                         nowhere, 8);
}

inline int multiply_64(const LookedUp& library, cublasHandle_t handle) {
    const float one = 1.0f;
    float* nowhere = reinterpret_cast<float*>(0x1000);
    return library.sgemm_64 == nullptr ? -1
                                       : library.sgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one,
                                                          nowhere, 8, nowhere, 8, &one, nowhere, 8);
}
