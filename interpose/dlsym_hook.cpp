// Programs that look cuBLAS up with dlopen and dlsym (JAX, TensorFlow, Julia, ctypes) get, for the functions
// that this library exports, a stub of this library instead of cuBLAS's own function.
//
// The exported dlsym is assembly (dlsym_hook_*.S). It asks sgemm_shim_decide_dlsym() here, and either returns
// the stub or jumps on to the next dlsym, with the registers, the stack and so the caller it was given.
//
// There are stubs for each library that functions were looked up in: the one that is called tells which
// cuBLAS is meant. The call site could not: ctypes looks up in one module and calls from another, compilers
// such as Julia's call from no module at all, and a program can hold the functions of two cuBLAS majors.
//
// dlvsym is a second way to a function, and is not caught: cuBLAS's users do not take it, and the hooks of
// others do, to get at the real dlsym.
#include "dlsym_hook.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "interposed_functions.h"
#include "loaded_module.hpp"
#include "settings.hpp"
#include "thread_pointer.hpp"

extern "C" {

/// What dlsym does with a request: returns `stub`, or if that is NULL goes on to `next`. Two registers.
struct DlsymDecision {
    void* stub;
    void* (*next)(void*, const char*);
};

DlsymDecision sgemm_shim_decide_dlsym(void* handle, const char* name, const void* caller);

/// SGEMM_SHIM_STUB_LIBRARIES stubs for each function, in the order of the list.
extern const char sgemm_shim_stubs[];

/// Called by a stub with the number of its library, from 1 on.
void sgemm_shim_note_library(unsigned number);

}  // extern "C"

namespace sgemm_shim {
namespace {

using DlsymFunction = decltype(DlsymDecision::next);

/// The version that dlsym has had since the C library came to this processor.
#if defined(__x86_64__)
constexpr const char* oldest_version = "GLIBC_2.2.5";
#elif defined(__aarch64__)
constexpr const char* oldest_version = "GLIBC_2.17";
#endif

// Found at the first use and not in a constructor: those of other libraries, which run first, call dlsym.
// Threads that come at once find the same.
constinit std::atomic<DlsymFunction> in_c_library{nullptr};
constinit std::atomic<DlsymFunction> behind_this_library{nullptr};

void* find_nothing(void*, const char*) {
    return nullptr;
}

DlsymFunction c_library_dlsym() {
    DlsymFunction found = in_c_library.load(std::memory_order_relaxed);
    if (found != nullptr) return found;
    found = reinterpret_cast<DlsymFunction>(dlvsym(RTLD_NEXT, "dlsym", oldest_version));
    if (found == nullptr) found = find_nothing;
    in_c_library.store(found, std::memory_order_relaxed);
    return found;
}

/// The next library's, which may be another hook. dlvsym would skip that: it finds versioned symbols only.
DlsymFunction next_dlsym() {
    DlsymFunction found = behind_this_library.load(std::memory_order_relaxed);
    if (found != nullptr) return found;
    found = reinterpret_cast<DlsymFunction>(c_library_dlsym()(RTLD_NEXT, "dlsym"));
    if (found == nullptr || found == &dlsym) found = c_library_dlsym();
    behind_this_library.store(found, std::memory_order_relaxed);
    return found;
}

/// Left here by a stub for the exported function that it goes on to: one of `libraries`.
using LibraryOfStub = ThreadPointer<struct LibraryOfStubTag>;

constexpr const char* interposed_functions[] = {
#define SGEMM_SHIM_NAME(name) #name,
#define SGEMM_SHIM_NAME_OF_PRODUCT(enumerator, name) #name,
    SGEMM_SHIM_INTERPOSED_FUNCTIONS(SGEMM_SHIM_NAME_OF_PRODUCT, SGEMM_SHIM_NAME)
#undef SGEMM_SHIM_NAME
#undef SGEMM_SHIM_NAME_OF_PRODUCT
};
constexpr std::size_t not_interposed = std::size(interposed_functions);
constexpr char prefix[] = "cublas";

std::size_t index_of(const char* name) {
    if (name == nullptr || std::strncmp(name, prefix, sizeof prefix - 1) != 0) return not_interposed;
    std::size_t i = 0;
    while (i < not_interposed && std::strcmp(name, interposed_functions[i]) != 0) ++i;
    return i;
}

/// cuBLAS looks for its own functions, or this library for cuBLAS's.
bool is_among_ourselves(const void* caller) {
    const link_map* module = module_of(caller);
    if (module == nullptr) return false;
    return module == module_of(&in_c_library) ||
           is_named(*module, [](const char* name) { return std::strncmp(name, "libcublas", 9) == 0; });
}

/// Filled from the front. A library that finds no place is not intercepted.
constinit std::array<std::atomic<const RealCublas*>, SGEMM_SHIM_STUB_LIBRARIES> libraries;

std::size_t place_of(const RealCublas* library) {
    std::size_t i = 0;
    for (; i < libraries.size(); ++i) {
        const RealCublas* there = nullptr;
        if (libraries[i].compare_exchange_strong(there, library, std::memory_order_acq_rel) ||
            there == library)
            break;
    }
    return i;
}

/// NULL for whatever is not to be caught, failures included: the next dlsym then says it in its own words.
void* stub_for(void* handle, std::size_t function, const void* caller) {
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || !process_settings().dlsym ||
        is_among_ourselves(caller))
        return nullptr;
    const void* real_function = next_dlsym()(handle, interposed_functions[function]);
    const RealCublas* library = real_function != nullptr ? cublas_that_holds(real_function) : nullptr;
    if (library == nullptr) return nullptr;
    const std::size_t place = place_of(library);
    if (place == libraries.size()) return nullptr;
    const std::size_t stub = function * libraries.size() + place;
    return const_cast<char*>(sgemm_shim_stubs + stub * SGEMM_SHIM_STUB_SIZE);
}

}  // namespace

void* real_dlsym(void* handle, const char* name) {
    return c_library_dlsym()(handle, name);
}

const RealCublas* library_looked_up() {
    const auto* library = static_cast<const RealCublas*>(LibraryOfStub::get());
    if (library != nullptr) LibraryOfStub::set(nullptr);
    return library;
}

}  // namespace sgemm_shim

void sgemm_shim_note_library(unsigned number) {
    using namespace sgemm_shim;
    LibraryOfStub::set(libraries[number - 1].load(std::memory_order_acquire));
}

DlsymDecision sgemm_shim_decide_dlsym(void* handle, const char* name, const void* caller) {
    using namespace sgemm_shim;
    const std::size_t function = index_of(name);
    return {function != not_interposed ? stub_for(handle, function, caller) : nullptr, next_dlsym()};
}
