#include "machine/copies.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/accesses.hpp"
#include "machine/machine.hpp"

namespace sgemm_shim::simt {

void CopyEngine::start_cluster() {
    engine_.clear();
    flying_ = 0;
    by_thread_.resize(machine_.threads().size());
    for (ThreadCopies& thread : by_thread_) thread = {};
}

CopyEngine::ThreadCopies& CopyEngine::own() {
    const ThreadId id = machine_.thread().id;
    return by_thread_[std::size_t{id.rank} * machine_.request().block + id.index];
}

/// The checks are those of a thread that reads the source and writes the destination now; the time moves on,
/// so that whatever the thread does from here on is told apart from what it did before.
CopyEngine::Copy CopyEngine::begin(const void* code) {
    const std::uint32_t number = next_number_++;
    for (const Piece& piece : next_pieces_) {
        if (piece.global != nullptr) check_global_read(piece.global, piece.bytes, code);
        machine_.shared().begin_copy(machine_, piece.shared, piece.bytes, number, code);
    }
    Copy copy;
    copy.number = number;
    copy.group = machine_.thread().copy_group;
    copy.pieces = next_pieces_;
    machine_.thread().time = machine_.advance();
    ++flying_;
    return copy;
}

void CopyEngine::land(Copy& copy) {
    for (const Piece& piece : copy.pieces) {
        if (piece.global != nullptr)
            std::memcpy(piece.shared, piece.global, piece.bytes);
        else
            std::memset(piece.shared, 0, piece.bytes);
    }
    copy.has_landed = true;
    --flying_;
}

void CopyEngine::finish(const Copy& copy, ThreadId writer, Time time) {
    for (const Piece& piece : copy.pieces)
        machine_.shared().finish_copy(piece.shared, piece.bytes, copy.number, writer, time);
}

void CopyEngine::start_for_thread(const void* code) {
    Copy copy = begin(code);
    ThreadCopies& thread = own();
    thread.copies.push_back(std::move(copy));
    ++thread.flying;
}

void CopyEngine::commit() {
    ++machine_.thread().copy_group;
}

void CopyEngine::wait_for_groups(unsigned pending) {
    Thread& self = machine_.thread();
    ThreadCopies& thread = own();
    const auto is_waited_for = [&](const Copy& copy) { return copy.group + pending < self.copy_group; };
    // Of a copy that a barrier tells others of, all learn by the barrier, although the thread waits for it
    // too. (So that a thread which reads such a copy after this wait alone is taken for a race. No kernel
    // does.)
    if (std::ranges::any_of(
            thread.copies, [&](const Copy& copy) { return copy.is_before_arrival && is_waited_for(copy); })) {
        for (Copy& copy : thread.copies) {
            if (copy.is_before_arrival) land_for_thread(thread, copy);
        }
        arrive_if_due(thread);
    }
    std::erase_if(thread.copies, [&](Copy& copy) {
        if (!is_waited_for(copy)) return false;
        land_for_thread(thread, copy);
        finish(copy, self.id, self.time);
        return true;
    });
}

void CopyEngine::arrive_after(PhaseState& barrier) {
    ThreadCopies& thread = own();
    // An earlier barrier gets its arrival first: a thread has one at a time.
    while (thread.barrier != nullptr) land_one_of(thread);
    thread.barrier = &barrier;
    ++flying_;
    for (Copy& copy : thread.copies) copy.is_before_arrival = true;
    if (thread.flying == 0) arrive_if_due(thread);
}

void CopyEngine::arrive_if_due(ThreadCopies& thread) {
    if (thread.barrier == nullptr) return;
    if (std::ranges::any_of(thread.copies,
                            [](const Copy& copy) { return copy.is_before_arrival && !copy.has_landed; }))
        return;
    PhaseState& barrier = *std::exchange(thread.barrier, nullptr);
    --flying_;
    const Time time = machine_.advance();
    std::erase_if(thread.copies, [&](const Copy& copy) {
        if (copy.is_before_arrival) finish(copy, barrier.agent(), time);
        return copy.is_before_arrival;
    });
    machine_.synchronisation().land(barrier, time, 0, 1);
}

void CopyEngine::land_for_thread(ThreadCopies& thread, Copy& copy) {
    if (copy.has_landed) return;
    land(copy);
    --thread.flying;
}

void CopyEngine::land_one_of(ThreadCopies& thread) {
    if (thread.flying != 0) {
        const std::size_t count = thread.copies.size();
        std::size_t place = machine_.random().below(static_cast<std::uint32_t>(count));
        while (thread.copies[place].has_landed) place = (place + 1) % count;
        land_for_thread(thread, thread.copies[place]);
    }
    arrive_if_due(thread);
}

void CopyEngine::start_for_barrier(unsigned bytes, PhaseState& barrier, const void* code) {
    Copy copy = begin(code);
    copy.barrier = &barrier;
    copy.bytes = bytes;
    engine_.push_back(std::move(copy));
}

void CopyEngine::land_one() {
    if (!engine_.empty() && machine_.random().below(2) == 0) {
        std::swap(engine_[machine_.random().below(static_cast<std::uint32_t>(engine_.size()))],
                  engine_.back());
        Copy copy = std::move(engine_.back());
        engine_.pop_back();
        land(copy);
        const Time time = machine_.advance();
        finish(copy, copy.barrier->agent(), time);
        machine_.synchronisation().land(*copy.barrier, time, copy.bytes, 0);
        return;
    }
    const std::size_t count = by_thread_.size();
    const std::size_t first = machine_.random().below(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        ThreadCopies& thread = by_thread_[(first + i) % count];
        if (thread.flying == 0 && thread.barrier == nullptr) continue;
        land_one_of(thread);
        return;
    }
}

}  // namespace sgemm_shim::simt
