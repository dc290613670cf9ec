// A handle of the stand-in cuBLAS. Programs set and read it from several threads, so every field is atomic;
// no lock, because one would put the program's threads into an order that the real library does not give.
#pragma once

#include <cublas_v2.h>

#include <atomic>
#include <cstdint>

#include "tests/chain/device/device.hpp"

struct cublasContext {
    static constexpr std::uint64_t alive = 0x6375424c41536821;

    std::atomic<std::uint64_t> mark{alive};
    const int device = software_gpu::current_device();
    std::atomic<cudaStream_t> stream{nullptr};
    std::atomic<cublasPointerMode_t> pointer_mode{CUBLAS_POINTER_MODE_HOST};
    std::atomic<cublasMath_t> math_mode{CUBLAS_DEFAULT_MATH};
    std::atomic<cublasAtomicsMode_t> atomics_mode{CUBLAS_ATOMICS_NOT_ALLOWED};
    std::atomic<int> sm_count_target{0};
};

namespace stand_in_cublas {

inline bool is_handle(cublasHandle_t handle) {
    return handle != nullptr && handle->mark.load(std::memory_order_relaxed) == cublasContext::alive;
}

/// Whether the handle's device is current. The real library promises nothing where another one is.
inline bool is_on_current_device(cublasHandle_t handle) {
    return handle->device == software_gpu::current_device();
}

/// Tells the program's callback of a call, if it wants to know.
void log_call(const char* function);

}  // namespace stand_in_cublas
