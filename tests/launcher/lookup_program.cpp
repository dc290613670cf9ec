// Looks cuBLAS up at run time; the doctor only reads the file.
#include <dlfcn.h>

int main() {
    void* library = dlopen("libcublas.so.13", RTLD_NOW);
    return library != nullptr && dlsym(library, "cublasSgemm_v2") != nullptr ? 0 : 1;
}
