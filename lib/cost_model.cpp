#include "cost_model.hpp"

#include <algorithm>
#include <cstdint>

#include "plan.hpp"

// What is measured here is measured on one NVIDIA H200, by fitting these constants to the times of every
// kernel over some 200 shapes, squares and random ones among them (bench/fit_model.py). What differs between
// GPUs - multiprocessors, clock, memory - comes from the device's own figures.
namespace sgemm_shim {
namespace {

/// Multiply-adds of a multiprocessor in one cycle.
constexpr float lanes = 128;

// The pipelines. Times in microseconds, if they have no other unit.
constexpr float pipeline_start = 0.562f;        ///< a launch, next to what each round takes
constexpr float pipeline_round = 2.14f;         ///< from a block's first copy to the first product
constexpr float write_per_element = 0.577e-4f;  ///< of a tile, 16 bytes at a time
constexpr float write_single = 2.56e-4f;        ///< the same by single floats
constexpr float cycles_per_copy = 11.4f;        ///< a warp's asynchronous copies, for a multiprocessor
constexpr float cluster_start = 1.36f;          ///< two barriers and the sums of the other blocks
constexpr float cluster_per_part = 0.0325f;
constexpr float sharing_start = 5.4f;            ///< where blocks share tiles: what every tile's sums cost
constexpr float sharing_per_element = 0.86e-4f;  ///< and those of each part

constexpr float l2_bytes_per_cycle = 18.7f;  ///< for each multiprocessor
constexpr float memory_share = 0.603f;       ///< of the nominal bandwidth, in these kernels
constexpr float cached_bytes = 50e6f;        ///< what an H200's L2 keeps between calls

/// Cluster sizes that are considered, and the multiprocessors of 132 that they can use: clusters lie within
/// the chip's uneven groups of processors.
struct ClusterSize {
    unsigned k_parts;
    float usable_share;
};
constexpr ClusterSize one_block{1, 1.0f};
constexpr ClusterSize cluster_sizes[] = {{2, 1.0f}, {4, 120.0f / 132}, {8, 112.0f / 132}, {16, 96.0f / 132}};

float divide_up(float numerator, float denominator) {
    const float quotient = numerator / denominator;
    const auto whole = static_cast<float>(static_cast<std::int64_t>(quotient));
    return quotient > whole ? whole + 1 : whole;
}

/// What of a call and a device every kernel's estimate needs.
struct CallFigures {
    float m, n, k, batch;
    bool along_k_a, along_k_b;  ///< contiguous along k
    bool wide_a, wide_b;        ///< columns of the storage begin on 16 bytes
    bool wide_c;
    bool can_be_split;  ///< in two launches (Partition::tail_tiles), if beta, which launch() reads, allows it
    float bytes;
    float multiprocessors;
    float cycles_per_us;
    float memory_us;  ///< to move every operand once

    CallFigures(const GemmCall& call, const DeviceFigures& device)
        : m(static_cast<float>(call.m)),
          n(static_cast<float>(call.n)),
          k(static_cast<float>(call.k)),
          batch(static_cast<float>(call.batch_count)),
          along_k_a(call.operation_a != Operation::none),
          along_k_b(call.operation_b == Operation::none),
          wide_a(is_wide(call.a)),
          wide_b(is_wide(call.b)),
          wide_c(is_wide(call.c)),
          can_be_split(call.batch_count == 1 && call.pointer_mode == PointerMode::host),
          bytes(4 * batch * (m * k + k * n + m * n)),
          multiprocessors(static_cast<float>(std::max(device.multiprocessor_count, 1))),
          cycles_per_us(device.clock_mhz),
          memory_us(bytes > cached_bytes ? bytes / (memory_share * device.memory_gb_per_s * 1e3f) : 0) {}

