#include "tiny_matrices.cuh"

#include "small_tiles.hpp"
#include "warp_division.hpp"

namespace sgemm_shim {
namespace {

using warp_product::largest_tile;

class TinyMatricesKernel {
    using Functions = FunctionsByMajors<TinyMatricesKernel>;

  public:
    template <Major major_a, Major major_b>
    static constexpr auto instance() {
        return tiny_matrices::kernel<major_a, major_b>;
    }

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition, const Workspace&,
                                   cudaStream_t stream) {
        const warp_product::Division division =
            warp_product::divide(call, small_tiles::side_of_tiny(call.m), small_tiles::side_of_tiny(call.n),
                                 static_cast<int>(call.k), tiny_matrices::stage_floats);
        // No more tiles than supports() counted: theirs are as many, only nearly equal.
        const unsigned tiles = division.tiles.value * static_cast<unsigned>(call.batch_count);
        const unsigned most = tiles / tiny_matrices::warps + (tiles % tiny_matrices::warps != 0 ? 1 : 0);
        const unsigned blocks = partition.resident_blocks != 0 && partition.resident_blocks < most
                                    ? partition.resident_blocks
                                    : most;
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            return launch(instance<major_a, major_b>(), blocks, tiny_matrices::threads, 0, stream,
                          gemm_arguments(call), division,
                          tiny_matrices::TileRange{tiles, blocks * tiny_matrices::warps});
        });
    }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call,
                .supports = warp_product::supports,
                .functions = Functions::all,
                .least_compute_capability = 80,
                .tiles = {largest_tile, largest_tile, 16, tiny_matrices::blocks_per_multiprocessor}};
    }
};

}  // namespace

namespace kernels {
extern const KernelImplementation tiny_matrices = TinyMatricesKernel::implementation();
}
}  // namespace sgemm_shim
