// From a register tile's shape to a row of the kernel table.
#pragma once

#include "dispatch.hpp"
#include "register_tile.cuh"

namespace sgemm_shim {

template <class Shape>
class RegisterTileKernel {
  public:
    static bool supports(const GemmCall& call) { return grid_size(call, Shape::tile_m, Shape::tile_n) != 0; }

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition, cudaStream_t stream) {
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            unsigned blocks = 0;
            if (__builtin_mul_overflow(grid_size(call, Shape::tile_m, Shape::tile_n), partition.k_parts,
                                       &blocks) ||
                blocks > most_blocks)
                return cudaErrorInvalidConfiguration;
            return launch_clusters(register_tile::kernel<Shape, major_a, major_b>, partition.k_parts, blocks,
                                   register_tile::threads, 0, stream, gemm_arguments(call));
        });
    }

    static cudaError_t prepare() {
        for (const void* function : functions_) {
            if (const cudaError_t status = allow_large_clusters(function); status != cudaSuccess)
                return status;
        }
        return cudaSuccess;
    }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call,
                .supports = supports,
                .functions = functions_,
                .prepare = prepare,
                .most_k_parts = 16,
                .tiles = {Shape::tile_m, Shape::tile_n, Shape::round_k, Shape::blocks_per_multiprocessor}};
    }

  private:
    template <Major major_a, Major major_b>
    static const void* address() {
        return reinterpret_cast<const void*>(register_tile::kernel<Shape, major_a, major_b>);
    }
    inline static const void* const functions_[4] = {
        address<Major::mn, Major::mn>(),
        address<Major::mn, Major::k>(),
        address<Major::k, Major::mn>(),
        address<Major::k, Major::k>(),
    };
};

}  // namespace sgemm_shim
