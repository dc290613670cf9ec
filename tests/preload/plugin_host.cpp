// Loads the plugins that are named, then has each call cuBLAS twice. Prints what they got. With --deepbind
// first, each plugin looks its symbols up in its own libraries before the program's.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
    using Call = int (*)();
    std::vector<Call> plugins;
    const bool deep = argc > 1 && std::strcmp(argv[1], "--deepbind") == 0;
    for (int i = deep ? 2 : 1; i < argc; ++i) {
        void* plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0));
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
