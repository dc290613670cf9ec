// The names under which the compiler's -fsanitize=thread calls check_access().
#include <cstring>

#include "machine/accesses.hpp"
#include "machine/machine.hpp"

using sgemm_shim::simt::check_access;
using sgemm_shim::simt::check_alignment;

#define SIMT_CALLER __builtin_return_address(0)

namespace {

/// Most accesses are to the thread's own variables, which need no more than this.
inline bool is_private(const void* address) {
    const char* const low = sgemm_shim::simt::running_now.private_memory;
    return static_cast<std::size_t>(static_cast<const char*>(address) - low) < sgemm_shim::simt::stack_bytes;
}

}  // namespace

#define SIMT_ACCESS_KIND(name, bytes, is_write, alignment)                             \
    void __tsan_##name##bytes(void* address) {                                         \
        if (is_private(address)) return;                                               \
        if (alignment > 1) check_alignment(address, alignment, is_write, SIMT_CALLER); \
        check_access(address, bytes, is_write, SIMT_CALLER);                           \
    }

// The compiler may join neighbouring elements into one access of 8 or 16 bytes: only single ones must be
// aligned.
#define SIMT_ACCESS(bytes)                                         \
    SIMT_ACCESS_KIND(read, bytes, false, (bytes <= 4 ? bytes : 1)) \
    SIMT_ACCESS_KIND(write, bytes, true, (bytes <= 4 ? bytes : 1)) \
    SIMT_ACCESS_KIND(unaligned_read, bytes, false, 1)              \
    SIMT_ACCESS_KIND(unaligned_write, bytes, true, 1)

#pragma GCC diagnostic ignored "-Wmissing-declarations"

extern "C" {

SIMT_ACCESS(1)
SIMT_ACCESS(2)
SIMT_ACCESS(4)
SIMT_ACCESS(8)
SIMT_ACCESS(16)

void __tsan_read_range(void* address, unsigned long bytes) {
    check_access(address, bytes, false, SIMT_CALLER);
}
void __tsan_write_range(void* address, unsigned long bytes) {
    check_access(address, bytes, true, SIMT_CALLER);
}
// Newer clang calls these instead of the C library's.
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
    check_access(from, bytes, false, SIMT_CALLER);
    check_access(to, bytes, true, SIMT_CALLER);
    return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
    check_access(from, bytes, false, SIMT_CALLER);
    check_access(to, bytes, true, SIMT_CALLER);
    return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
    check_access(to, bytes, true, SIMT_CALLER);
    return std::memset(to, value, bytes);
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}

}  // extern "C"
