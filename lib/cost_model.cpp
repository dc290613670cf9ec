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

constexpr float l2_bytes_per_cycle = 18.7f;  ///< for each multiprocessor
constexpr float memory_share = 0.603f;       ///< of the nominal bandwidth, in these kernels
constexpr float cached_bytes = 50e6f;        ///< what an H200's L2 keeps between calls

/// Multiprocessors of 132 that clusters can use: they lie within the chip's uneven groups of processors.
float usable_share(unsigned k_parts) {
    if (k_parts <= 2) return 1.0f;
    if (k_parts <= 4) return 120.0f / 132;
    return k_parts <= 8 ? 112.0f / 132 : 96.0f / 132;
}

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

/// How many blocks there are, and how they come to the multiprocessors.
struct Blocks {
    float tiles;
    float each;    ///< blocks that the busiest multiprocessor gets
    float rounds;  ///< one after the other, so many at a time as it holds

    Blocks(const CallFigures& call, const TileFigures& tile, unsigned k_parts)
        : tiles(divide_up(call.m, static_cast<float>(tile.m)) *
                divide_up(call.n, static_cast<float>(tile.n)) * call.batch),
          each(divide_up(tiles * static_cast<float>(k_parts), call.multiprocessors * usable_share(k_parts))),
          rounds(divide_up(each, static_cast<float>(tile.blocks_per_multiprocessor))) {}
};

