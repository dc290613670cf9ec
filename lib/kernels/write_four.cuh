// Four sums of a column at a time: how kernels add them up, keep them, and write C.
#pragma once

#include "gemm_arguments.cuh"
#include "kernels/primitives.cuh"

namespace sgemm_shim {

__device__ inline void add_four(float (&total)[4], const float4& part) {
    total[0] += part.x;
    total[1] += part.y;
    total[2] += part.z;
    total[3] += part.w;
}

__device__ inline void store_four(float* to, const float (&sums)[4]) {
    store_vector(to, float4{sums[0], sums[1], sums[2], sums[3]});
}

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
