#include "one_fetch.cuh"

#include "small_tiles.hpp"
#include "warp_division.hpp"

namespace sgemm_shim {
namespace {

using one_fetch::Shares;
using small_tiles::Tile;
using warp_product::Division;

class OneFetchKernel {
    using Functions = FunctionsByMajors<OneFetchKernel>;

  public:
    template <Major major_a, Major major_b>
    static constexpr auto instance() {
        return one_fetch::kernel<major_a, major_b>;
    }

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition, const Workspace&,
                                   cudaStream_t stream) {
        const auto part = static_cast<int>((call.k + partition.k_parts - 1) / partition.k_parts);
        const Tile tile = tile_of(call, partition, part);
        const Shares shares = shares_of(part, partition.k_parts, tile);
        const Division division =
            warp_product::divide(call, tile.m, tile.n, shares.steps, most_shared_floats / shares.warps);
        const unsigned blocks = blocks_of_clusters(grid_size(call, tile.m, tile.n), partition.k_parts);
        if (blocks == 0) return cudaErrorInvalidConfiguration;
        const std::size_t shared_bytes =
            sizeof(float) * static_cast<std::size_t>(shares.warps * division.stage_floats);
        return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
            return launch_clusters(instance<major_a, major_b>(), partition.k_parts, blocks,
                                   static_cast<unsigned>(shares.warps) * 32, shared_bytes, stream,
                                   gemm_arguments(call), division, shares);
        });
    }

    static cudaError_t prepare() {
        return prepare_functions(Functions::all, most_shared_floats * sizeof(float), most_k_parts);
    }

    static constexpr KernelImplementation implementation() {
        return {.launch = launch_call,
                .supports = warp_product::supports,
                .functions = Functions::all,
                .prepare = prepare,
                .least_compute_capability = 80,
                .most_k_parts = most_k_parts,
                .tiles = {warp_product::largest_tile, warp_product::largest_tile,
                          small_tiles::most_warps / 2 * small_tiles::steps_worth_a_warp,
                          blocks_per_multiprocessor}};
    }

  private:
    static constexpr unsigned most_k_parts = 16;
    static constexpr int blocks_per_multiprocessor = 2;
    /// Fits so many times into an H200's shared memory, and once into the 100 KiB of smaller GPUs.
    static constexpr int most_shared_floats = 24 * 1024;

    /// No block goes on to a second tile: Partition::resident_blocks only tells how many multiprocessors
    /// there are.
    static Tile tile_of(const GemmCall& call, const Partition& partition, int part) {
        constexpr unsigned of_h200 = 132;
        const unsigned multiprocessors =
            partition.resident_blocks == 0
                ? of_h200
                : std::max(partition.resident_blocks / blocks_per_multiprocessor, 1u);
        return small_tiles::tile_of_fetch(call.m, call.n, call.batch_count * partition.k_parts, part,
                                          multiprocessors);
    }

    static Shares shares_of(int part, unsigned k_parts, const Tile& tile) {
        const int warps = small_tiles::warps_of(part, tile);
        // Multiples of 4 keep every share's beginning on 16 bytes.
        const int steps = std::max(warp_product::round_up((part + warps - 1) / warps, 4), 4);
        return {std::max((part + steps - 1) / steps, 1), steps, warp_product::log2_of_at_least(tile.m),
                divisor(k_parts)};
    }
};

}  // namespace

namespace kernels {
extern const KernelImplementation one_fetch = OneFetchKernel::implementation();
}
}  // namespace sgemm_shim
