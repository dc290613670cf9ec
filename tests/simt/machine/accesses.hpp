// The checks that every memory access of a kernel goes through.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sgemm_shim::simt {

/// Judges one access of the thread that is running, before it happens; does not return if it is wrong.
/// Outside of a launch it is host code that accesses.
void check_access(const void* address, std::size_t bytes, bool is_write, const void* code);

/// A read of global memory and of nothing else, on behalf of the current thread.
void check_global_read(const void* address, std::size_t bytes, const void* code);

/// An atomic operation on a word of global memory, which races with no other atomic operation.
void check_atomic(const void* address, const void* code);

void refuse_alignment(const void* address, std::size_t alignment, bool is_write, const void* code);

/// For accesses that the hardware refuses at other addresses.
inline void check_alignment(const void* address, std::size_t alignment, bool is_write, const void* code) {
    if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
        refuse_alignment(address, alignment, is_write, code);
}

}  // namespace sgemm_shim::simt
