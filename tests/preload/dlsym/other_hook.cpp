// Another dlsym hook, as monitoring tools preload: it answers for a function of its own and says at the end
// how many look-ups of other names it passed on. By default to the next library's dlsym; with OTHER_HOOK_PAST
// set straight to the C library's, past every hook behind it, which is what dlvsym(RTLD_NEXT) finds.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Dlsym = void* (*)(void*, const char*) noexcept;

int passed_on = 0;

#if defined(__x86_64__)
constexpr const char* version = "GLIBC_2.2.5";
#else
constexpr const char* version = "GLIBC_2.17";
#endif

int only_in_other_hook() {
    return 5;
}

[[gnu::destructor]] void report() {
    std::fprintf(stderr, "other hook: %s\n", passed_on > 0 ? "asked" : "idle");
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void* dlsym(void* handle, const char* name) noexcept {
    const auto c_library = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", version));
    const auto next = std::getenv("OTHER_HOOK_PAST") != nullptr
                          ? c_library
                          : reinterpret_cast<Dlsym>(c_library(RTLD_NEXT, "dlsym"));
    if (std::strcmp(name, "only_in_other_hook") == 0) return reinterpret_cast<void*>(&only_in_other_hook);
    ++passed_on;
    return next(handle, name);  // a tail call, so that the next one sees who asks
}
