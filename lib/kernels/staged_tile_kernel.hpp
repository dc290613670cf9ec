// From a staged tile's shape to a row of the kernel table.
#pragma once

#include <algorithm>
#include <cstdint>

#include "dispatch.hpp"
#include "divisor.cuh"
#include "staged_tile.cuh"

namespace sgemm_shim {

template <class Shape>
class StagedTileKernel {
    using Functions = FunctionsByMajors<StagedTileKernel>;

  public:
    template <Major major_a, Major major_b>
    static constexpr auto instance() {
        return staged_tile::kernel<Shape, major_a, major_b>;
    }

    /// Sizes are int on the device, also when they are rounded up, and so are leading dimensions.
    static bool supports(const GemmCall& call) {
        constexpr std::int64_t most = std::int64_t{1} << 30;
        return std::max({call.m, call.n, call.k, call.a.leading_dimension, call.b.leading_dimension,
                         call.c.leading_dimension}) <= most &&
               grid_size(call, Shape::tile_m, Shape::tile_n) != 0;
    }

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition, const Workspace&,
                                   cudaStream_t stream) {
        const unsigned tiles = grid_size(call, Shape::tile_m, Shape::tile_n);
        const unsigned blocks = blocks_of_clusters(tiles, partition.k_parts);
        if (blocks == 0) return cudaErrorInvalidConfiguration;
        const auto tiles_m = static_cast<unsigned>((call.m + Shape::tile_m - 1) / Shape::tile_m);
        const auto tiles_of_matrix = static_cast<unsigned>(tiles / call.batch_count);
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            return launch_clusters(instance<major_a, major_b>(), partition.k_parts, blocks, Shape::threads, 0,
                                   stream, {divisor(tiles_m), partition.k_parts}, gemm_arguments(call),
                                   divisor(tiles_of_matrix));
        });
    }

    static cudaError_t prepare() { return prepare_functions(Functions::all, 0, most_k_parts); }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call,
                .supports = supports,
                .functions = Functions::all,
                .prepare = prepare,
                .most_k_parts = most_k_parts,
                .tiles = {Shape::tile_m, Shape::tile_n, Shape::chunk_k, blocks_per_multiprocessor}};
    }

  private:
    static constexpr unsigned most_k_parts = 16;
    /// As the registers of the largest instance allow: up to 64 a thread, or 40.
    static constexpr int blocks_per_multiprocessor = Shape::thread_m * Shape::thread_n > 4 ? 4 : 6;
    static_assert(Shape::threads == 256);
};

}  // namespace sgemm_shim
