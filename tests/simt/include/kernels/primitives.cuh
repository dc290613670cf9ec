// The software GPU's side of the seam: same names and meaning as lib/kernels/primitives.cuh, for the host
// compiler. This folder stands before lib/ in the include path, so the kernels' own sources pick this header
// up and carry no #ifdef. What they do with memory is seen by the compiler's instrumentation (README.md);
// what they ask of the machine goes to machine/ through the functions declared here.
#pragma once

#include <driver_types.h>
#include <vector_types.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "machine/launch.hpp"

#undef __global__
#undef __device__
#undef __host__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __grid_constant__

namespace sgemm_shim {

unsigned thread_index();
unsigned block_index();

/// The line of a kernel that waits, for reports.
using CallPlace = simt::CallPlace;

void synchronize_block(CallPlace place = CallPlace::current());

template <class T>
inline T& shared_memory() {
    static_assert(std::is_trivially_default_constructible_v<T>);
    return *static_cast<T*>(simt::static_shared_memory(sizeof(T), alignof(T)));
}

inline bool is_vector_aligned(const float* address) {
    return reinterpret_cast<std::uintptr_t>(address) % sizeof(float4) == 0;
}
float4 load_vector(const float* address);
void store_vector(float* address, float4 value);

inline float fused_multiply_add(float a, float b, float c) {
    return std::fma(a, b, c);
}

template <class... Parameters>
cudaError_t launch(void (*kernel)(Parameters...), unsigned grid, unsigned block, std::size_t shared_bytes,
                   cudaStream_t stream, std::type_identity_t<Parameters>... arguments) {
    using Arguments = std::tuple<Parameters...>;
    struct Call {
        void (*kernel)(Parameters...);
        Arguments arguments;
    } call{kernel, Arguments(arguments...)};
    simt::LaunchRequest request;
    request.kernel = reinterpret_cast<const void*>(kernel);
    request.grid = grid;
    request.block = block;
    request.dynamic_shared_bytes = shared_bytes;
    request.stream = stream;
    request.constants = &call;
    request.constant_bytes = sizeof(call);
    request.run_thread = [](const void* opaque) {
        const Call& own = *static_cast<const Call*>(opaque);
        std::apply(own.kernel, own.arguments);
    };
    return simt::run_grid(request);
}

}  // namespace sgemm_shim
