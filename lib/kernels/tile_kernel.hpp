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

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition, cudaStream_t stream) {
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            const unsigned tiles = grid_size(call, Shape::tile_m, Shape::tile_n);
            // A second launch that fails must not have spoilt the C that a forwarded call reads.
            const bool has_tail =
                partition.tail_tiles < tiles && call.pointer_mode == PointerMode::host && *call.beta == 0.0f;
            const unsigned tail = has_tail ? partition.tail_tiles : 0;
            const auto launch_tiles = [&](unsigned first, unsigned end, unsigned k_parts) {
                // A cluster takes one tile; blocks by themselves go on from tile to tile.
                const unsigned most =
                    k_parts == 1 && partition.resident_blocks != 0 ? partition.resident_blocks : end - first;
                const unsigned stride = end - first < most ? end - first : most;
                const unsigned blocks = blocks_of_clusters(stride, k_parts);
                if (blocks == 0) return cudaErrorInvalidConfiguration;
                return launch_clusters(instance<major_a, major_b>(), k_parts, blocks, Shape::threads,
                                       Shape::shared_bytes, stream, gemm_arguments(call),
                                       tile_pipeline::TileRange{first, end, stride});
            };
            const cudaError_t status = launch_tiles(0, tiles - tail, partition.k_parts);
            if (status != cudaSuccess || tail == 0) return status;
            return launch_tiles(tiles - tail, tiles, partition.tail_k_parts);
        });
    }

    static cudaError_t prepare() {
        for (const void* function : Functions::all) {
            cudaError_t status = allow_shared_memory(function, Shape::shared_bytes);
            if (status == cudaSuccess && most_k_parts > 8) status = allow_large_clusters(function);
            if (status != cudaSuccess) return status;
        }
        return cudaSuccess;
    }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call,
                .supports = supports,
                .functions = Functions::all,
                .prepare = prepare,
                .least_compute_capability = 80,
                .most_k_parts = most_k_parts,
                .tiles = {Shape::tile_m, Shape::tile_n, Shape::tile_k, Shape::blocks_per_multiprocessor}};
    }

  private:
    static constexpr unsigned most_k_parts = 16;
};

}  // namespace sgemm_shim
