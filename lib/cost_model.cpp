#include "cost_model.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/small_tiles.hpp"
#include "plan.hpp"

// What is measured here is measured on one NVIDIA H200, by fitting these constants to the times of every
// kernel over 181 shapes, 124 of them random (bench/fit_costs.py). What differs between
// GPUs - multiprocessors, clock, memory - comes from the device's own figures.
namespace sgemm_shim {
namespace {

/// Multiply-adds of a multiprocessor in one cycle.
constexpr float lanes = 128;

// The pipelines. Times in microseconds, if they have no other unit.
constexpr float pipeline_start = 1.67f;         ///< a launch, next to what each round takes
constexpr float pipeline_round = 0.7767f;       ///< from a block's first copy to the first product
constexpr float write_vectors = 0.0001637f;     ///< an element of a tile, 16 bytes at a time
constexpr float write_single = 0.0004348f;      ///< the same where columns do not begin on 16 bytes
constexpr float cycles_per_wide_copy = 18.51f;  ///< a warp's asynchronous copies, for a multiprocessor
constexpr float cycles_per_single_copy = 9.156f;
constexpr float cluster_start = 0.7847f;  ///< two barriers
constexpr float cluster_per_part = 0.02668f;
constexpr float cluster_per_element = 0.0001323f;  ///< of a tile: its sums, through shared memory
constexpr float sharing_start = 4.506f;            ///< where blocks share tiles: what every tile's sums cost
constexpr float sharing_per_element = 0.0001042f;  ///< and those of each part

constexpr float l2_bytes_per_cycle = 19.06f;    ///< for each multiprocessor
constexpr float memory_share = 0.7112f;         ///< of the nominal bandwidth, in copies of 16 bytes
constexpr float memory_share_single = 0.3409f;  ///< in copies of single floats
constexpr float cached_bytes = 40e6f;           ///< what an H200's L2 keeps between calls

constexpr ClusterSize one_block{1, 1.0f};

/// Without the fraction. From 2^24 on, floats have none, and sizes that no kernel supports do not fit an
/// integer.
float whole_part(float value) {
    return value < 0x1p24f ? static_cast<float>(static_cast<int>(value)) : value;
}

float divide_up(float numerator, float denominator) {
    const float quotient = numerator / denominator;
    const float whole = whole_part(quotient);
    return quotient > whole ? whole + 1 : whole;
}

/// The time of two things of which one hides the other, but for the places that both need.
float overlapped(float one, float other) {
    const float longer = std::max(one, other), shorter = std::min(one, other);
    return longer > 0 ? longer + 0.25f * shorter * (shorter / longer) * (shorter / longer) : 0;
}

/// What of a call and a device every kernel's estimate needs.
struct CallFigures {
    float m, n, k, batch;
    bool along_k_a, along_k_b;  ///< contiguous along k
    bool wide_a, wide_b;        ///< columns of the storage begin on 16 bytes
    bool wide_c;
    bool dense_a, dense_b, dense_c;  ///< without padding between the columns of the storage
    bool can_be_split;  ///< in two launches (Partition::tail_tiles), if beta, which launch() reads, allows it
    float bytes;
    float multiprocessors;
    float cycles_per_us;
    float memory_us;  ///< to move every operand once, at the nominal bandwidth; 0 where the L2 has them

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
          dense_a(call.a.leading_dimension == (along_k_a ? call.k : call.m)),
          dense_b(call.b.leading_dimension == (along_k_b ? call.k : call.n)),
          dense_c(call.c.leading_dimension == call.m),
          can_be_split(call.batch_count == 1 && call.pointer_mode == PointerMode::host),
          bytes(4 * batch * (m * k + k * n + m * n)),
          multiprocessors(static_cast<float>(std::max(device.multiprocessor_count, 1))),
          cycles_per_us(device.clock_mhz),
          memory_us(bytes > cached_bytes ? bytes / (device.memory_gb_per_s * 1e3f) : 0) {}

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
        full_rounds = whole_part(each / held);
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
    float write_us(float tiles) const {
        return tiles * elements_ * (call_.wide_c ? write_vectors : write_single);
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
    const float cluster_us = cluster.k_parts > 1 ? cluster_start + cluster_per_part * parts +
                                                       cluster_per_element * static_cast<float>(tile.m) *
                                                           static_cast<float>(tile.n) * blocks.each
                                                 : 0;
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
constexpr float registers_start = 1.526f;
constexpr float registers_cluster = 1.487f;
constexpr float registers_cluster_per_part = 0.08894f;
constexpr float meeting = 1.266f;  ///< in a workspace
constexpr float meeting_per_part = 0.007017f;
constexpr float registers_memory_share = 0.7025f;
constexpr float registers_memory_share_single = 0.7025f;

/// Cycles that a warp's reads of a round of k cost.
float read_cycles(const ReadCycles& cycles, bool along_k, bool wide) {
    return along_k ? (wide ? cycles.along_k : cycles.along_k_single)
                   : (wide ? cycles.along_mn : cycles.along_mn_single);
}

float latency_us(const ReadLatencies& latencies, bool along_k_a, bool along_k_b) {
    return along_k_a ? (along_k_b ? latencies.both_along_k : latencies.b_along_mn)
                     : (along_k_b ? latencies.a_along_mn : latencies.both_along_mn);
}

/// The share of the tiles' rows, columns or steps that exist: what does not is not read.
float fill(float size, float tile) {
    return size / (divide_up(size, tile) * tile);
}

/// Parts of k, and what it takes to bring their sums together.
struct Parts {
    float count;
    float meeting_us;
    bool meet_in_workspace;
};

float registers_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost,
                   const Parts& parts, const Blocks& blocks) {
    const auto tile_m = static_cast<float>(tile.m);
    const auto tile_n = static_cast<float>(tile.n);
    const auto tile_k = static_cast<float>(tile.k);
    const float fill_m = fill(call.m, tile_m), fill_n = fill(call.n, tile_n);
    const float rounds_of_k = divide_up(divide_up(call.k, tile_k), parts.count);
    const float latencies = cost.reads_two_rounds ? divide_up(rounds_of_k, 2) : rounds_of_k;
    const float reads = fill_m * read_cycles(cost.reads_of_a, call.along_k_a, call.wide_a) +
                        fill_n * read_cycles(cost.reads_of_b, call.along_k_b, call.wide_b);
    const float block_us = call.k / (tile_k * parts.count) * reads / call.cycles_per_us + cost.block_us;
    const float round_us = latencies * latency_us(cost.latencies, call.along_k_a, call.along_k_b) +
                           (parts.meet_in_workspace ? 0 : cost.round_us);
    const float work_us = overlapped(blocks.rounds() * round_us, blocks.each * block_us);
    const float write_us =
        blocks.each * tile_m * fill_m * tile_n * fill_n * cost.write_us * (call.wide_c ? 1.0f : 2.0f);
    const float memory_us = call.memory_us / (call.wide_a && call.wide_b ? registers_memory_share
                                                                         : registers_memory_share_single);
    return registers_start + overlapped(work_us + write_us + parts.meeting_us, memory_us);
}
float registers_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost, float tiles,
                   const ClusterSize& cluster) {
    const auto count = static_cast<float>(cluster.k_parts);
    const float cluster_us = cluster.k_parts > 1 ? registers_cluster + registers_cluster_per_part * count : 0;
    return registers_us(call, tile, cost, {count, cluster_us, false}, Blocks(call, tile, tiles, cluster));
}
float meeting_parts_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost,
                       float tiles, unsigned parts) {
    const auto count = static_cast<float>(parts);
    return registers_us(call, tile, cost, {count, meeting + meeting_per_part * count, true},
                        Blocks(call, tile, tiles * count, one_block));
}

// one_fetch.
constexpr float fetch_start = 2.558f;
constexpr float fetch_cycles_per_copy = 37.61f;  ///< a warp's, of 16 bytes each
constexpr float fetch_single = 1.612f;           ///< times that for operands off their alignment
constexpr float fetch_efficiency = 0.3512f;
constexpr float fetch_step = 0.003f;  ///< of a warp's share of k
constexpr float fetch_write = 0.000422f;
constexpr float fetch_per_warp = 0.02791f;  ///< whose sums are added up
constexpr float fetch_cluster = 0.423f;
constexpr float fetch_memory_share = 0.4646f;
constexpr float fetch_cluster_per_part = 0.05217f;

/// Beyond, one_fetch and tiny_matrices support nothing.
bool is_too_large_for_warps(const CallFigures& call) {
    return std::max({call.m, call.n, call.k, call.batch}) > 0x1p30f;
}

/// Multiprocessor cycles to copy `k` steps of a tile; `single` times as many for an operand that is not
/// copied by 16 bytes throughout.
float copy_cycles(float tile_m, bool fast_a, float tile_n, bool fast_b, float k, float cycles, float single) {
    return (tile_m * (fast_a ? 1.0f : single) + tile_n * (fast_b ? 1.0f : single)) * k / 128 * cycles;
}

float fetch_us(const CallFigures& call, const ClusterSize& cluster) {
    if (is_too_large_for_warps(call)) return std::numeric_limits<float>::max();
    const auto parts = static_cast<float>(cluster.k_parts);
    const float part = divide_up(call.k, parts);
    const auto steps = static_cast<int>(part);
    const small_tiles::Tile tile = small_tiles::tile_of_fetch(
        static_cast<std::int64_t>(call.m), static_cast<std::int64_t>(call.n),
        static_cast<std::int64_t>(call.batch * parts), steps, static_cast<unsigned>(call.multiprocessors));
    const auto warps = static_cast<float>(small_tiles::warps_of(steps, tile));
    const auto tile_m = static_cast<float>(tile.m), tile_n = static_cast<float>(tile.n);
    const float tiles = divide_up(call.m, tile_m) * divide_up(call.n, tile_n) * call.batch;
    const float each = divide_up(tiles * parts, call.multiprocessors * cluster.usable_share);
    const float multiply = tile_m * tile_n * part / (lanes * fetch_efficiency);
    const float copy =
        copy_cycles(tile_m, call.wide_a, tile_n, call.wide_b, part, fetch_cycles_per_copy, fetch_single);
    const float work_us = std::max(each * std::max(multiply, copy) / call.cycles_per_us,
                                   divide_up(part, warps) * fetch_step * divide_up(each, 2));
    const float write_us = each * tile_m * tile_n * fetch_write * (call.wide_c ? 1.0f : 2.0f);
    const float cluster_us = cluster.k_parts > 1 ? fetch_cluster + fetch_cluster_per_part * parts : 0;
    return fetch_start + std::max(work_us + write_us + fetch_per_warp * warps + cluster_us,
                                  call.memory_us / fetch_memory_share);
}

// tiny_matrices.
constexpr float tiny_start = 1.074f;
constexpr float tiny_cycles_per_copy = 29.34f;
constexpr float tiny_single = 2.017f;
constexpr float tiny_efficiency = 0.4476f;
constexpr float tiny_write = 7.353e-5f;
constexpr float tiny_write_single = 0.0001041f;
constexpr float tiny_matrix = 0.03611f;
// What a warp waits for, whatever the others do meanwhile: a slice, a step of k, an element's sum.
constexpr float tiny_slice = 0.9877f;
constexpr float tiny_step = 0.01431f;
constexpr float tiny_sums = 0.0006469f;
constexpr float tiny_memory_share = 0.6252f;

float tiny_us(const CallFigures& call) {
    if (is_too_large_for_warps(call)) return std::numeric_limits<float>::max();
    const auto side = [](float count) {
        return static_cast<float>(small_tiles::side_of_tiny(static_cast<std::int64_t>(count)));
    };
    const float tile_m = side(call.m), tile_n = side(call.n);
    const float elements = tile_m * tile_n;
    const float tiles = divide_up(call.m, tile_m) * divide_up(call.n, tile_n) * call.batch;
    const float steps = whole_part(small_tiles::floats_of_tiny_stage / (tile_m + tile_n));
    const float slices = divide_up(call.k, steps);
    // An operand without padding whose lines are whole is copied as one.
    constexpr auto largest = static_cast<float>(small_tiles::largest_side);
    const bool is_run_a = call.dense_a && (call.along_k_a ? slices <= 1 : call.m <= largest);
    const bool is_run_b = call.dense_b && (call.along_k_b ? slices <= 1 : call.n <= largest);
    const bool is_run_c = call.dense_c && call.m <= largest;

    const float multiply = elements * call.k / (lanes * tiny_efficiency);
    const float copy = copy_cycles(tile_m, call.wide_a || is_run_a, tile_n, call.wide_b || is_run_b, call.k,
                                   tiny_cycles_per_copy, tiny_single);
    const float each_us = std::max(multiply, copy) / call.cycles_per_us +
                          elements * (call.wide_c || is_run_c ? tiny_write : tiny_write_single) + tiny_matrix;
    constexpr auto warps = static_cast<float>(small_tiles::warps_of_tiny);
    constexpr auto blocks = static_cast<float>(small_tiles::blocks_of_tiny);
    const float each = std::min(tiles, warps * divide_up(divide_up(tiles, warps), call.multiprocessors));
    const float rounds = divide_up(tiles, call.multiprocessors * blocks * warps);
    const float wait_us = tiny_slice * slices + tiny_step * call.k + tiny_sums * elements;
    return tiny_start + std::max(each * each_us + rounds * wait_us, call.memory_us / tiny_memory_share);
}

float estimate(const CallFigures& call, const Kernel& kernel, float tiles, const ClusterSize& cluster) {
    const TileFigures& tile = kernel.implementation->tiles;
    switch (kernel.cost.kind) {
        case CostFigures::Kind::pipeline:
            return pipeline_us(call, tile, kernel.cost.pipeline, tiles, cluster);
        case CostFigures::Kind::registers:
            return registers_us(call, tile, kernel.cost.registers, tiles, cluster);
        case CostFigures::Kind::fetch:
            return fetch_us(call, cluster);
        case CostFigures::Kind::tiny:
            return tiny_us(call);
        case CostFigures::Kind::none:
            break;
    }
    return 0;
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

/// Partition::resident_blocks. Blocks that go on from tile to tile pay off where there are many (measured:
/// with fewer than two waves they are slower, by up to a tenth). one_fetch learns from it how large the GPU
/// is.
unsigned resident_blocks(const Kernel& kernel, const Partition& partition, float tiles, unsigned places) {
    if (kernel.cost.kind == CostFigures::Kind::fetch) return places;
    if (partition.k_parts != 1) return 0;
    const bool goes_on =
        kernel.cost.kind == CostFigures::Kind::pipeline && tiles > 2 * static_cast<float>(places);
    return goes_on || partition.shares_tiles ? places : 0;
}

/// The best way to divide the work. More blocks than twice the places only add to the reduction.
Choice best_partition(const Kernel& kernel, const CallFigures& figures, const DeviceFigures& device) {
    const TileFigures& tile = kernel.implementation->tiles;
    const float tiles = tile_count(figures, tile);
    Choice best{&kernel, {}, estimate(figures, kernel, tiles, one_block)};
    best.partition.resident_blocks = resident_blocks(kernel, best.partition, tiles, places(device, tile));
    if (device.compute_capability() < 90) return best;
    const auto consider = [&](float us, const Partition& partition) {
        if (us < best.microseconds) best = {&kernel, partition, us};
    };
    const float most_blocks = 2 * static_cast<float>(places(device, tile));
    const auto least_steps = static_cast<float>(least_steps_of_a_part(kernel));
    for (const ClusterSize& cluster : cluster_sizes) {
        const auto parts = static_cast<float>(cluster.k_parts);
        if (tiles * parts > most_blocks || figures.k < parts * least_steps ||
            cluster.k_parts > kernel.implementation->most_k_parts)
            break;
        consider(estimate(figures, kernel, tiles, cluster), {.k_parts = cluster.k_parts});
    }
    for (unsigned parts = least_meeting_parts; parts <= kernel.implementation->most_meeting_parts;
         parts *= 2) {
        const auto count = static_cast<float>(parts);
        if (tiles * count > most_blocks || figures.k < count * static_cast<float>(tile.k)) break;
        consider(meeting_parts_us(figures, tile, kernel.cost.registers, tiles, parts),
                 {.meeting_parts = parts});
    }
    if (can_share(kernel, figures, tiles, device))
        consider(shared_tiles_us(figures, tile, kernel.cost.pipeline, tiles), {.shares_tiles = true});
    if (can_split_tail(kernel, figures, tiles, device)) {
        Partition partition;
        const float us = tail_us(kernel, figures, tiles, device, partition);
        consider(us, partition);
    }
    best.partition.resident_blocks = resident_blocks(kernel, best.partition, tiles, places(device, tile));
    return best;
}

}  // namespace

int least_steps_of_a_part(const Kernel& kernel) {
    // one_fetch's warps divide k, too: what a block takes at once is no measure.
    return kernel.cost.kind == CostFigures::Kind::fetch ? 4 * small_tiles::steps_worth_a_warp
                                                        : kernel.implementation->tiles.k;
}

Choice cheapest(const GemmCall& call, const DeviceFigures& device) {
    const CallFigures figures(call, device);
    Choice best;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.cost.kind == CostFigures::Kind::none || !device.is_ready(kernel)) continue;
        // More than a grid holds; and the estimates count in integers here and there.
        if (tile_count(figures, kernel.implementation->tiles) > 0x1p31f) continue;
        const Choice choice = best_partition(kernel, figures, device);
        // Asked last: few are the best so far, and nearly every kernel supports every call.
        if ((best.kernel == nullptr || choice.microseconds < best.microseconds) &&
            kernel.implementation->supports(call))
            best = choice;
    }
    return best;
}

Choice cheapest_of(const Kernel& kernel, const GemmCall& call, const DeviceFigures& device) {
    if (kernel.cost.kind == CostFigures::Kind::none) return {&kernel, {}, 0};
    return best_partition(kernel, CallFigures(call, device), device);
}

}  // namespace sgemm_shim
