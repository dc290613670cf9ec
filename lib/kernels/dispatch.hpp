// From a GemmCall on the host to one instance of a kernel template and its grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "../kernel_table.hpp"
#include "gemm_arguments.cuh"

namespace sgemm_shim {

/// Reads host scalars; device scalars stay addresses.
inline GemmArguments gemm_arguments(const GemmCall& call) {
    const bool on_device = call.pointer_mode == PointerMode::device;
    const auto scalar = [&](const float* pointer) {
        return on_device ? Scalar{.address = pointer} : Scalar{.value = *pointer};
    };
    const bool are_arrays = call.c.array != nullptr;
    const auto location = [&]<class Element>(const MatrixBatch<Element>& matrices) {
        // An array's elements are addresses; what they are of is told by the flag.
        Element* const array = reinterpret_cast<Element*>(const_cast<Element**>(matrices.array));
        return MatrixLocation<Element>{are_arrays ? array : matrices.first, matrices.leading_dimension};
    };
    return {.m = call.m,
            .n = call.n,
            .k = call.k,
            .scalars_on_device = on_device,
            .are_arrays = are_arrays,
            .is_batch = call.batch_count > 1,
            .a = location(call.a),
            .b = location(call.b),
            .c = location(call.c),
            .alpha = scalar(call.alpha),
            .beta = scalar(call.beta),
            .stride_a = call.a.stride,
            .stride_b = call.b.stride,
            .stride_c = call.c.stride};
}

inline constexpr std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();  ///< gridDim.x

/// Blocks that cover every tile of every matrix of the batch, or 0 if they are more than a grid can have.
inline unsigned grid_size(const GemmCall& call, int tile_m, int tile_n) {
    // Rounded up without a sum that could overflow: sizes up to INT64_MAX are legal.
    const std::int64_t tiles_m = call.m / tile_m + (call.m % tile_m != 0);
    const std::int64_t tiles_n = call.n / tile_n + (call.n % tile_n != 0);
    std::int64_t blocks = 0;
    const bool overflows = __builtin_mul_overflow(tiles_m, tiles_n, &blocks) ||
                           __builtin_mul_overflow(blocks, call.batch_count, &blocks);
    return overflows || blocks > most_blocks ? 0 : static_cast<unsigned>(blocks);
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

/// The functions of a kernel whose only instances are those for the majors of its operands:
/// `Instances` has instance<major_a, major_b>(), the __global__ function.
template <class Instances>
class FunctionsByMajors {
    template <Major major_a, Major major_b>
    static const void* address() {
        return reinterpret_cast<const void*>(Instances::template instance<major_a, major_b>());
    }

  public:
    inline static const void* const all[4] = {
        address<Major::mn, Major::mn>(),
        address<Major::mn, Major::k>(),
        address<Major::k, Major::mn>(),
        address<Major::k, Major::k>(),
    };
};

/// Blocks of so many clusters of `k_parts` each, or 0 if they are more than a grid can have.
inline unsigned blocks_of_clusters(unsigned clusters, unsigned k_parts) {
    unsigned blocks = 0;
    return __builtin_mul_overflow(clusters, k_parts, &blocks) || blocks > most_blocks ? 0 : blocks;
}

/// Raises the limits of functions that are launched with so much dynamic shared memory and in such clusters.
inline cudaError_t prepare_functions(std::span<const void* const> functions, std::size_t shared_bytes,
                                     unsigned most_k_parts) {
    constexpr unsigned always_allowed = 8;
    for (const void* function : functions) {
        cudaError_t status = cudaSuccess;
        if (shared_bytes != 0) status = allow_shared_memory(function, shared_bytes);
        if (status == cudaSuccess && most_k_parts > always_allowed) status = allow_large_clusters(function);
        if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
}

/// Whether every matrix of the batch starts on 16 bytes and keeps that from one column of the storage to the
/// next.
inline bool begins_on_vectors(const MatrixBatch<const float>& operand, std::int64_t batch_count) {
    constexpr std::int64_t floats = 4;
    return operand.array == nullptr && reinterpret_cast<std::uintptr_t>(operand.first) % 16 == 0 &&
           operand.leading_dimension % floats == 0 && (batch_count == 1 || operand.stride % floats == 0);
}

/// Whether an operand can be read 16 bytes at a time: besides, a load along mn must not reach past the last
/// row, which the last column need not pad.
inline bool allows_vectors(const MatrixBatch<const float>& operand, Major major, std::int64_t count_mn,
                           std::int64_t batch_count) {
    constexpr std::int64_t floats = 4;
    return begins_on_vectors(operand, batch_count) && (major == Major::k || count_mn % floats == 0);
}

inline bool operands_allow_vectors(const GemmCall& call) {
    return allows_vectors(call.a, major_of_a(call), call.m, call.batch_count) &&
           allows_vectors(call.b, major_of_b(call), call.n, call.batch_count);
}

/// Makes a row's implementation from the instances of a kernel that takes nothing but GemmArguments.
/// `Instances` has
///     tile_m, tile_n, threads: one block for each tile, so many threads in each block;
///     instance<major_a, major_b, vector_width>(): the __global__ function. vector_width is 4 if
///     operands_allow_vectors(), else 1; a kernel without 16-byte loads ignores it.
template <class Instances>
class TiledKernel {
  public:
    static bool supports(const GemmCall& call) {
        return grid_size(call, Instances::tile_m, Instances::tile_n) != 0;
    }

    static cudaError_t launch_call(const GemmCall& call, const Partition&, const Workspace&,
                                   cudaStream_t stream) {
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            return launch(operands_allow_vectors(call) ? Instances::template instance<major_a, major_b, 4>()
                                                       : Instances::template instance<major_a, major_b, 1>(),
                          grid_size(call, Instances::tile_m, Instances::tile_n), Instances::threads, 0,
                          stream, gemm_arguments(call));
        });
    }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call, .supports = supports, .functions = functions_};
    }

  private:
    template <Major major_a, Major major_b, int vector_width>
    static const void* address() {
        return reinterpret_cast<const void*>(Instances::template instance<major_a, major_b, vector_width>());
    }
    inline static const void* const functions_[8] = {
        address<Major::mn, Major::mn, 1>(), address<Major::mn, Major::k, 1>(),
        address<Major::k, Major::mn, 1>(),  address<Major::k, Major::k, 1>(),
        address<Major::mn, Major::mn, 4>(), address<Major::mn, Major::k, 4>(),
        address<Major::k, Major::mn, 4>(),  address<Major::k, Major::k, 4>(),
    };
};

}  // namespace sgemm_shim
