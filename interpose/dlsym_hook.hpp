// What the rest of the shim must know of the dlsym hook. Built without it, all of this comes to nothing.
#pragma once

#include <dlfcn.h>

#include "real_cublas.hpp"

namespace sgemm_shim {

#ifdef SGEMM_SHIM_DLSYM_HOOK

/// The C library's own dlsym, past every hook.
void* real_dlsym(void* handle, const char* name);

/// The library whose function was looked up, if this call of an exported function came through a pointer that
/// the hook handed out; else NULL. To be asked once a call, before anything else.
const RealCublas* library_looked_up();

#else

inline void* real_dlsym(void* handle, const char* name) {
    return dlsym(handle, name);
}

inline const RealCublas* library_looked_up() {
    return nullptr;
}

#endif

}  // namespace sgemm_shim
