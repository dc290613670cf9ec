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

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition,
                                   const Workspace& workspace, cudaStream_t stream) {
        const unsigned tiles = grid_size(call, Shape::tile_m, Shape::tile_n);
        const unsigned parts = partition.meeting_parts;
        if (parts == 0) return launch_blocks(call, tiles, partition.k_parts, 0, {}, stream);
        if (parts > most_meeting_parts) return cudaErrorInvalidConfiguration;
        if (workspace.counter_count >= tiles &&
            workspace.sum_count / parts / (Shape::tile_m * Shape::tile_n) >= tiles)
            return launch_blocks(call, tiles * parts, 1, parts, {workspace.sums, workspace.counters}, stream);
        return launch_blocks(call, tiles, register_tile::most_ranks, parts, {}, stream);
    }

    static cudaError_t prepare() { return prepare_functions(Functions::all, 0, most_k_parts); }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call,
                .supports = supports,
                .functions = Functions::all,
                .prepare = prepare,
                .most_k_parts = most_k_parts,
                .most_meeting_parts = most_meeting_parts,
                .tiles = {Shape::tile_m, Shape::tile_n, Shape::round_k, Shape::blocks_per_multiprocessor}};
    }

  private:
    static constexpr unsigned most_k_parts = register_tile::most_ranks;
    static constexpr unsigned most_meeting_parts =
        register_tile::can_meet<Shape> ? register_tile::most_meeting_parts : 0;

    /// `clusters` of `k_parts` blocks each.
    static cudaError_t launch_blocks(const GemmCall& call, unsigned clusters, unsigned k_parts,
                                     unsigned meeting_parts, const register_tile::PartsWorkspace& workspace,
                                     cudaStream_t stream) {
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            const unsigned blocks = blocks_of_clusters(clusters, k_parts);
            if (blocks == 0) return cudaErrorInvalidConfiguration;
            return launch_clusters(instance<major_a, major_b>(), k_parts, blocks, register_tile::threads, 0,
                                   stream, meeting_parts, gemm_arguments(call), workspace);
        });
    }
};

}  // namespace sgemm_shim
