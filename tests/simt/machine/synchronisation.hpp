// Everything that threads wait for but the block's own barrier: named barriers, warps, shuffles, clusters and
// mbarriers. Each orders the accesses of those who meet (clock.hpp), except shuffles.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "machine/clock.hpp"
#include "machine/launch.hpp"

namespace sgemm_shim::simt {

class Machine;
struct Thread;

/// A meeting of a known number of threads, again and again.
struct Rendezvous {
    unsigned arrived = 0;
    unsigned expected = 0;
    std::uint64_t phase = 0;
    VectorClock gathered;   ///< what those who arrived know
    VectorClock completed;  ///< the same of the last phase
    std::vector<Thread*> waiting;
};

/// What an mbarrier's 8 bytes hold in hardware, and what its users know.
struct PhaseState {
    unsigned number = 0;  ///< of the agent
    unsigned expected = 0;
    unsigned pending = 0;     ///< arrivals missing in this phase
    std::int64_t bytes = 0;   ///< announced and not yet there; negative if they come first
    std::uint64_t phase = 0;  ///< completed ones
    const Thread* initialiser = nullptr;
    bool published = false;
    VectorClock gathered, completed;
    std::vector<Thread*> waiting;

    ThreadId agent() const { return {0, static_cast<std::uint16_t>(first_agent + number)}; }
};

class Synchronisation {
  public:
    explicit Synchronisation(Machine& machine) : machine_(machine) {}
    void start_cluster();

    void named(unsigned number, unsigned threads, bool waits, CallPlace place);
    void warp(unsigned lanes, CallPlace place);
    std::uint32_t shuffle(std::uint32_t value, unsigned source, CallPlace place);
    void cluster(CallPlace place);
    void arrive_cluster();
    void wait_cluster(CallPlace place);

    /// Atomic counters, over all blocks of a launch.
    void start_launch() { counters_.clear(); }
    void meet_at_counter(const void* counter);

    void initialise(void* barrier, unsigned arrivals, const void* code);
    void publish();
    void arrive(void* barrier, std::int64_t bytes, const void* code);
    bool try_wait(void* barrier, unsigned parity, CallPlace place, const void* code);
    /// The mbarrier at an address, checked: initialised, and known to be so by the current thread.
    PhaseState& find(void* barrier, const void* code);
    /// Of the copy engine: bytes landed, or an arrival on a thread's behalf.
    void land(PhaseState& state, Time time, std::int64_t bytes, unsigned arrivals);

  private:
    struct Warp {
        std::map<unsigned, Rendezvous> by_lanes;
        Rendezvous shuffles;
        std::array<std::uint32_t, 32> values{}, results{};
        std::array<unsigned, 32> sources{};
    };

    Warp& own_warp();
    unsigned lanes_in_own_warp() const;
    /// Counts the current thread; true if it completed the phase, and so released the waiting ones.
    bool meet(Rendezvous& meeting, bool orders);
    void release(std::vector<Thread*>& waiting, const VectorClock* learned);
    void complete_if_due(PhaseState& state);
    void finish_shuffle(Warp& warp, CallPlace place);
    [[noreturn]] void fail(const char* problem, std::string object, const void* code, CallPlace place = {});

    Machine& machine_;
    std::vector<std::array<Rendezvous, 16>> named_;  ///< by block rank
    std::vector<Warp> warps_;                        ///< by block rank and warp
    std::size_t warps_per_block_ = 0;
    Rendezvous cluster_;
    bool cluster_is_split_ = false;
    std::map<const void*, PhaseState> phase_barriers_;

    struct Counter {
        /// Of the cluster that `here` speaks of; none has begun so late.
        Time cluster_start = std::numeric_limits<Time>::max();
        VectorClock here;
        std::vector<Past> past;
    };
    std::map<const void*, Counter> counters_;
};

}  // namespace sgemm_shim::simt
