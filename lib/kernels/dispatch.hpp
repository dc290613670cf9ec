// From a GemmCall on the host to one instance of a kernel template and its grid.
#pragma once

#include <cstdint>
#include <limits>

#include "../gemm_call.hpp"
#include "gemm_arguments.cuh"

namespace sgemm_shim {

/// Reads host scalars; device scalars stay addresses.
inline GemmArguments gemm_arguments(const GemmCall& call) {
    const auto scalar = [&](const float* pointer) {
        return call.pointer_mode == PointerMode::device ? Scalar{0.0f, pointer} : Scalar{*pointer, nullptr};
    };
    return {call.m, call.n, call.k, scalar(call.alpha), scalar(call.beta), call.a, call.b, call.c};
}

/// Blocks that cover every tile of every matrix of the batch, or 0 if they are more than a grid can have.
inline unsigned grid_size(const GemmCall& call, int tile_m, int tile_n) {
    const std::int64_t tiles_m = (call.m + tile_m - 1) / tile_m;
    const std::int64_t tiles_n = (call.n + tile_n - 1) / tile_n;
    std::int64_t blocks = 0;
    const bool overflows = __builtin_mul_overflow(tiles_m, tiles_n, &blocks) ||
                           __builtin_mul_overflow(blocks, call.batch_count, &blocks);
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();  // gridDim.x
    return overflows || blocks > limit ? 0 : static_cast<unsigned>(blocks);
}

inline Major major_of_a(const GemmCall& call) {
    return call.operation_a == Operation::none ? Major::mn : Major::k;
}
inline Major major_of_b(const GemmCall& call) {
    return call.operation_b == Operation::none ? Major::k : Major::mn;
}

/// Calls visit.template operator()<major of A, major of B>(): conjugation changes nothing for real numbers.
template <class Visit>
auto dispatch_majors(const GemmCall& call, Visit visit) {
    if (major_of_a(call) == Major::mn) {
        return major_of_b(call) == Major::mn ? visit.template operator()<Major::mn, Major::mn>()
                                             : visit.template operator()<Major::mn, Major::k>();
    }
    return major_of_b(call) == Major::mn ? visit.template operator()<Major::k, Major::mn>()
                                         : visit.template operator()<Major::k, Major::k>();
}

/// Whether every matrix of the batch starts on 16 bytes and keeps that from one column of the storage to the
/// next.
template <class Element>
bool has_aligned_columns(const MatrixBatch<Element>& matrices, std::int64_t batch_count) {
    constexpr std::int64_t floats = 4;
    return matrices.array == nullptr && reinterpret_cast<std::uintptr_t>(matrices.first) % 16 == 0 &&
           matrices.leading_dimension % floats == 0 && (batch_count == 1 || matrices.stride % floats == 0);
}

}  // namespace sgemm_shim