float pipeline_us(const CallFigures& call, const KernelImplementation& kernel, const PipelineCost& cost,
                  unsigned k_parts) {
    const TileFigures& tile = kernel.tiles;
    const auto tile_m = static_cast<float>(tile.m);
    const auto tile_n = static_cast<float>(tile.n);
    const auto tile_k = static_cast<float>(tile.k);
    const Blocks blocks(call, tile, k_parts);
    const float together = std::min(blocks.each, static_cast<float>(tile.blocks_per_multiprocessor));

    const float efficiency = cost.efficiency * together / (together + cost.half_efficient_blocks);
    const float multiply_cycles = tile_m * tile_n * tile_k / (lanes * efficiency);
    const float copies = (call.wide_a && !call.along_k_a ? tile_m / 4 : tile_m) +
                         (call.wide_b && !call.along_k_b ? tile_n / 4 : tile_n);
    const float copy_cycles = copies * tile_k / 32 * cycles_per_copy;
    const float slices = divide_up(divide_up(call.k, tile_k), static_cast<float>(k_parts));
    const float loop_us = blocks.each * slices * std::max(multiply_cycles, copy_cycles) / call.cycles_per_us;
    const float write_us = blocks.each * tile_m * tile_n * (call.wide_c ? write_per_element : write_single) /
                           static_cast<float>(k_parts);
    const float cluster_us = k_parts > 1 ? cluster_start + cluster_per_part * static_cast<float>(k_parts) : 0;
    const float work_us = blocks.rounds * pipeline_round + loop_us + write_us + cluster_us;
    const float l2_us = 4 * blocks.tiles * (tile_m + tile_n) * call.k /
                        (l2_bytes_per_cycle * call.multiprocessors * call.cycles_per_us);
    return pipeline_start + std::max({work_us, l2_us, call.memory_us});
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

float registers_us(const CallFigures& call, const KernelImplementation& kernel, const RegistersCost& cost,
                   unsigned k_parts) {
    const TileFigures& tile = kernel.tiles;
    const Blocks blocks(call, tile, k_parts);
    const float rounds_of_k =
        divide_up(divide_up(call.k, static_cast<float>(tile.k)), static_cast<float>(k_parts));
    constexpr float multiply_cycles = 64;  // 4 x 4 elements, 4 steps
    const float reads = read_cycles(cost.lanes_along_k, call.along_k_a, call.wide_a) +
                        read_cycles(cost.lanes_along_k, call.along_k_b, call.wide_b);
    const float block_us =
        rounds_of_k * (reads * cost.read_factor + multiply_cycles) / call.cycles_per_us + cost.block_us;
    const float work_us =
        std::max(blocks.rounds * (rounds_of_k * read_latency + cost.round_us), blocks.each * block_us);
    const float write_us = blocks.each * static_cast<float>(tile.m) * static_cast<float>(tile.n) *
                           registers_write * (call.wide_c ? 1.0f : 2.0f);
    const float cluster_us =
        k_parts > 1 ? registers_cluster + cluster_per_part * static_cast<float>(k_parts) : 0;
    return registers_start + std::max(work_us + write_us + cluster_us, call.memory_us);
}

float estimate(const CallFigures& call, const Kernel& kernel, unsigned k_parts) {
    const KernelImplementation& implementation = *kernel.implementation;
    return kernel.cost.kind == CostFigures::Kind::pipeline
               ? pipeline_us(call, implementation, kernel.cost.pipeline, k_parts)
               : registers_us(call, implementation, kernel.cost.registers, k_parts);
}

/// The last wave of tiles, if it would leave more than half of the blocks' places empty, in parts that fill
/// them.
void split_tail(const GemmCall& call, const DeviceFigures& device, Choice& choice) {
    const TileFigures& tile = choice.kernel->implementation->tiles;
    constexpr std::int64_t long_k = 512;  // a second launch must be worth it
    if (choice.partition.k_parts != 1 || choice.kernel->cost.kind != CostFigures::Kind::pipeline ||
        device.compute_capability() < 90 || call.k < long_k || call.pointer_mode != PointerMode::host)
        return;
    const std::int64_t places = std::int64_t{device.multiprocessor_count} * tile.blocks_per_multiprocessor;
    const std::int64_t tiles = ((call.m + tile.m - 1) / tile.m) * ((call.n + tile.n - 1) / tile.n);
    const std::int64_t tail = tiles % places;
    if (call.batch_count != 1 || tiles < places || tail == 0 || tail > places / 2 || tiles > (1 << 30))
        return;
    unsigned parts = 2;
    while (parts < choice.kernel->implementation->most_k_parts && parts * 2 * tail <= places) parts *= 2;
    choice.partition.tail_tiles = static_cast<unsigned>(tail);
    choice.partition.tail_k_parts = parts;
}

/// The best number of parts. More blocks than twice the places only add to the reduction.
Choice best_partition(const Kernel& kernel, const CallFigures& figures, const DeviceFigures& device) {
    const KernelImplementation& implementation = *kernel.implementation;
    Choice best{&kernel, {}, estimate(figures, kernel, 1)};
    const unsigned most_parts = device.compute_capability() >= 90 ? implementation.most_k_parts : 1;
    const TileFigures& tile = implementation.tiles;
    const Blocks blocks(figures, tile, 1);
    const float places = 2 * figures.multiprocessors * static_cast<float>(tile.blocks_per_multiprocessor);
    for (unsigned parts = 2; parts <= most_parts; parts *= 2) {
        const auto count = static_cast<float>(parts);
        if (blocks.tiles * count > places || figures.k < count * static_cast<float>(tile.k)) break;
        const float us = estimate(figures, kernel, parts);
        if (us < best.microseconds) {
            best.microseconds = us;
            best.partition.k_parts = parts;
        }
    }
    return best;
}

/// What the launch needs beside the number of parts.
Choice completed(Choice choice, const GemmCall& call, const DeviceFigures& device) {
    if (choice.kernel == nullptr) return choice;
    if (choice.partition.k_parts == 1)
        choice.partition.resident_blocks =
            static_cast<unsigned>(std::max(device.multiprocessor_count, 1)) *
            static_cast<unsigned>(choice.kernel->implementation->tiles.blocks_per_multiprocessor);
    split_tail(call, device, choice);
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
    return completed(best, call, device);
}

Choice cheapest_of(const Kernel& kernel, const GemmCall& call, const DeviceFigures& device) {
    if (kernel.cost.kind == CostFigures::Kind::none) return completed({&kernel, {}, 0}, call, device);
    return completed(best_partition(kernel, CallFigures(call, device), device), call, device);
}

}  // namespace sgemm_shim
