// Loads the plugins that are named, then has each call cuBLAS twice. Prints what they got. With --deepbind
// first, each plugin looks its symbols up in its own libraries before the program's. With --close, each
// plugin is closed before the next is loaded; the last line then says whether all of them lay at one address.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <set>
#include <vector>

namespace {

using Call = int (*)();

struct Plugin {
    void* handle = nullptr;
    Call call = nullptr;
};

/// Without a call, and with the reason printed, if it cannot be loaded.
Plugin load(const char* path, int more_flags = 0) {
    Plugin plugin;
    plugin.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | more_flags);
    if (plugin.handle != nullptr) plugin.call = reinterpret_cast<Call>(dlsym(plugin.handle, "call_cublas"));
    if (plugin.call == nullptr) std::printf("%s\n", dlerror());
    return plugin;
}

int call_one_after_the_other(char** paths) {
    std::set<Call> places;
    for (; *paths != nullptr; ++paths) {
        const Plugin plugin = load(*paths);
        if (plugin.call == nullptr) return 1;
        places.insert(plugin.call);
        std::printf("%d ", plugin.call());
        std::printf("%d ", plugin.call());
        dlclose(plugin.handle);
    }
    std::printf("\n%s\n", places.size() == 1 ? "one address" : "several addresses");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "--close") == 0) return call_one_after_the_other(argv + 2);
    std::vector<Call> plugins;
    const bool deep = argc > 1 && std::strcmp(argv[1], "--deepbind") == 0;
    for (int i = deep ? 2 : 1; i < argc; ++i) {
        plugins.push_back(load(argv[i], deep ? RTLD_DEEPBIND : 0).call);
        if (plugins.back() == nullptr) return 1;
    }
    for (int repeat = 0; repeat < 2; ++repeat) {
        for (const Call call : plugins) std::printf("%d ", call());
    }
    std::printf("\n");
    return 0;
}
