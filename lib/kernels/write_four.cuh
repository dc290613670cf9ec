// How kernels write C 16 bytes at a time.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim {

/// Writes rows `row` to `row` + 3 of a column of C, as far as they lie before `end`. `is_vector`: they begin
/// on 16 bytes.
__device__ inline void write_four(const Epilogue& epilogue, float* elements, std::int64_t row,
                                  std::int64_t end, const float* sums, bool is_vector) {
    if (is_vector && row + 4 <= end) {
        const float4 old = epilogue.reads_c() ? load_vector(elements) : float4{};
        store_vector(elements, float4{epilogue.apply(sums[0], old.x), epilogue.apply(sums[1], old.y),
                                      epilogue.apply(sums[2], old.z), epilogue.apply(sums[3], old.w)});
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (row + i < end) epilogue.update(elements + i, sums[i]);
        }
    }
}

}  // namespace sgemm_shim
