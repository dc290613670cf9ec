// Multiplies twice through cuBLAS, in the way that it was built for, and prints a 1 for each right product:
// as a program, or with AS_PLUGIN as a library for tests/preload's plugin_host. With LOOKS_UP, cuBLAS is
// opened as LOOKUP_LIBRARY names it (LOOKUP_DEEPBIND: with that flag), and its functions are looked up.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#ifdef USES_THE_SHIM
#include "sgemm_shim/sgemm_shim.h"
#endif

namespace {

#ifdef LOOKS_UP
void* library() {
    const int deep = std::getenv("LOOKUP_DEEPBIND") != nullptr ? RTLD_DEEPBIND : 0;
    static void* const opened = dlopen(std::getenv("LOOKUP_LIBRARY"), RTLD_NOW | RTLD_LOCAL | deep);
    if (opened == nullptr) std::printf("%s\n", dlerror());
    return opened;
}
#define CUBLAS(name) reinterpret_cast<decltype(&name)>(dlsym(library(), #name))
#else
#define CUBLAS(name) name
#endif

constexpr int size = 8;
constexpr std::size_t elements = size * size;

float* to_device(float value) {
    float host[elements];
    for (float& element : host) element = value;
    void* device = nullptr;
    if (cudaMalloc(&device, sizeof host) != cudaSuccess ||
        cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess)
        return nullptr;
    return static_cast<float*>(device);
}

/// 8 rows of 2 times 8 columns of 3.
bool multiplies_right() {
    float *a = to_device(2.0f), *b = to_device(3.0f), *c = to_device(-1.0f);
    cublasHandle_t handle = nullptr;
    const float alpha = 0.5f, beta = 0.0f;
    float result[elements] = {};
    const bool done = CUBLAS(cublasCreate_v2)(&handle) == CUBLAS_STATUS_SUCCESS &&
                      CUBLAS(cublasSgemm_v2)(handle, CUBLAS_OP_N, CUBLAS_OP_T, size, size, size, &alpha, a,
                                             size, b, size, &beta, c, size) == CUBLAS_STATUS_SUCCESS &&
                      cudaMemcpy(result, c, sizeof result, cudaMemcpyDeviceToHost) == cudaSuccess &&
                      CUBLAS(cublasDestroy_v2)(handle) == CUBLAS_STATUS_SUCCESS;
    for (float* matrix : {a, b, c}) cudaFree(matrix);
    for (const float element : result) {
        if (element != 24.0f) return false;
    }
    return done;
}

}  // namespace

#ifdef AS_PLUGIN
extern "C" [[gnu::visibility("default")]] int call_cublas() {
    return multiplies_right() ? 1 : 0;
}
#else
int main() {
    for (int i = 0; i < 2; ++i) std::printf("%d ", multiplies_right() ? 1 : 0);
    std::printf("\n");
#ifdef USES_THE_SHIM
    return sgemm_shim_kernel_count() > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
#else
    return EXIT_SUCCESS;
#endif
}
#endif
