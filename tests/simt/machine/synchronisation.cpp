#include "machine/synchronisation.hpp"

#include <algorithm>
#include <bit>

#include "machine/machine.hpp"

namespace sgemm_shim::simt {

void Synchronisation::start_cluster() {
    const LaunchRequest& request = machine_.request();
    warps_per_block_ = (request.block + 31) / 32;
    named_.assign(request.cluster, {});
    warps_.assign(warps_per_block_ * request.cluster, {});
    cluster_ = {};
    cluster_is_split_ = false;
    phase_barriers_.clear();
}

void Synchronisation::fail(const char* problem, std::string object, const void* code, CallPlace place) {
    Finding finding;
    finding.problem = problem;
    finding.object = std::move(object);
    finding.event = machine_.event("call", code);
    finding.event->place = place;
    machine_.fail(std::move(finding));
}

Synchronisation::Warp& Synchronisation::own_warp() {
    const ThreadId id = machine_.thread().id;
    return warps_[id.rank * warps_per_block_ + id.index / 32];
}

unsigned Synchronisation::lanes_in_own_warp() const {
    const unsigned first = machine_.thread().id.index / 32 * 32;
    return std::min(32u, machine_.request().block - first);
}

void Synchronisation::release(std::vector<Thread*>& waiting, const VectorClock* learned) {
    for (Thread* thread : waiting) {
        if (learned != nullptr) thread->known.learn(*learned);
        machine_.make_ready(*thread);
    }
    waiting.clear();
}

bool Synchronisation::meet(Rendezvous& meeting, bool orders) {
    Thread& self = machine_.thread();
    if (orders) {
        if (meeting.arrived == 0) machine_.reset(meeting.gathered);
        meeting.gathered.learn(self.known);
        meeting.gathered.learn(self.id, self.time);
        self.time = machine_.advance();
    }
    if (++meeting.arrived < meeting.expected) return false;
    meeting.arrived = 0;
    ++meeting.phase;
    if (orders) std::swap(meeting.completed, meeting.gathered);
    release(meeting.waiting, orders ? &meeting.completed : nullptr);
    return true;
}

void Synchronisation::named(unsigned number, unsigned threads, bool waits, CallPlace place) {
    if (number == 0 || number > 15 || threads == 0 || threads % 32 != 0 || threads > machine_.request().block)
        fail("a named barrier that does not exist",
             "barrier " + std::to_string(number) + " for " + std::to_string(threads) + " threads", nullptr,
             place);
    Thread& self = machine_.thread();
    Rendezvous& meeting = named_[self.id.rank][number];
    if (meeting.arrived != 0 && meeting.expected != threads)
        fail("one named barrier with different numbers of threads",
             "barrier " + std::to_string(number) + ": " + std::to_string(threads) + " and " +
                 std::to_string(meeting.expected),
             nullptr, place);
    meeting.expected = threads;
    if (meet(meeting, true)) {
        if (waits) self.known.learn(meeting.completed);
    } else if (waits) {
        meeting.waiting.push_back(&self);
        machine_.wait("named barrier", number, place);
    }
}

void Synchronisation::warp(unsigned lanes, CallPlace place) {
    Thread& self = machine_.thread();
    const unsigned present = lanes_in_own_warp();
    if (present < 32 && lanes == ~0u) lanes = (1u << present) - 1;
    if ((lanes >> self.id.index % 32 & 1) == 0 || (present < 32 && lanes >> present != 0))
        fail("a warp's barrier without the calling lane, or with lanes that do not exist",
             "lanes " + std::to_string(lanes), nullptr, place);
    Rendezvous& meeting = own_warp().by_lanes[lanes];
    meeting.expected = static_cast<unsigned>(std::popcount(lanes));
    if (meet(meeting, true)) {
        self.known.learn(meeting.completed);
    } else {
        meeting.waiting.push_back(&self);
        machine_.wait("the warp's barrier", 0, place);
    }
}

std::uint32_t Synchronisation::shuffle(std::uint32_t value, unsigned source, CallPlace place) {
    Thread& self = machine_.thread();
    Warp& warp = own_warp();
    const unsigned lane = self.id.index % 32;
    if (source >= lanes_in_own_warp())
        fail("shuffle from a lane that does not exist",
             "lane " + std::to_string(source) + " of " + std::to_string(lanes_in_own_warp()), nullptr, place);
    warp.values[lane] = value;
    warp.sources[lane] = source;
    warp.shuffles.expected = lanes_in_own_warp();
    if (warp.shuffles.arrived + 1 == warp.shuffles.expected) finish_shuffle(warp, place);
    if (!meet(warp.shuffles, false)) {
        warp.shuffles.waiting.push_back(&self);
        machine_.wait("the other lanes of a shuffle", 0, place);
    }
    return warp.results[lane];
}

void Synchronisation::finish_shuffle(Warp& warp, CallPlace place) {
    for (const Thread* other : warp.shuffles.waiting) {
        if (other->place.line != place.line)
            fail(
                "the lanes of a warp wait in different shuffles",
                "thread " + std::to_string(other->id.index) + " at line " + std::to_string(other->place.line),
                nullptr, place);
    }
    for (unsigned lane = 0; lane < 32; ++lane) warp.results[lane] = warp.values[warp.sources[lane]];
}

void Synchronisation::cluster(CallPlace place) {
    Thread& self = machine_.thread();
    cluster_.expected = static_cast<unsigned>(machine_.threads().size());
    if (cluster_.arrived + 1 == cluster_.expected && !cluster_is_split_) {
        // Nobody runs but this thread: whole blocks are known, single threads need not be.
        const Time before = machine_.now();
        machine_.reset(cluster_.gathered);
        for (const Thread& thread : machine_.threads()) cluster_.gathered.learn(thread.known);
        for (unsigned rank = 0; rank < machine_.request().cluster; ++rank)
            cluster_.gathered.learn_block(rank, before);
        cluster_.gathered.forget_threads();
    }
    if (meet(cluster_, true)) {
        self.known.learn(cluster_.completed);
    } else {
        cluster_.waiting.push_back(&self);
        machine_.wait("the cluster's barrier", 0, place);
    }
}

void Synchronisation::arrive_cluster() {
    cluster_.expected = static_cast<unsigned>(machine_.threads().size());
    cluster_is_split_ = true;
    machine_.thread().cluster_phase = cluster_.phase;
    meet(cluster_, true);
}

void Synchronisation::wait_cluster(CallPlace place) {
    Thread& self = machine_.thread();
    if (cluster_.phase > self.cluster_phase) {
        self.known.learn(cluster_.completed);
    } else {
        cluster_.waiting.push_back(&self);
        machine_.wait("the cluster's barrier", 0, place);
    }
}

/// Everybody who comes learns what those who came before knew.
void Synchronisation::meet_at_counter(const void* address) {
    Counter& counter = counters_[address];
    Thread& self = machine_.thread();
    const Time start = machine_.cluster_start();
    if (counter.cluster_start != start) {
        counter.cluster_start = start;
        machine_.reset(counter.here);
    }
    self.known.learn(counter.here);
    for (const Past& past : counter.past) self.known.learn(past);

    counter.here.learn(self.known);
    counter.here.learn(self.id, self.time);
    for (const Past& past : self.known.past()) {
        if (std::ranges::find(counter.past, past) == counter.past.end()) counter.past.push_back(past);
    }
    counter.past.push_back(self.known.as_past(start, self.known.block_time(self.id.rank)));
    counter.past.push_back({start, self.time, false, self.id, nullptr, 0});
    self.time = machine_.advance();
}

void Synchronisation::initialise(void* barrier, unsigned arrivals, const void* code) {
    if (!machine_.shared().contains(barrier) || reinterpret_cast<std::uintptr_t>(barrier) % 8 != 0)
        fail("an mbarrier must lie in shared memory, on 8 bytes", "", code);
    machine_.shared().write(machine_, barrier, 8, code);
    const auto number = static_cast<unsigned>(phase_barriers_.size());
    if (arrivals == 0 || number >= agent_limit)
        fail("an mbarrier needs an arrival, and a cluster has no more than 256 of them", "", code);
    PhaseState& state = phase_barriers_[barrier];
    state = {};
    state.number = number;
    state.expected = state.pending = arrivals;
    state.initialiser = &machine_.thread();
    machine_.reset(state.gathered);
    machine_.reset(state.completed);
}

void Synchronisation::publish() {
    for (auto& [address, state] : phase_barriers_) {
        if (state.initialiser == &machine_.thread()) state.published = true;
    }
}

PhaseState& Synchronisation::find(void* barrier, const void* code) {
    const auto found = phase_barriers_.find(barrier);
    if (found == phase_barriers_.end()) fail("an mbarrier that is not initialised", "", code);
    machine_.shared().read(machine_, barrier, 8, code);
    if (!machine_.shared().is_own(machine_, barrier) && !found->second.published)
        fail("another block's mbarrier is used, but was not published", "", code);
    return found->second;
}

void Synchronisation::complete_if_due(PhaseState& state) {
    if (state.pending != 0 || state.bytes != 0) return;
    ++state.phase;
    state.pending = state.expected;
    std::swap(state.completed, state.gathered);
    machine_.reset(state.gathered);
    release(state.waiting, &state.completed);
}

void Synchronisation::arrive(void* barrier, std::int64_t bytes, const void* code) {
    PhaseState& state = find(barrier, code);
    Thread& self = machine_.thread();
    if (state.pending == 0)
        fail("more arrivals at an mbarrier than it expects",
             "initialised for " + std::to_string(state.expected) + ", phase " + std::to_string(state.phase),
             code);
    state.gathered.learn(self.known);
    state.gathered.learn(self.id, self.time);
    self.time = machine_.advance();
    --state.pending;
    state.bytes += bytes;
    complete_if_due(state);
}

void Synchronisation::land(PhaseState& state, Time time, std::int64_t bytes, unsigned arrivals) {
    state.gathered.learn(state.agent(), time);
    state.bytes -= bytes;
    state.pending -= arrivals;
    complete_if_due(state);
}

bool Synchronisation::try_wait(void* barrier, unsigned parity, CallPlace place, const void* code) {
    PhaseState& state = find(barrier, code);
    Thread& self = machine_.thread();
    const bool complete = state.phase % 2 != (parity & 1);
    if (complete && machine_.random().below(8) == 0) {  // the hardware may say no at any time
        machine_.yield();
        return false;
    }
    if (complete) {
        self.known.learn(state.completed);
    } else {
        state.waiting.push_back(&self);
        machine_.wait("an mbarrier, number", state.number, place);
    }
    return true;
}

}  // namespace sgemm_shim::simt
