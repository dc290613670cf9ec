// The names under which the compiler's -fsanitize=thread calls check_access().
#include "machine/accesses.hpp"

using sgemm_shim::simt::check_access;
using sgemm_shim::simt::check_alignment;

#define SIMT_CALLER __builtin_return_address(0)

#define SIMT_ACCESS(bytes)                                                   \
    void __tsan_read##bytes(void* address) {                                 \
        if (bytes <= 4) check_alignment(address, bytes, false, SIMT_CALLER); \
        check_access(address, bytes, false, SIMT_CALLER);                    \
    }                                                                        \
    void __tsan_write##bytes(void* address) {                                \
        if (bytes <= 4) check_alignment(address, bytes, true, SIMT_CALLER);  \
        check_access(address, bytes, true, SIMT_CALLER);                     \
    }                                                                        \
    void __tsan_unaligned_read##bytes(void* address) {                       \
        check_access(address, bytes, false, SIMT_CALLER);                    \
    }                                                                        \
    void __tsan_unaligned_write##bytes(void* address) {                      \
        check_access(address, bytes, true, SIMT_CALLER);                     \
    }

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
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}

}  // extern "C"
