// Loads the library that is named, takes cublasSgemm from it and calls that. Built alone, and linked to a
// cuBLAS that precedes the loaded library in every look-up.
#include <cublas_v2.h>
#include <dlfcn.h>

#include <cstdio>

int main(int, char** argv) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::printf("%s\n", dlerror());
        return 1;
    }
    const auto create = reinterpret_cast<decltype(&cublasCreate_v2)>(dlsym(library, "cublasCreate_v2"));
    const auto sgemm = reinterpret_cast<decltype(&cublasSgemm_v2)>(dlsym(library, "cublasSgemm_v2"));
    cublasHandle_t handle = nullptr;
    const cublasStatus_t created = create(&handle);
#ifdef LINKED_TO_CUBLAS
    const cublasStatus_t created_by_cublas = cublasCreate_v2(&handle);
    if (created != created_by_cublas) std::printf("differs ");
#endif
    const float one = 1.0f;
    float* nowhere = reinterpret_cast<float*>(0x1000);
    std::printf(
        "create=%d sgemm=%d\n", created,
        sgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, nowhere, 8, nowhere, 8, &one, nowhere, 8));
    return 0;
}
