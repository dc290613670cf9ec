// Happens-before on one cluster of blocks.
//
// Every event draws its time from one counter that only grows, over blocks and launches alike, so what was
// recorded earlier never has to be cleared: it is simply old. An access is recorded as (thread, time of that
// thread). It happened before an access of thread t if t knows of it: vector clocks, as in FastTrack
// (Flanagan and Freund, PLDI 2009). Since nearly all synchronisation is block-wide, a clock has one entry for
// each block of the cluster ("everything that this block's threads did until then"), and one for each thread
// only when something less than a block has synchronised.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sgemm_shim::simt {

using Time = std::uint32_t;

inline constexpr unsigned cluster_limit = 16;  ///< blocks: what an H100 can

/// A thread of the cluster: block rank and index in the block. The copy engine acts as one more "thread" for
/// each mbarrier, with indices from first_agent on: what it wrote is known to those who waited on that
/// barrier, and to those who learned of it from them.
inline constexpr unsigned first_agent = 1024;
inline constexpr unsigned agent_limit = 256;
struct ThreadId {
    std::uint16_t rank = 0;
    std::uint16_t index = 0;
    bool operator==(const ThreadId&) const = default;
};

/// What is known of a cluster that ran before: everything from `begin` (exclusive) to `end`, by all of its
/// threads or by one, and what each thread did until a time of its own.
struct Past {
    Time begin = 0;
    Time end = 0;
    bool all = true;
    ThreadId thread;
    std::shared_ptr<const std::vector<Time>> thread_times;  ///< block after block; nullptr: nothing
    unsigned block_size = 0;

    bool covers(ThreadId writer, Time time) const {
        if (time <= begin) return false;
        if (time <= end && (all || writer == thread)) return true;
        const std::size_t place = std::size_t{writer.rank} * block_size + writer.index;
        return thread_times != nullptr && place < thread_times->size() && time <= (*thread_times)[place];
    }
    bool operator==(const Past&) const = default;
};

/// What a thread, or a synchronisation object, knows of.
class VectorClock {
  public:
    void reset(Time cluster_start, unsigned block_size, unsigned cluster_size) {
        blocks_.fill(cluster_start);
        block_size_ = block_size;
        thread_count_ = block_size * cluster_size;
        has_threads_ = false;
        agents_.clear();
        past_.clear();
    }

    bool knows_past(ThreadId writer, Time time) const {
        return std::ranges::any_of(past_, [&](const Past& past) { return past.covers(writer, time); });
    }
    const std::vector<Past>& past() const { return past_; }
    /// What it knows of this cluster, for one that comes later: whole blocks until `block_end`, and threads.
    Past as_past(Time cluster_start, Time block_end) const {
        Past past{cluster_start, block_end, true, {}, nullptr, block_size_};
        if (has_threads_) past.thread_times = std::make_shared<const std::vector<Time>>(threads_);
        return past;
    }
    void learn(const Past& past) {
        if (std::ranges::find(past_, past) == past_.end()) past_.push_back(past);
    }

    bool knows(ThreadId thread, Time time) const {
        if (thread.index >= first_agent) {
            const std::size_t agent = thread.index - first_agent;
            return agent < agents_.size() && time <= agents_[agent];
        }
        if (time <= blocks_[thread.rank]) return true;
        return has_threads_ && time <= threads_[place(thread)];
    }
    Time block_time(unsigned rank) const { return blocks_[rank]; }

    void learn(ThreadId thread, Time time) {
        if (knows(thread, time)) return;
        if (thread.index >= first_agent) {
            const std::size_t agent = thread.index - first_agent;
            agents_.resize(std::max(agents_.size(), agent + 1), 0);
            agents_[agent] = time;
            return;
        }
        make_threads();
        threads_[place(thread)] = time;
    }
    void learn_block(unsigned rank, Time time) { blocks_[rank] = std::max(blocks_[rank], time); }
    void learn(const VectorClock& other) {
        for (unsigned i = 0; i < cluster_limit; ++i) blocks_[i] = std::max(blocks_[i], other.blocks_[i]);
        for (const Past& past : other.past_) learn(past);
        agents_.resize(std::max(agents_.size(), other.agents_.size()), 0);
        for (std::size_t i = 0; i < other.agents_.size(); ++i)
            agents_[i] = std::max(agents_[i], other.agents_[i]);
        if (!other.has_threads_) return;
        make_threads();
        for (std::size_t i = 0; i < threads_.size(); ++i)
            threads_[i] = std::max(threads_[i], other.threads_[i]);
    }
    /// After a barrier of the only block there is, single threads no longer matter.
    void forget_threads() {
        has_threads_ = false;
        threads_.clear();
    }
    /// Whether it knows anything but whole blocks.
    bool has_details() const { return has_threads_ || !agents_.empty() || !past_.empty(); }
    /// Whether it has heard of the block at all since the cluster started.
    bool has_heard_of(unsigned rank, Time cluster_start) const {
        if (blocks_[rank] > cluster_start) return true;
        if (!has_threads_) return false;
        const auto first = threads_.begin() + static_cast<std::ptrdiff_t>(rank * block_size_);
        return std::any_of(first, first + block_size_, [&](Time time) { return time > cluster_start; });
    }

  private:
    std::size_t place(ThreadId thread) const { return thread.rank * block_size_ + thread.index; }
    void make_threads() {
        if (!has_threads_) threads_.assign(thread_count_, 0);
        has_threads_ = true;
    }

    std::array<Time, cluster_limit> blocks_{};
    std::vector<Time> threads_;
    std::vector<Time> agents_;
    std::vector<Past> past_;
    unsigned block_size_ = 0;
    std::size_t thread_count_ = 0;
    bool has_threads_ = false;
};

}  // namespace sgemm_shim::simt
