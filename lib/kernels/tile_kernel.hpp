// From a pipeline's shape to a row of the kernel table.
#pragma once

#include "dispatch.hpp"
#include "tile_pipeline.cuh"

namespace sgemm_shim {

template <class Shape>
class TileKernel {
    using Functions = FunctionsByMajors<TileKernel>;

  public:
    template <Major major_a, Major major_b>
    static constexpr auto instance() {
        return tile_pipeline::kernel<Shape, major_a, major_b>;
    }

    static bool supports(const GemmCall& call) {
        constexpr std::int64_t most_slices = std::numeric_limits<std::int32_t>::max();
        return grid_size(call, Shape::tile_m, Shape::tile_n) != 0 && call.k / Shape::tile_k < most_slices;
    }

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition,
                                   const Workspace& workspace, cudaStream_t stream) {
        const unsigned tiles = grid_size(call, Shape::tile_m, Shape::tile_n);
        if (partition.shares_tiles) return launch_shared(call, partition, workspace, tiles, stream);
        // A second launch that fails must not have spoilt the C that a forwarded call reads.
        const bool has_tail =
            partition.tail_tiles < tiles && call.pointer_mode == PointerMode::host && *call.beta == 0.0f;
        const unsigned tail = has_tail ? partition.tail_tiles : 0;
        const auto launch_tiles = [&](unsigned first, unsigned end, unsigned k_parts) {
            // A cluster takes one tile; blocks by themselves go on from tile to tile.
            const unsigned most =
                k_parts == 1 && partition.resident_blocks != 0 ? partition.resident_blocks : end - first;
            const unsigned stride = end - first < most ? end - first : most;
            return launch_blocks(call, stride, k_parts, {first, end, stride}, {}, stream);
        };
        const cudaError_t status = launch_tiles(0, tiles - tail, partition.k_parts);
        if (status != cudaSuccess || tail == 0) return status;
        return launch_tiles(tiles - tail, tiles, partition.tail_k_parts);
    }

    static cudaError_t prepare() {
        return prepare_functions(Functions::all, Shape::shared_bytes, most_k_parts);
    }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call,
                .supports = supports,
                .functions = Functions::all,
                .prepare = prepare,
                .least_compute_capability = 80,
                .most_k_parts = most_k_parts,
                .tiles = {Shape::tile_m, Shape::tile_n, Shape::tile_k, Shape::blocks_per_multiprocessor},
                .shares_tiles = Shape::shares_tiles};
    }

  private:
    static constexpr unsigned most_k_parts = 16;

    /// `clusters` of `k_parts` blocks each.
    static cudaError_t launch_blocks(const GemmCall& call, unsigned clusters, unsigned k_parts,
                                     const tile_pipeline::TileRange& tiles,
                                     const tile_pipeline::SharedTiles& shared, cudaStream_t stream) {
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            const unsigned blocks = blocks_of_clusters(clusters, k_parts);
            if (blocks == 0) return cudaErrorInvalidConfiguration;
            return launch_clusters(instance<major_a, major_b>(), k_parts, blocks, Shape::threads,
                                   Shape::shared_bytes, stream, gemm_arguments(call), tiles, shared);
        });
    }

    static cudaError_t launch_shared(const GemmCall& call, const Partition& partition,
                                     const Workspace& workspace, unsigned tiles, cudaStream_t stream) {
        const std::int64_t slices = call.k / Shape::tile_k + (call.k % Shape::tile_k != 0);
        const unsigned blocks = partition.resident_blocks;
        if (!Shape::shares_tiles || !can_share_tiles(tiles, slices, blocks, most_k_parts))
            return cudaErrorInvalidConfiguration;
        const tile_pipeline::TileRange all{0, tiles, tiles};
        if (workspace.counter_count >= tiles &&
            workspace.sum_count >= shared_sum_count(Shape::tile_m, Shape::tile_n, blocks))
            return launch_blocks(call, blocks, 1, all, {blocks, workspace.sums, workspace.counters}, stream);
        const auto k_parts = static_cast<unsigned>(blocks_of_shared_tile(tiles, slices, blocks));
        return launch_blocks(call, tiles, k_parts, all, {blocks, nullptr, nullptr}, stream);
    }
};

}  // namespace sgemm_shim
