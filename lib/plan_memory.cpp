#include "plan_memory.hpp"

namespace sgemm_shim {
namespace {

std::uint64_t is_unaligned(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % 16 != 0 ? 1 : 0;
}

template <class Element>
std::uint64_t kind_of(const MatrixBatch<Element>& matrices) {
    return matrices.array != nullptr ? 2 : is_unaligned(matrices.first);
}

std::size_t hash(const std::uint64_t* words, std::size_t count) {
    std::uint64_t mixed = 0;
    for (std::size_t i = 0; i < count; ++i) mixed = (mixed ^ words[i]) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mixed >> 32);
}

static_assert(static_cast<unsigned>(ForwardReason::count) < 0x80);

struct Parts {
    std::uint64_t packed;

    /// No kernel is kept as row 0, which is cuBLAS.
    static Parts of(const Plan& plan) {
        const Partition& p = plan.partition;
        return {std::uint64_t{plan.kernel != nullptr ? kernel_index(*plan.kernel) : 0} |
                std::uint64_t{p.k_parts} << 8 | std::uint64_t{p.tail_k_parts} << 24 |
                std::uint64_t{p.shares_tiles} << 40 | static_cast<std::uint64_t>(plan.reason) << 41 |
                std::uint64_t{p.meeting_parts} << 48};
    }
    Plan with_blocks(std::uint64_t blocks) const {
        const std::size_t row = packed & 0xFF;
        return {.kernel = row != 0 ? &kernel_table()[row] : nullptr,
                .reason = static_cast<ForwardReason>(packed >> 41 & 0x7F),
                .partition = {.k_parts = static_cast<unsigned>(packed >> 8 & 0xFFFF),
                              .resident_blocks = static_cast<unsigned>(blocks),
                              .tail_tiles = static_cast<unsigned>(blocks >> 32),
                              .tail_k_parts = static_cast<unsigned>(packed >> 24 & 0xFFFF),
                              .shares_tiles = (packed >> 40 & 1) != 0,
                              .meeting_parts = static_cast<unsigned>(packed >> 48)}};
    }
};

}  // namespace

PlanMemory::Key PlanMemory::key_of(const GemmCall& call, const DeviceFigures& device) {
    const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t flags = static_cast<std::uint64_t>(call.operation_a) |
                                static_cast<std::uint64_t>(call.operation_b) << 2 | kind_of(call.a) << 4 |
                                kind_of(call.b) << 6 | kind_of(call.c) << 8 |
                                std::uint64_t{call.pointer_mode == PointerMode::host} << 10;
    return {word(call.m),
            word(call.n),
            word(call.k),
            flags,
            word(call.batch_count),
            word(call.a.leading_dimension),
            word(call.b.leading_dimension),
            word(call.c.leading_dimension),
            reinterpret_cast<std::uintptr_t>(&device)};
}

bool PlanMemory::find(const Entry& entry, const Key& key, Plan& plan) {
    const std::uint32_t version = entry.version.load(std::memory_order_acquire);
    if (version % 2 != 0) return false;
    for (std::size_t i = 0; i < key_words; ++i) {
        if (entry.key[i].load(std::memory_order_acquire) != key[i]) return false;
    }
    const std::uint64_t blocks = entry.blocks.load(std::memory_order_acquire);
    const Parts parts{entry.parts.load(std::memory_order_acquire)};
    if (version == 0 || entry.version.load(std::memory_order_relaxed) != version) return false;
    plan = parts.with_blocks(blocks);
    return true;
}

void PlanMemory::store(Entry& entry, const Key& key, const Plan& plan) {
    std::uint32_t version = entry.version.load(std::memory_order_relaxed);
    if (version % 2 != 0 ||
        !entry.version.compare_exchange_strong(version, version + 1, std::memory_order_acquire))
        return;  // another thread is at it
    for (std::size_t i = 0; i < key_words; ++i) entry.key[i].store(key[i], std::memory_order_release);
    const std::uint64_t tail = plan.partition.tail_tiles;
    entry.blocks.store(plan.partition.resident_blocks | tail << 32, std::memory_order_release);
    entry.parts.store(Parts::of(plan).packed, std::memory_order_release);
    entry.version.store(version + 2, std::memory_order_release);
}

Plan PlanMemory::plan(const GemmCall& call, const DeviceFigures& device, const Policy& policy) {
    // A kernel that was asked for by name is a choice too, but of no consequence for speed.
    if (policy.kernel != nullptr || device.obstacle != ForwardReason::none)
        return sgemm_shim::plan(call, device, policy);
    const Key key = key_of(call, device);
    Entry& entry = entries_[hash(key.data(), key.size()) % entry_count];
    Plan plan;
    if (find(entry, key, plan)) return plan;
    plan = sgemm_shim::plan(call, device, policy);
    store(entry, key, plan);
    return plan;
}

}  // namespace sgemm_shim
