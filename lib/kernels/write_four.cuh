// How kernels write C 16 bytes at a time.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim {

/// Writes 4 elements of a column of C, where they exist: `row` is a multiple of 4; `vectors`: C's columns
/// begin on 16 bytes.
__device__ inline void write_four(const GemmArguments& arguments, const Epilogue& epilogue, float* elements,
                                  std::int64_t row, const float* sums, bool vectors) {
    if (vectors && row + 4 <= arguments.m) {
        const float4 old = epilogue.reads_c() ? load_vector(elements) : float4{};
        store_vector(elements, float4{epilogue.apply(sums[0], old.x), epilogue.apply(sums[1], old.y),
                                      epilogue.apply(sums[2], old.z), epilogue.apply(sums[3], old.w)});
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (row + i < arguments.m) epilogue.update(elements + i, sums[i]);
        }
    }
}

}  // namespace sgemm_shim
