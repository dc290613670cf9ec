// Asynchronous copies into shared memory. Each is an agent of its own: it lands at some moment after the
// thread has gone on, drawn from the seed, and the words it will write belong to nobody until it has been
// waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/clock.hpp"
#include "machine/launch.hpp"

namespace sgemm_shim::simt {

class Machine;
struct PhaseState;
struct Thread;

class CopyEngine {
  public:
    /// A contiguous part of a copy; no source: zeros.
    struct Piece {
        char* shared;
        const char* global;
        unsigned bytes;
    };

    explicit CopyEngine(Machine& machine) : machine_(machine) {}
    void start_cluster();

    /// The next copy's pieces, to be filled in. They lie here because a thread that fails leaves its own
    /// variables behind without destroying them.
    std::vector<Piece>& next_pieces() {
        next_pieces_.clear();
        return next_pieces_;
    }
    /// By the current thread, completed by its wait_for_groups() or by a barrier.
    void start_for_thread(const void* code);
    void commit();
    void wait_for_groups(unsigned pending);
    /// The current thread's copies so far complete on the barrier, as one arrival.
    void arrive_after(PhaseState& barrier);

    /// A copy that completes `bytes` on the barrier.
    void start_for_barrier(unsigned bytes, PhaseState& barrier, const void* code);

    /// Whether copies are on their way.
    bool has_work() const { return flying_ != 0; }
    /// Lets one of them land.
    void land_one();

  private:
    struct Copy {
        std::uint32_t number = 0;
        unsigned group = 0;
        std::vector<Piece> pieces;
        PhaseState* barrier = nullptr;
        unsigned bytes = 0;  ///< for the barrier
        bool has_landed = false;
        bool is_before_arrival = false;  ///< the thread's barrier waits for it
    };
    /// What one thread has started and not waited for.
    struct ThreadCopies {
        std::vector<Copy> copies;
        unsigned flying = 0;
        PhaseState* barrier = nullptr;  ///< to arrive at when those before the arrival have landed
    };

    ThreadCopies& own();
    Copy begin(const void* code);
    void land(Copy& copy);
    void finish(const Copy& copy, ThreadId writer, Time time);
    void land_for_thread(ThreadCopies& thread, Copy& copy);
    void land_one_of(ThreadCopies& thread);
    void arrive_if_due(ThreadCopies& thread);

    Machine& machine_;
    std::vector<Piece> next_pieces_;
    std::vector<Copy> engine_;
    std::vector<ThreadCopies> by_thread_;
    std::size_t flying_ = 0;
    std::uint32_t next_number_ = 1;
};

}  // namespace sgemm_shim::simt
