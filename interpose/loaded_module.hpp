// Questions about the files that the loader has brought into the process.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace sgemm_shim {

/// The file that holds `address`; NULL for memory that belongs to none, as code made at run time.
inline const link_map* module_of(const void* address) {
    Dl_info info{};
    link_map* module = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0) return nullptr;
    return module;
}

/// Whether `accept(text)` is true of an entry of this tag (DT_NEEDED, DT_SONAME) in the file's dynamic
/// section.
template <class Accept>
bool any_dynamic_string(const link_map& module, ElfW(Sxword) tag, Accept accept) {
    const char* strings = nullptr;
    for (const ElfW(Dyn)* entry = module.l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    }
    if (strings == nullptr) return false;
    // The loader relocates the table's address in place, except in a dynamic section that is read-only.
    if (reinterpret_cast<std::uintptr_t>(strings) < module.l_addr) strings += module.l_addr;

    for (const ElfW(Dyn)* entry = module.l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == tag && accept(strings + entry->d_un.d_val)) return true;
    }
    return false;
}

/// Whether `accept(name)` is true of the file's name (without folders) or of its soname.
template <class Accept>
bool is_named(const link_map& module, Accept accept) {
    const char* slash = std::strrchr(module.l_name, '/');
    return accept(slash != nullptr ? slash + 1 : module.l_name) ||
           any_dynamic_string(module, DT_SONAME, accept);
}

}  // namespace sgemm_shim