  private:
    /// A pointer array says nothing of its matrices; most are aligned.
    template <class Element>
    static bool is_wide(const MatrixBatch<Element>& matrices) {
        return matrices.leading_dimension % 4 == 0 &&
               (matrices.array != nullptr || reinterpret_cast<std::uintptr_t>(matrices.first) % 16 == 0);
    }
};

float tile_count(const CallFigures& call, const TileFigures& tile) {
    return divide_up(call.m, static_cast<float>(tile.m)) * divide_up(call.n, static_cast<float>(tile.n)) *
           call.batch;
}

/// How many blocks there are, and how they come to the multiprocessors.
struct Blocks {
    float each;         ///< that the busiest multiprocessor gets
    float full_rounds;  ///< one after the other, as many blocks at a time as it holds
    float in_last;      ///< blocks of a last round that is not full

    Blocks(const CallFigures& call, const TileFigures& tile, float tiles, const ClusterSize& cluster)
        : each(divide_up(tiles * static_cast<float>(cluster.k_parts),
                         call.multiprocessors * cluster.usable_share)) {
        const auto held = static_cast<float>(tile.blocks_per_multiprocessor);
        full_rounds = static_cast<float>(static_cast<std::int64_t>(each / held));
        in_last = each - full_rounds * held;
    }
    float rounds() const { return full_rounds + (in_last > 0 ? 1.0f : 0.0f); }
};

/// Where a pipeline's time goes, whatever its blocks compute.
class PipelineTimes {
  public:
    PipelineTimes(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost)
        : call_(call), cost_(cost), elements_(static_cast<float>(tile.m) * static_cast<float>(tile.n)) {
        const auto tile_m = static_cast<float>(tile.m);
        const auto tile_n = static_cast<float>(tile.n);
        const auto tile_k = static_cast<float>(tile.k);
        multiply_cycles_ = elements_ * tile_k / (lanes * cost.efficiency);
        const float copies = (call.wide_a && !call.along_k_a ? tile_m / 4 : tile_m) +
                             (call.wide_b && !call.along_k_b ? tile_n / 4 : tile_n);
        copy_cycles_ = copies * tile_k / 32 * cycles_per_copy;
        l2_us_per_tile_ =
            4 * (tile_m + tile_n) * call.k / (l2_bytes_per_cycle * call.multiprocessors * call.cycles_per_us);
    }

    /// That a multiprocessor which works on so many blocks at a time takes for a slice of each.
    float slice_us(float blocks) const {
        const float multiply_cycles = multiply_cycles_ * (blocks + cost_.half_efficient_blocks) / blocks;
        return blocks * std::max(multiply_cycles, copy_cycles_) / call_.cycles_per_us;
    }
    float write_us(float tiles) const {
        return tiles * elements_ * (call_.wide_c ? write_per_element : write_single);
    }
    /// Of the launch as a whole, unless memory takes longer.
    float all_us(float tiles, float work_us) const {
        return pipeline_start + std::max({work_us, tiles * l2_us_per_tile_, call_.memory_us});
    }

