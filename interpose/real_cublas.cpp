#include "real_cublas.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>

#include "cublas_names.hpp"
#include "dlsym_hook.hpp"
#include "loaded_module.hpp"
#include "settings.hpp"
#include "text_buffer.hpp"

namespace sgemm_shim {
namespace {

// dlsym(RTLD_NEXT) would not do: it finds nothing when cuBLAS came with an RTLD_LOCAL plugin, and the wrong
// library when there are two.

/// Guards what is remembered, and is never held across a call to the loader: such a call can run
/// constructors, and they, or a thread that waits for the loader in one of its own, can call cuBLAS and so
/// come here.
pthread_mutex_t memory_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t memory_once = PTHREAD_ONCE_INIT;

/// A child must not inherit the mutex from a thread that it does not have.
void lock_memory() {
    pthread_once(&memory_once, [] {
        pthread_atfork([] { pthread_mutex_lock(&memory_mutex); }, [] { pthread_mutex_unlock(&memory_mutex); },
                       [] { pthread_mutex_unlock(&memory_mutex); });
    });
    pthread_mutex_lock(&memory_mutex);
}

/// Libraries found so far. A filled slot never changes, and its library is never closed.
struct Library {
    void* handle = nullptr;
    RealCublas functions;
};
constinit std::array<Library, 16> libraries;

const RealCublas* remember_library(void* handle, const RealCublas& functions) {
    const RealCublas* remembered = nullptr;
    lock_memory();
    for (Library& library : libraries) {
        if (library.handle == nullptr) library = {handle, functions};
        if (library.handle != handle) continue;
        remembered = &library.functions;
        break;
    }
    pthread_mutex_unlock(&memory_mutex);
    return remembered;
}

/// Told by where the function lies: its address as this library sees it is cuBLAS's own where cuBLAS comes
/// first in the look-up order.
bool is_in_this_library(const void* function) {
    const link_map* module = module_of(function);
    return module != nullptr && module == module_of(&libraries);
}

/// Every function of `handle`'s library, or NULL if it is no cuBLAS, or is this library itself.
const RealCublas* functions_of(void* handle) {
    RealCublas found;
#define SGEMM_SHIM_FIND(name) found.name = reinterpret_cast<decltype(found.name)>(real_dlsym(handle, #name));
#define SGEMM_SHIM_FIND_PRODUCT(enumerator, name) SGEMM_SHIM_FIND(name)
    SGEMM_SHIM_QUERIES(SGEMM_SHIM_FIND)
    SGEMM_SHIM_INTERPOSED_FUNCTIONS(SGEMM_SHIM_FIND_PRODUCT, SGEMM_SHIM_FIND)
#undef SGEMM_SHIM_FIND
#undef SGEMM_SHIM_FIND_PRODUCT
    if (found.cublasSgemm_v2 == nullptr || is_in_this_library(reinterpret_cast<void*>(found.cublasSgemm_v2)))
        return nullptr;
    return remember_library(handle, found);
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
    const link_map* module = module_of(address);
    if (module == nullptr) return nullptr;
    const RealCublas* functions = nullptr;
    any_dynamic_string(*module, DT_NEEDED, [&](const char* needed) {
        if (is_file_name_of_cublas(needed)) functions = open_library(needed, RTLD_NOLOAD);
        return functions != nullptr;
    });
    return functions;
}

constinit std::atomic<bool> said_bad_path{false};
constinit std::atomic<bool> said_no_cublas{false};

void say_once(std::atomic<bool>& said, const char* text, const char* detail) {
    if (said.exchange(true)) return;
    char storage[TextBuffer::foreign_limit + 256];
    TextBuffer line(storage);
    line.append("sgemm-shim: %s: ", text);
    line.append_foreign(detail);
    line.append("\n");
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.length());
}

/// Whether this is not a call site, but a library by which a call of the dlsym hook's stubs goes (see
/// real_cublas_for()).
bool is_remembered(const void* caller) {
    return std::less_equal<>()(static_cast<const void*>(libraries.data()), caller) &&
           std::less<>()(caller, static_cast<const void*>(libraries.data() + libraries.size()));
}

const RealCublas* search(const void* caller) {
    if (const char* path = process_settings().cublas_path; *path != '\0') {
        if (const RealCublas* functions = open_library(path, 0)) return functions;
        const char* reason = dlerror();
        say_once(said_bad_path, "SGEMM_SHIM_CUBLAS is not a usable cuBLAS, searching for another",
                 reason != nullptr ? reason : path);
    }
    if (is_remembered(caller)) return static_cast<const RealCublas*>(caller);
    if (const RealCublas* functions = library_of_module(caller)) return functions;
    for (const char* soname : cublas_sonames) {
        if (const RealCublas* functions = open_library(soname, RTLD_NOLOAD)) return functions;
    }
    for (const char* soname : cublas_sonames) {
        if (const RealCublas* functions = open_library(soname, 0)) return functions;
    }
    say_once(
        said_no_cublas, "no cuBLAS found",
        "none is loaded, and no libcublas.so.13, .12 or .11 is on the search path; set SGEMM_SHIM_CUBLAS to "
        "the library's path");
    return nullptr;
}

/// Tells a module from one that comes to lie at its address after it was closed: of those, the file's name is
/// all that must differ. Takes no lock. 0 for memory that belongs to none, and everywhere where the C library
/// cannot tell without a lock (before glibc 2.35): there the first answer stands.
std::uint64_t identity_of_module(const void* address);

/// Answers by call site. Written under memory_mutex, read without a lock: `site` is set last, and where
/// another module has taken the site over, `module` is. No call is on its way from the one that was there.
struct CallSite {
    std::atomic<const void*> site{nullptr};
    std::atomic<std::uint64_t> module{0};
    std::atomic<const RealCublas*> library{nullptr};
};
constinit std::array<CallSite, 4096> call_sites;

std::size_t first_slot(const void* site) {
    return reinterpret_cast<std::uintptr_t>(site) * 0x9E3779B97F4A7C15u >> 52;
}
static_assert(call_sites.size() == std::size_t{1} << (64 - 52));

/// How many slots a look-up may try: a table full of other sites must not make every call slow.
constexpr std::size_t probe_limit = 32;

void remember_call_site(const void* caller, const RealCublas* library) {
    const std::uint64_t module = identity_of_module(caller);
    lock_memory();
    for (std::size_t i = 0; i < probe_limit; ++i) {
        CallSite& slot = call_sites[(first_slot(caller) + i) % call_sites.size()];
        const void* site = slot.site.load(std::memory_order_relaxed);
        if (site != nullptr && site != caller) continue;
        slot.library.store(library, std::memory_order_relaxed);
        slot.module.store(module, std::memory_order_release);
        slot.site.store(caller, std::memory_order_release);
        break;
    }
    pthread_mutex_unlock(&memory_mutex);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // declared by glibc 2.35 and newer, and found at run time: 2.34 must do as
                                 // well

using FindObject = decltype(&_dl_find_object);
constinit std::atomic<FindObject> find_object{nullptr};

/// Called on the way of every search, so before any answer is remembered.
void prepare_identities() {
    find_object.store(reinterpret_cast<FindObject>(real_dlsym(RTLD_DEFAULT, "_dl_find_object")),
                      std::memory_order_relaxed);
}

std::uint64_t identity_of_module(const void* address) {
    // What stands for a library that was looked up (see real_cublas_for()) never changes.
    const FindObject find = find_object.load(std::memory_order_relaxed);
    dl_find_object found{};
    if (find == nullptr || is_remembered(address) || find(const_cast<void*>(address), &found) != 0) return 0;
    std::uint64_t hash = found.dlfo_link_map->l_addr;
    const char* name = found.dlfo_link_map->l_name;
    for (std::size_t left = std::strlen(name); left > 0;) {
        std::uint64_t word = 0;
        const std::size_t size = left < sizeof word ? left : sizeof word;
        std::memcpy(&word, name, size);
        hash = (hash ^ word) * 1099511628211ull;
        hash ^= hash >> 32;
        name += size;
        left -= size;
    }
    return hash;
}

#else

void prepare_identities() {}

std::uint64_t identity_of_module(const void*) {
    return 0;
}

#endif

const RealCublas* search_and_remember(const void* caller) {
    prepare_identities();
    const RealCublas* library = without_dlerror([&] { return search(caller); });
    // What was not found is not remembered: cuBLAS may still be loaded.
    if (library != nullptr) remember_call_site(caller, library);
    return library;
}

}  // namespace

const RealCublas* cublas_that_holds(const void* function) {
    const link_map* module = module_of(function);
    if (module == nullptr || !is_named(*module, is_file_name_of_cublas)) return nullptr;
    return without_dlerror([&] { return open_library(module->l_name, RTLD_NOLOAD); });
}

const RealCublas* real_cublas_for(const void* caller) {
    if (const RealCublas* looked_up = library_looked_up()) caller = looked_up;
    for (std::size_t i = 0; i < probe_limit; ++i) {
        const CallSite& slot = call_sites[(first_slot(caller) + i) % call_sites.size()];
        const void* site = slot.site.load(std::memory_order_acquire);
        if (site == nullptr) break;
        if (site != caller) continue;
        if (slot.module.load(std::memory_order_acquire) != identity_of_module(caller)) break;
        return slot.library.load(std::memory_order_relaxed);
    }
    return search_and_remember(caller);
}

}  // namespace sgemm_shim
