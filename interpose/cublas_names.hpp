// What files of the real cuBLAS are called.
#pragma once

#include <cstddef>
#include <cstring>

namespace sgemm_shim {

/// In the order in which they are searched for.
inline constexpr const char* cublas_sonames[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};

/// libcublas.so.13, and libcublas-1a2b3c4d.so.12 as wheels rename it; not libcublasLt.
inline bool is_file_name_of_cublas(const char* name) {
    constexpr std::size_t length = sizeof "libcublas" - 1;
    return std::strncmp(name, "libcublas", length) == 0 && (name[length] == '.' || name[length] == '-');
}

}  // namespace sgemm_shim
