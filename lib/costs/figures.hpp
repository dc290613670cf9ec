// What the estimates of all families of kernels are made of.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../cost_model.hpp"
#include "../plan.hpp"

namespace sgemm_shim::costs {

/// Multiply-adds of a multiprocessor in one cycle.
inline constexpr float lanes = 128;
inline constexpr float cached_bytes = 40e6f;  ///< what an H200's L2 keeps between calls
inline constexpr ClusterSize one_block{1, 1.0f};

/// Without the fraction. From 2^24 on, floats have none, and sizes that no kernel supports do not fit an
/// integer.
inline float whole_part(float value) {
    return value < 0x1p24f ? static_cast<float>(static_cast<int>(value)) : value;
}

inline float divide_up(float numerator, float denominator) {
    const float quotient = numerator / denominator;
    const float whole = whole_part(quotient);
    return quotient > whole ? whole + 1 : whole;
}

/// The time of two things of which one hides the other, but for the places that both need.
inline float overlapped(float one, float other) {
    const float longer = std::max(one, other), shorter = std::min(one, other);
    return longer > 0 ? longer + 0.25f * shorter * (shorter / longer) * (shorter / longer) : 0;
}

/// The share of the tiles' rows, columns or steps that exist: what does not is not read.
inline float fill(float size, float tile) {
    return size / (divide_up(size, tile) * tile);
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

inline float tile_count(const CallFigures& call, const TileFigures& tile) {
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

}  // namespace sgemm_shim::costs
