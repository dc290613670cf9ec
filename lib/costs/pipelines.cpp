// tile_*, sliced_*: producers copy slices, consumers multiply them.
#include "families.hpp"

namespace sgemm_shim::costs {
namespace {

// Times in microseconds, if they have no other unit.
constexpr float pipeline_start = 1.525f;  ///< a launch, next to what each round takes
constexpr float pipeline_round = 1.079f;  ///< from a block's first copy to the first product
constexpr float write_registers =
    4.332e-05f;  ///< an element of a tile that exists as a whole, 16 bytes at a time
constexpr float write_vectors = 9.682e-05f;     ///< of another, through shared memory
constexpr float write_single = 0.0002137f;      ///< the same where columns do not begin on 16 bytes
constexpr float cycles_per_wide_copy = 19.99f;  ///< a warp's asynchronous copies, for a multiprocessor
constexpr float cycles_per_single_copy = 7.224f;
constexpr float cluster_start = 0.6929f;  ///< two barriers
constexpr float cluster_per_part = 0.001951f;
constexpr float cluster_per_element = 0.0001676f;  ///< of a tile: its sums, through shared memory
constexpr float sharing_start = 3.886f;            ///< where blocks share tiles: what every tile's sums cost
constexpr float sharing_per_element = 0.0001068f;  ///< and those of each part

constexpr float l2_bytes_per_cycle = 19.0f;  ///< for each multiprocessor
constexpr float memory_share = 0.7024f;      ///< of the nominal bandwidth, in copies of 16 bytes
constexpr float memory_share_single = 0.6f;  ///< in copies of single floats

/// Where a pipeline's time goes, whatever its blocks compute.
class PipelineTimes {
  public:
    PipelineTimes(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost)
        : call_(call), cost_(cost), elements_(static_cast<float>(tile.m) * static_cast<float>(tile.n)) {
        const auto tile_m = static_cast<float>(tile.m);
        const auto tile_n = static_cast<float>(tile.n);
        const auto tile_k = static_cast<float>(tile.k);
        multiply_cycles_ = elements_ * tile_k / (lanes * cost.efficiency);
        const auto copies = [](bool wide, bool along_k, float length) {
            return wide && !along_k ? length / 4 * cycles_per_wide_copy : length * cycles_per_single_copy;
        };
        copy_cycles_ =
            (copies(call.wide_a, call.along_k_a, tile_m) + copies(call.wide_b, call.along_k_b, tile_n)) *
            tile_k / 32;
        // As fitted: what is aligned counts here, whichever way it is contiguous.
        const bool is_wide = (call.along_k_a || call.wide_a) && (call.along_k_b || call.wide_b);
        memory_us_ = call.memory_us / (is_wide ? memory_share : memory_share_single);
        l2_us_per_tile_ =
            4 * (tile_m + tile_n) * call.k / (l2_bytes_per_cycle * call.multiprocessors * call.cycles_per_us);
    }

    /// That a multiprocessor which works on so many blocks at a time takes for a slice of each.
    float slice_us(float blocks) const {
        const float multiply_cycles = multiply_cycles_ * (blocks + cost_.half_efficient_blocks) / blocks;
        return blocks * overlapped(multiply_cycles, copy_cycles_) / call_.cycles_per_us;
    }
    /// `whole`: the share of the tiles whose sums can go from registers to C, if its columns allow it.
    float write_us(float tiles, float whole) const {
        const float vectors = whole * write_registers + (1 - whole) * write_vectors;
        return tiles * elements_ * ((call_.wide_c ? vectors : write_single) + cost_.exchange);
    }
    /// Of the launch as a whole, unless memory takes longer.
    float all_us(float tiles, float work_us) const {
        return pipeline_start + std::max({work_us, tiles * l2_us_per_tile_, memory_us_});
    }

  private:
    const CallFigures& call_;
    const PipelineCost& cost_;
    float elements_;
    float multiply_cycles_, copy_cycles_;  ///< of a slice
    float l2_us_per_tile_, memory_us_;
};

/// The share of the tiles that exist as a whole and whose sums nobody has to add up.
float whole_tiles(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost, float tiles) {
    if (cost.exchange > 0) return 0;
    return whole_part(call.m / static_cast<float>(tile.m)) * whole_part(call.n / static_cast<float>(tile.n)) *
           call.batch / tiles;
}

}  // namespace

float pipeline_us(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost, float tiles,
                  const ClusterSize& cluster) {
    const Blocks blocks(call, tile, tiles, cluster);
    const auto parts = static_cast<float>(cluster.k_parts);
    const PipelineTimes times(call, tile, cost);
    const float slices = divide_up(divide_up(call.k, static_cast<float>(tile.k)), parts);
    float loop_us = 0;
    if (blocks.full_rounds > 0)
        loop_us += blocks.full_rounds * times.slice_us(static_cast<float>(tile.blocks_per_multiprocessor));
    if (blocks.in_last > 0) loop_us += times.slice_us(blocks.in_last);
    const float cluster_us = cluster.k_parts > 1 ? cluster_start + cluster_per_part * parts +
                                                       cluster_per_element * static_cast<float>(tile.m) *
                                                           static_cast<float>(tile.n) * blocks.each
                                                 : 0;
    return times.all_us(tiles,
                        blocks.rounds() * pipeline_round + slices * loop_us +
                            times.write_us(blocks.each / parts,
                                           cluster.k_parts > 1 ? 0 : whole_tiles(call, tile, cost, tiles)) +
                            cluster_us);
}

float shared_tiles_us(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost,
                      float tiles) {
    const PipelineTimes times(call, tile, cost);
    const auto held = static_cast<float>(tile.blocks_per_multiprocessor);
    const float blocks = call.multiprocessors * held;
    const float share = divide_up(tiles * divide_up(call.k, static_cast<float>(tile.k)), blocks);
    const float parts_of_tile = blocks / tiles + 1;
    const float exchange_us = sharing_start + sharing_per_element * parts_of_tile *
                                                  static_cast<float>(tile.m) * static_cast<float>(tile.n);
    return times.all_us(
        tiles, pipeline_round + share * times.slice_us(held) +
                   times.write_us(tiles / call.multiprocessors, whole_tiles(call, tile, cost, tiles)) +
                   exchange_us);
}

}  // namespace sgemm_shim::costs
