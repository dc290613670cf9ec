// The state of a launch: the blocks that run at the moment, their threads, and who waits for what.
//
// One cluster of blocks (mostly one block) runs at a time, in the calling thread. A CUDA thread runs until it
// waits or ends; which one goes on is drawn at random from a seed, so that code which leans on some order
// fails. Blocks come in a random order too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "machine/clock.hpp"
#include "machine/copies.hpp"
#include "machine/fiber.hpp"
#include "machine/finding.hpp"
#include "machine/launch.hpp"
#include "machine/shared_memory.hpp"
#include "machine/synchronisation.hpp"

namespace sgemm_shim::simt {

/// splitmix64: small, and the same everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// Below `limit`.
    std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>(((next() >> 32) * limit) >> 32);
    }

  private:
    std::uint64_t state_;
};

struct Thread {
    enum class State : std::uint8_t { ready, waiting, finished };

    Fiber* fiber = nullptr;
    ThreadId id;
    State state = State::ready;
    Time time = 0;
    VectorClock known;
    unsigned copy_group = 0;          ///< of copies not yet committed
    std::uint64_t cluster_phase = 0;  ///< of its last arrive_cluster()
    // While it waits:
    const char* waiting_for = "";
    unsigned waiting_number = 0;
    CallPlace place{};
};

class Machine;

struct AddressRange {
    const char* begin = nullptr;
    const char* end = nullptr;

    bool contains(const char* address, std::size_t bytes) const {
        return address >= begin && address + bytes <= end;
    }
};

struct Block {
    unsigned index = 0;  ///< in the grid
    std::vector<Thread*> at_barrier;
    unsigned finished = 0;  ///< threads
};

/// Which machine is running a thread in the calling OS thread, and where that thread's private memory lies:
/// what every access asks first.
struct Running {
    Machine* machine = nullptr;
    const char* private_memory = nullptr;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Running running_now;

class Machine {
  public:
    /// The one whose thread is running, in the calling OS thread.
    static Machine* running() { return running_now.machine; }
    /// Made at the first use, never destroyed.
    static Machine& instance();

    /// Runs the whole grid, which FunctionLimits::check() has let pass, in the calling thread. What the
    /// kernel does wrong becomes a finding.
    void run(const LaunchRequest& request);
    /// SGEMM_SIMT_SEED; with one seed, launches of the same shape run in the same order.
    std::uint64_t seed() const { return seed_; }

    Thread& thread() { return *current_; }
    const Thread& thread() const { return *current_; }
    Block& block() { return blocks_[current_->id.rank]; }
    Block& block(unsigned rank) { return blocks_[rank]; }
    const LaunchRequest& request() const { return *request_; }
    /// Where the launch's kernel may read constants.
    const AddressRange& constants() const { return constants_; }
    SharedMemory& shared() { return shared_; }
    Synchronisation& synchronisation() { return synchronisation_; }
    CopyEngine& copies() { return copies_; }
    Random& random() { return random_; }
    /// A clock that knows nothing of this cluster yet.
    void reset(VectorClock& clock) const { clock.reset(cluster_start_, request_->block, request_->cluster); }
    bool has_ended(unsigned rank) const { return blocks_[rank].finished == request_->block; }
    Time launch_start() const { return launch_start_; }
    Time cluster_start() const { return cluster_start_; }
    Time now() const { return time_; }
    Time advance() { return ++time_; }
    std::vector<Thread>& threads() { return threads_; }
    const FiberPool& fibers() const { return fibers_; }

    /// Ends the launch with a finding; called from a thread of it, which never goes on.
    [[noreturn]] void fail(Finding finding);
    /// The event of the current thread, for findings.
    Event event(std::string action, const void* code) const;
    Event event_of(ThreadId thread, std::string action, const void* code) const;

    /// Takes the current thread off the processor until somebody calls make_ready().
    void wait(const char* what, unsigned number, CallPlace place);
    void make_ready(Thread& thread);
    /// Lets others go on.
    void yield();

    void synchronize_block(CallPlace place);

  private:
    void run_cluster(unsigned first_block);
    void start_threads(unsigned first_block);
    void release_block_barrier(Block& block);
    void report(Finding finding);
    Finding stuck() const;
    static void run_thread(void* thread);

    Machine();

    std::uint64_t seed_;
    Random random_{1};
    Time time_ = 0;  ///< the counter of clock.hpp
    Time launch_start_ = 0;
    Time cluster_start_ = 0;
    const LaunchRequest* request_ = nullptr;
    AddressRange constants_;
    bool failed_ = false;
    Finding failure_;

    FiberPool fibers_;
    SharedMemory shared_;
    Synchronisation synchronisation_{*this};
    CopyEngine copies_{*this};
    std::vector<Thread> threads_;  ///< of the cluster, block by block
    std::vector<Block> blocks_;
    std::vector<Thread*> ready_;
    std::size_t unfinished_ = 0;
    Thread* current_ = nullptr;
};

}  // namespace sgemm_shim::simt

namespace sgemm_shim::simt {

inline bool SharedMemory::read_own_word(const Thread& thread, Time cluster_start, const void* address,
                                        const void* code) {
    const std::size_t place = own_word(address);
    if (place == words_per_block) return false;
    // Nothing that another thread may do since makes a second read wrong: it would be wrong itself.
    if (own_row_[place] == thread.time) return true;
    SharedWord& word = own_words_[place];
    if (word.written <= cluster_start || word.pending != 0) return false;
    if (word.writer != thread.id && !thread.known.knows(word.writer, word.written)) return false;
    word.latest_read = std::max(word.latest_read, thread.time);
    word.read_code = code;
    own_row_[place] = thread.time;
    return true;
}

inline bool SharedMemory::write_own_word(const Thread& thread, Time cluster_start, const void* address,
                                         const void* code) {
    const std::size_t place = own_word(address);
    if (place == words_per_block || cluster_size_ != 1) return false;
    SharedWord& word = own_words_[place];
    const Time known_to_all = thread.known.block_time(0);
    if (word.latest_read > known_to_all) return false;
    if (word.written > cluster_start) {
        if (word.pending != 0) return false;
        if (word.writer != thread.id && !thread.known.knows(word.writer, word.written)) return false;
    }
    word.written = thread.time;
    word.writer = thread.id;
    word.pending = 0;
    word.write_code = code;
    return true;
}

}  // namespace sgemm_shim::simt