  private:
    const CallFigures& call_;
    const PipelineCost& cost_;
    float elements_;
    float multiply_cycles_, copy_cycles_;  ///< of a slice
    float l2_us_per_tile_;
};

float pipeline_us(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost, float tiles,
                  const ClusterSize& cluster) {
    const PipelineTimes times(call, tile, cost);
    const Blocks blocks(call, tile, tiles, cluster);
    const auto parts = static_cast<float>(cluster.k_parts);
    const float slices = divide_up(divide_up(call.k, static_cast<float>(tile.k)), parts);
    float loop_us = 0;
    if (blocks.full_rounds > 0)
        loop_us += blocks.full_rounds * times.slice_us(static_cast<float>(tile.blocks_per_multiprocessor));
    if (blocks.in_last > 0) loop_us += times.slice_us(blocks.in_last);
    const float cluster_us = cluster.k_parts > 1 ? cluster_start + cluster_per_part * parts : 0;
    return times.all_us(tiles, blocks.rounds() * pipeline_round + slices * loop_us +
                                   times.write_us(blocks.each / parts) + cluster_us);
}

/// Where as many blocks as the GPU holds share the tiles.
float shared_tiles_us(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost,
                      float tiles) {
    const PipelineTimes times(call, tile, cost);
    const auto held = static_cast<float>(tile.blocks_per_multiprocessor);
    const float blocks = call.multiprocessors * held;
    const float share = divide_up(tiles * divide_up(call.k, static_cast<float>(tile.k)), blocks);
    const float parts_of_tile = blocks / tiles + 1;
    const float exchange_us = sharing_start + sharing_per_element * parts_of_tile *
                                                  static_cast<float>(tile.m) * static_cast<float>(tile.n);
    return times.all_us(tiles, pipeline_round + share * times.slice_us(held) +
                                   times.write_us(tiles / call.multiprocessors) + exchange_us);
}

// The register tiles.
constexpr float registers_start = 1.77f;
constexpr float read_latency = 0.358f;  ///< of one round of k
constexpr float registers_write = 0.574f * 1e-4f;
constexpr float registers_cluster = 3.32f;

/// Cycles that a warp's reads of 4 steps of one operand cost, by how the lanes lie on it.
float read_cycles(bool lanes_along_k, bool along_k, bool wide) {
    if (lanes_along_k) return along_k ? (wide ? 10.4f : 10.7f) : 53.3f;
    return along_k ? (wide ? 12.5f : 12.3f) : (wide ? 8.56f : 58.7f);
}

float registers_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost, float tiles,
                   const ClusterSize& cluster) {
    const Blocks blocks(call, tile, tiles, cluster);
    const auto parts = static_cast<float>(cluster.k_parts);
    const float rounds_of_k = divide_up(divide_up(call.k, static_cast<float>(tile.k)), parts);
    constexpr float multiply_cycles = 64;  // 4 x 4 elements, 4 steps
    const float reads = read_cycles(cost.lanes_along_k, call.along_k_a, call.wide_a) +
                        read_cycles(cost.lanes_along_k, call.along_k_b, call.wide_b);
    const float block_us =
        rounds_of_k * (reads * cost.read_factor + multiply_cycles) / call.cycles_per_us + cost.block_us;
    const float work_us =
        std::max(blocks.rounds() * (rounds_of_k * read_latency + cost.round_us), blocks.each * block_us);
    const float write_us = blocks.each * static_cast<float>(tile.m) * static_cast<float>(tile.n) *
                           registers_write * (call.wide_c ? 1.0f : 2.0f);
    const float cluster_us = cluster.k_parts > 1 ? registers_cluster + cluster_per_part * parts : 0;
    return registers_start + std::max(work_us + write_us + cluster_us, call.memory_us);
}

float estimate(const CallFigures& call, const Kernel& kernel, float tiles, const ClusterSize& cluster) {
    const TileFigures& tile = kernel.implementation->tiles;
    return kernel.cost.kind == CostFigures::Kind::pipeline
               ? pipeline_us(call, tile, kernel.cost.pipeline, tiles, cluster)
               : registers_us(call, tile, kernel.cost.registers, tiles, cluster);
}

/// Blocks that the GPU holds at a time.
unsigned places(const DeviceFigures& device, const TileFigures& tile) {
    return static_cast<unsigned>(std::max(device.multiprocessor_count, 1)) *
           static_cast<unsigned>(tile.blocks_per_multiprocessor);
}

/// Whether a last wave of tiles would leave places empty, and sharing them is possible.
bool can_share(const Kernel& kernel, const CallFigures& figures, float tiles, const DeviceFigures& device) {
    const KernelImplementation& implementation = *kernel.implementation;
    if (!implementation.shares_tiles || kernel.cost.kind != CostFigures::Kind::pipeline) return false;
    const unsigned blocks = places(device, implementation.tiles);
    if (tiles > static_cast<float>(most_shared_waves * blocks)) return false;
    const auto count = static_cast<std::int64_t>(tiles);
    const auto slices =
        static_cast<std::int64_t>(divide_up(figures.k, static_cast<float>(implementation.tiles.k)));
    return count % blocks != 0 && can_share_tiles(count, slices, blocks, implementation.most_k_parts);
}

/// The last wave of tiles, where it leaves more than half of the places empty, in parts that fill them.
/// Returns what such a launch would take.
float tail_us(const Kernel& kernel, const CallFigures& figures, float tiles, const DeviceFigures& device,
              Partition& partition) {
    const TileFigures& tile = kernel.implementation->tiles;
    const unsigned all = places(device, tile);
    const unsigned tail = static_cast<unsigned>(tiles) % all;
    unsigned parts = 2;
    while (parts < kernel.implementation->most_k_parts && parts * 2 * tail <= all) parts *= 2;
    partition = {.tail_tiles = tail, .tail_k_parts = parts};
    const auto rest = static_cast<float>(tail);
    const auto& cluster = *std::ranges::find(cluster_sizes, parts, &ClusterSize::k_parts);
    return estimate(figures, kernel, tiles - rest, one_block) + estimate(figures, kernel, rest, cluster);
}

bool can_split_tail(const Kernel& kernel, const CallFigures& figures, float tiles,
                    const DeviceFigures& device) {
    constexpr float most_tiles = 1 << 24;  // beyond, the tail is nothing, and floats do not count exactly
    if (!figures.can_be_split || kernel.cost.kind != CostFigures::Kind::pipeline || tiles > most_tiles)
        return false;
    const unsigned all = places(device, kernel.implementation->tiles);
    const auto count = static_cast<unsigned>(tiles);
    return count > all && count % all != 0 && count % all <= all / 2;
}

/// The best way to divide the work. More blocks than twice the places only add to the reduction.
Choice best_partition(const Kernel& kernel, const CallFigures& figures, const DeviceFigures& device) {
    const TileFigures& tile = kernel.implementation->tiles;
    const float tiles = tile_count(figures, tile);
    Choice best{&kernel, {}, estimate(figures, kernel, tiles, one_block)};
    if (device.compute_capability() < 90) return best;
    const auto consider = [&](float us, const Partition& partition) {
        if (us < best.microseconds) best = {&kernel, partition, us};
    };
    const float most_blocks = 2 * static_cast<float>(places(device, tile));
    for (const ClusterSize& cluster : cluster_sizes) {
        const auto parts = static_cast<float>(cluster.k_parts);
        if (tiles * parts > most_blocks || figures.k < parts * static_cast<float>(tile.k) ||
            cluster.k_parts > kernel.implementation->most_k_parts)
            break;
        consider(estimate(figures, kernel, tiles, cluster), {.k_parts = cluster.k_parts});
    }
    if (can_share(kernel, figures, tiles, device))
        consider(shared_tiles_us(figures, tile, kernel.cost.pipeline, tiles), {.shares_tiles = true});
    if (can_split_tail(kernel, figures, tiles, device)) {
        Partition partition;
        const float us = tail_us(kernel, figures, tiles, device, partition);
        consider(us, partition);
    }
    return best;
}

/// What the launch needs beside what makes a difference in time.
Choice completed(Choice choice, const DeviceFigures& device) {
    if (choice.kernel != nullptr && choice.partition.k_parts == 1)
        choice.partition.resident_blocks = places(device, choice.kernel->implementation->tiles);
    return choice;
}

}  // namespace

Choice cheapest(const GemmCall& call, const DeviceFigures& device) {
    const CallFigures figures(call, device);
    Choice best;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.cost.kind == CostFigures::Kind::none || !device.is_ready(kernel)) continue;
        const Choice choice = best_partition(kernel, figures, device);
        // Asked last: few are the best so far, and nearly every kernel supports every call.
        if ((best.kernel == nullptr || choice.microseconds < best.microseconds) &&
            kernel.implementation->supports(call))
            best = choice;
    }
    return completed(best, device);
}

Choice cheapest_of(const Kernel& kernel, const GemmCall& call, const DeviceFigures& device) {
    if (kernel.cost.kind == CostFigures::Kind::none) return completed({&kernel, {}, 0}, device);
    return completed(best_partition(kernel, CallFigures(call, device), device), device);
}

}  // namespace sgemm_shim
