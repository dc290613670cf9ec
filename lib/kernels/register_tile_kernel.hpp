// From a register tile's shape, or one for each major of an operand, to a row of the kernel table.
#pragma once

#include "dispatch.hpp"
#include "register_tile.cuh"

namespace sgemm_shim {

template <class Shape>
class RegisterTileKernel {
    using Functions = FunctionsByMajors<RegisterTileKernel>;

  public:
    template <Major major_a, Major major_b>
    static constexpr auto instance() {
        return register_tile::kernel<typename Shape::template For<major_a, major_b>, major_a, major_b>;
    }

    static bool supports(const GemmCall& call) { return grid_size(call, Shape::tile_m, Shape::tile_n) != 0; }

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition, const Workspace&,
                                   cudaStream_t stream) {
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            const unsigned blocks =
                blocks_of_clusters(grid_size(call, Shape::tile_m, Shape::tile_n), partition.k_parts);
            if (blocks == 0) return cudaErrorInvalidConfiguration;
            return launch_clusters(instance<major_a, major_b>(), partition.k_parts, blocks,
                                   register_tile::threads, 0, stream, gemm_arguments(call));
        });
    }

    static cudaError_t prepare() { return prepare_functions(Functions::all, 0, most_k_parts); }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call,
                .supports = supports,
                .functions = Functions::all,
                .prepare = prepare,
                .most_k_parts = most_k_parts,
                .tiles = {Shape::tile_m, Shape::tile_n, Shape::round_k, Shape::blocks_per_multiprocessor}};
    }

  private:
    static constexpr unsigned most_k_parts = 16;
};

}  // namespace sgemm_shim
