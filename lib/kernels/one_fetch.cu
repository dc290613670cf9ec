#include "one_fetch.cuh"

#include "warp_division.hpp"

namespace sgemm_shim {
namespace {

using one_fetch::Shares;
using warp_product::Division;

class OneFetchKernel {
    using Functions = FunctionsByMajors<OneFetchKernel>;

  public:
    template <Major major_a, Major major_b>
    static constexpr auto instance() {
        return one_fetch::kernel<major_a, major_b>;
    }

    static bool supports(const GemmCall& call) {
        return warp_product::has_short_sides(call) &&
               grid_size(call, warp_product::largest_tile, warp_product::largest_tile) != 0;
    }

    static cudaError_t launch_call(const GemmCall& call, const Partition& partition, const Workspace&,
                                   cudaStream_t stream) {
        const Tile tile = tile_of(call, partition.k_parts);
        const Shares shares = shares_of(call, partition.k_parts, tile);
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
        for (const void* function : Functions::all) {
            cudaError_t status = allow_shared_memory(function, most_shared_floats * sizeof(float));
            if (status == cudaSuccess) status = allow_large_clusters(function);
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
                .most_k_parts = 16,
                .tiles = {warp_product::largest_tile, warp_product::largest_tile,
                          one_fetch::most_warps * steps_worth_a_warp, 2}};
    }

  private:
    /// Two blocks on a multiprocessor of an H200, one where there are 100 KiB.
    static constexpr int most_shared_floats = 24 * 1024;
    static constexpr int steps_worth_a_warp = 16;

    struct Tile {
        int m, n;
    };

    /// Halved until there are blocks for every other multiprocessor of an H200.
    static Tile tile_of(const GemmCall& call, unsigned k_parts) {
        constexpr std::int64_t enough_blocks = 66;
        const auto side = [](std::int64_t count) { return count > 16 ? 32 : count > 8 ? 16 : 8; };
        Tile tile{side(call.m), side(call.n)};
        while (tile.m * tile.n > 64) {
            const unsigned blocks = grid_size(call, tile.m, tile.n);
            if (std::int64_t{blocks} * k_parts >= enough_blocks) break;
            (tile.m >= tile.n ? tile.m : tile.n) /= 2;
        }
        return tile;
    }

    static Shares shares_of(const GemmCall& call, unsigned k_parts, const Tile& tile) {
        const auto part = static_cast<int>((call.k + k_parts - 1) / k_parts);
        const int warps =
            std::clamp((part + steps_worth_a_warp - 1) / steps_worth_a_warp, 1, one_fetch::most_warps);
        // Multiples of 4 keep every share's beginning on 16 bytes.
        const int steps = std::max((part + warps - 1) / warps + 3, 4) / 4 * 4;
        return {std::max((part + steps - 1) / steps, 1), steps, warp_product::log2_of_at_least(tile.m),
                warp_product::divisor(k_parts)};
    }
};

}  // namespace

namespace kernels {
extern const KernelImplementation one_fetch = OneFetchKernel::implementation();
}
}  // namespace sgemm_shim
