// Loads the plugins that are named, then has each call cuBLAS twice. Prints what they got.
#include <dlfcn.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
    using Call = int (*)();
    std::vector<Call> plugins;
    for (int i = 1; i < argc; ++i) {
        void* plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (plugin == nullptr) {
            std::printf("%s\n", dlerror());
            return 1;
        }
        plugins.push_back(reinterpret_cast<Call>(dlsym(plugin, "call_cublas")));
    }
    for (int repeat = 0; repeat < 2; ++repeat) {
        for (const Call call : plugins) std::printf("%d ", call());
    }
    std::printf("\n");
    return 0;
}
