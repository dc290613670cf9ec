// The asynchronous part of primitives.cuh: copies and mbarriers.
#include <algorithm>
#include <array>

#include "kernels/primitives.cuh"
#include "machine/accesses.hpp"
#include "machine/machine.hpp"

#define SIMT_CALLER __builtin_return_address(0)

namespace sgemm_shim {

using simt::CopyEngine;
using simt::Machine;

namespace {

Machine& machine() {
    return *Machine::running();
}

[[noreturn]] void fail(const char* problem, std::string object, const void* code) {
    simt::Finding finding;
    finding.problem = problem;
    finding.object = std::move(object);
    finding.event = machine().event("call", code);
    machine().fail(std::move(finding));
}

simt::PhaseState& published(PhaseBarrier& barrier, const void* code) {
    simt::PhaseState& state = machine().synchronisation().find(&barrier, code);
    if (!state.published) fail("an mbarrier was not published to the copy engine", "", code);
    return state;
}

/// Where the hardware puts 16 bytes of a swizzled tile: rows of `swizzle` bytes exchange their 16-byte
/// chunks.
std::uintptr_t swizzled(std::uintptr_t address, unsigned swizzle) {
    const std::uintptr_t chunks = swizzle == 0 ? 0 : swizzle / 16 - 1;
    return address ^ ((address >> 7 & chunks) << 4);
}

}  // namespace

namespace simt {

void copy_async(void* shared, const void* global, int bytes, int valid) {
    const void* const code = SIMT_CALLER;
    const auto whole = static_cast<unsigned>(bytes);
    if (valid < 0 || valid > bytes || valid % 4 != 0)
        fail("a copy of a part that is not whole words of it", std::to_string(valid) + " bytes", code);
    const auto part = static_cast<unsigned>(valid);
    check_alignment(shared, whole, true, code);
    if (part != 0) check_alignment(global, whole, false, code);
    std::vector<CopyEngine::Piece>& pieces = machine().copies().next_pieces();
    if (part != 0) pieces.push_back({static_cast<char*>(shared), static_cast<const char*>(global), part});
    if (part != whole) pieces.push_back({static_cast<char*>(shared) + part, nullptr, whole - part});
    machine().copies().start_for_thread(code);
}

void wait_for_copies(int pending_groups) {
    machine().copies().wait_for_groups(static_cast<unsigned>(pending_groups));
}

}  // namespace simt

void commit_copies() {
    machine().copies().commit();
}

void initialize(PhaseBarrier& barrier, unsigned arrivals) {
    machine().synchronisation().initialise(&barrier, arrivals, SIMT_CALLER);
}
void publish_phase_barriers() {
    machine().synchronisation().publish();
}
void arrive(PhaseBarrier& barrier) {
    machine().synchronisation().arrive(&barrier, 0, SIMT_CALLER);
}
void arrive_and_expect(PhaseBarrier& barrier, unsigned bytes) {
    machine().synchronisation().arrive(&barrier, bytes, SIMT_CALLER);
}
void arrive_after_copies(PhaseBarrier& barrier) {
    machine().copies().arrive_after(machine().synchronisation().find(&barrier, SIMT_CALLER));
}
bool try_wait(PhaseBarrier& barrier, unsigned parity, CallPlace place) {
    return machine().synchronisation().try_wait(&barrier, parity, place, SIMT_CALLER);
}

void copy_bulk(void* shared, const void* global, unsigned bytes, PhaseBarrier& barrier) {
    const void* const code = SIMT_CALLER;
    simt::check_alignment(shared, 16, true, code);
    simt::check_alignment(global, 16, false, code);
    if (bytes == 0 || bytes % 16 != 0)
        fail("a bulk copy of no multiple of 16 bytes", std::to_string(bytes) + " bytes", code);
    machine().copies().next_pieces().push_back(
        {static_cast<char*>(shared), static_cast<const char*>(global), bytes});
    machine().copies().start_for_barrier(bytes, published(barrier, code), code);
}

bool make_tensor_map(TensorMap& map, const float* base, std::uint64_t inner, std::uint64_t outer,
                     std::uint64_t leading_dimension, std::uint32_t box_inner, std::uint32_t box_outer,
                     std::uint32_t swizzle_bytes) {
    constexpr std::array<std::uint32_t, 4> swizzles{0, 32, 64, 128};
    const std::uint32_t box_bytes = box_inner * static_cast<std::uint32_t>(sizeof(float));
    const bool is_possible = reinterpret_cast<std::uintptr_t>(base) % 16 == 0 && leading_dimension % 4 == 0 &&
                             leading_dimension < std::uint64_t{1} << 38 && inner > 0 && outer > 0 &&
                             inner <= std::uint64_t{1} << 32 && outer <= std::uint64_t{1} << 32 &&
                             box_inner > 0 && box_inner <= 256 && box_outer > 0 && box_outer <= 256 &&
                             box_bytes % 16 == 0 && std::ranges::count(swizzles, swizzle_bytes) == 1 &&
                             (swizzle_bytes == 0 || box_bytes <= swizzle_bytes);
    if (is_possible) map = {base, inner, outer, leading_dimension, box_inner, box_outer, swizzle_bytes};
    return is_possible;
}

void copy_tile(void* shared, const TensorMap& map, int inner, int outer, PhaseBarrier& barrier) {
    const void* const code = SIMT_CALLER;
    simt::check_alignment(shared, 128, true, code);
    std::vector<CopyEngine::Piece>& pieces = machine().copies().next_pieces();
    const auto first = reinterpret_cast<std::uintptr_t>(shared);
    for (std::uint32_t row = 0; row < map.box_outer; ++row) {
        for (std::uint32_t column = 0; column < map.box_inner; ++column) {
            const std::uintptr_t plain =
                first + (std::uintptr_t{row} * map.box_inner + column) * sizeof(float);
            auto* to = reinterpret_cast<char*>(swizzled(plain, map.swizzle_bytes));
            const std::int64_t from_inner = std::int64_t{inner} + column;
            const std::int64_t from_outer = std::int64_t{outer} + row;
            const bool exists = from_inner >= 0 && from_inner < static_cast<std::int64_t>(map.inner) &&
                                from_outer >= 0 && from_outer < static_cast<std::int64_t>(map.outer);
            const auto* from =
                exists ? reinterpret_cast<const char*>(
                             map.base + from_outer * static_cast<std::int64_t>(map.leading_dimension) +
                             from_inner)
                       : nullptr;
            // One piece for neighbours that stay neighbours.
            if (!pieces.empty()) {
                CopyEngine::Piece& last = pieces.back();
                const bool continues =
                    last.shared + last.bytes == to &&
                    (from == nullptr ? last.global == nullptr
                                     : last.global != nullptr && last.global + last.bytes == from);
                if (continues) {
                    last.bytes += sizeof(float);
                    continue;
                }
            }
            pieces.push_back({to, from, sizeof(float)});
        }
    }
    const auto bytes = static_cast<unsigned>(map.box_inner * map.box_outer * sizeof(float));
    machine().copies().start_for_barrier(bytes, published(barrier, code), code);
}

}  // namespace sgemm_shim
