#include "real_cublas.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "settings.hpp"
#include "text_buffer.hpp"

namespace sgemm_shim {
namespace {

// dlsym(RTLD_NEXT) would not do: it finds nothing when cuBLAS came with an RTLD_LOCAL plugin, and the wrong
// library when there are two.

constexpr const char* sonames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};

/// Libraries found so far. Guarded by search_mutex; a filled slot never changes, and its library is never
/// closed.
struct Library {
    void* handle = nullptr;
    RealCublas functions;
};
constinit std::array<Library, 16> libraries;
pthread_mutex_t search_mutex = PTHREAD_MUTEX_INITIALIZER;

/// Every function of `handle`'s library, or NULL if it is no cuBLAS, or is this library itself.
const RealCublas* functions_of(void* handle) {
    for (Library& library : libraries) {
        if (library.handle == handle) return &library.functions;
        if (library.handle != nullptr) continue;

        RealCublas found;
#define SGEMM_SHIM_FIND(name) found.name = reinterpret_cast<decltype(found.name)>(dlsym(handle, #name));
        SGEMM_SHIM_REAL_CUBLAS_FUNCTIONS(SGEMM_SHIM_FIND)
#undef SGEMM_SHIM_FIND
        if (found.cublasSgemm_v2 == nullptr || found.cublasSgemm_v2 == &::cublasSgemm_v2) return nullptr;
        library.functions = found;
        library.handle = handle;
        return &library.functions;
    }
    return nullptr;
}

const RealCublas* open_library(const char* name, int extra_flags) {
    void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | extra_flags);
    if (handle == nullptr) return nullptr;
    const RealCublas* functions = functions_of(handle);
    if (functions == nullptr) dlclose(handle);
    return functions;
}

/// Runs `search` without leaving its failures in the program's dlerror(), as far as that can be: reading it
/// also clears whatever the program had not read yet.
template <class Search>
const RealCublas* without_dlerror(Search search) {
    const RealCublas* found = search();
    dlerror();
    return found;
}

/// The library that the module around `address` is linked to.
const RealCublas* library_of_module(const void* address) {
    Dl_info info{};
    link_map* module = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0 || module == nullptr)
        return nullptr;

    const char* strings = nullptr;
    for (const ElfW(Dyn)* entry = module->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    }
    // The loader relocates the table's address in place, except in a module that it may not write to.
    if (strings == nullptr || reinterpret_cast<std::uintptr_t>(strings) < module->l_addr) return nullptr;

    for (const ElfW(Dyn)* entry = module->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag != DT_NEEDED) continue;
        const char* needed = strings + entry->d_un.d_val;
        if (std::strncmp(needed, "libcublas.so", std::strlen("libcublas.so")) != 0) continue;
        if (const RealCublas* functions = open_library(needed, RTLD_NOLOAD)) return functions;
    }
    return nullptr;
}

void say_once(const char* format, const char* detail) {
    static constinit std::atomic<bool> said{false};
    if (said.exchange(true)) return;
    char storage[Settings::path_limit + 512];
    TextBuffer line(storage);
    line.append(format, detail);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.length());
}

const RealCublas* search(const void* caller) {
    if (const char* path = process_settings().cublas_path; *path != '\0') {
        if (const RealCublas* functions = open_library(path, 0)) return functions;
        const char* reason = dlerror();
        say_once("sgemm-shim: SGEMM_SHIM_CUBLAS is not a usable cuBLAS, searching for another: %s\n",
                 reason != nullptr ? reason : path);
    }
    if (const RealCublas* functions = library_of_module(caller)) return functions;
    for (const char* soname : sonames) {
        if (const RealCublas* functions = open_library(soname, RTLD_NOLOAD)) return functions;
    }
    for (const char* soname : sonames) {
        if (const RealCublas* functions = open_library(soname, 0)) return functions;
    }
    say_once("sgemm-shim: no cuBLAS found (%s); set SGEMM_SHIM_CUBLAS to the library's path\n",
             "not loaded, and no libcublas.so.13, .12 or .11 on the search path");
    return nullptr;
}

/// Answers by call site. Written under search_mutex, read without a lock: `library` is set before `site`.
struct CallSite {
    std::atomic<const void*> site{nullptr};
    const RealCublas* library = nullptr;
};
constinit std::array<CallSite, 4096> call_sites;

std::size_t first_slot(const void* site) {
    return reinterpret_cast<std::uintptr_t>(site) * 0x9E3779B97F4A7C15u >> 52;
}
static_assert(call_sites.size() == std::size_t{1} << (64 - 52));

/// How many slots a look-up may try: a table full of other sites must not make every call slow.
constexpr std::size_t probe_limit = 32;

const RealCublas* search_and_remember(const void* caller) {
    pthread_mutex_lock(&search_mutex);
    const RealCublas* library = without_dlerror([&] { return search(caller); });
    // What was not found is not remembered: cuBLAS may still be loaded.
    for (std::size_t i = 0; library != nullptr && i < probe_limit; ++i) {
        CallSite& slot = call_sites[(first_slot(caller) + i) % call_sites.size()];
        const void* site = slot.site.load(std::memory_order_relaxed);
        if (site == caller) break;
        if (site != nullptr) continue;
        slot.library = library;
        slot.site.store(caller, std::memory_order_release);
        break;
    }
    pthread_mutex_unlock(&search_mutex);
    return library;
}

}  // namespace

const RealCublas* real_cublas_for(const void* caller) {
    for (std::size_t i = 0; i < probe_limit; ++i) {
        const CallSite& slot = call_sites[(first_slot(caller) + i) % call_sites.size()];
        const void* site = slot.site.load(std::memory_order_acquire);
        if (site == caller) return slot.library;
        if (site == nullptr) break;
    }
    return search_and_remember(caller);
}

}  // namespace sgemm_shim
