// Shared memory of the blocks that run, and the detectors of races and of reads before writes: for every
// 4-byte word the last write, and the last read of every thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/clock.hpp"

namespace sgemm_shim::simt {

struct Thread;
class Machine;

struct SharedWord {
    Time written = 0;
    ThreadId writer;
    Time latest_read = 0;       ///< by any thread
    std::uint32_t pending = 0;  ///< number of the asynchronous copy that has yet to write it, or 0
    const void* write_code = nullptr;
    const void* read_code = nullptr;
};

class SharedMemory {
  public:
    static constexpr std::size_t static_limit = 48 * 1024;
    static constexpr std::size_t block_limit = 227 * 1024;

    SharedMemory();

    /// Before the threads of a cluster start. Contents become NaN.
    void start_cluster(unsigned cluster_size, unsigned block_size, std::size_t dynamic_bytes);
    /// The static part of the block's memory; made by the first thread that asks. nullptr: does not fit.
    void* static_part(ThreadId thread, std::size_t bytes, std::size_t alignment);
    void* dynamic_part(unsigned rank);

    bool contains(const void* address) const {
        return static_cast<std::size_t>(static_cast<const char*>(address) - base_) <
               cluster_limit * block_stride;
    }
    /// Before a thread goes on: where its own block's memory and its own record of reads lie.
    void select(ThreadId thread) {
        own_low_ = base_ + thread.rank * block_stride;
        own_words_ = words_ + thread.rank * words_per_block;
        own_row_ = row(thread) + thread.rank * block_words_;
    }
    /// The usual case of read() and of write(), made quick: one word of the thread's own block that nothing
    /// is wrong with. False: ask read() or write().
    bool read_own_word(const Thread& thread, Time cluster_start, const void* address, const void* code);
    bool write_own_word(const Thread& thread, Time cluster_start, const void* address, const void* code);

    /// Whether the address lies in the block of the machine's current thread.
    bool is_own(const Machine& machine, const void* address) const;
    /// The same place in another block's memory, or nullptr.
    void* in_block(const void* address, unsigned rank) const;
    /// One access of the machine's current thread. Does not return if it is wrong.
    void read(Machine& machine, const void* address, std::size_t bytes, const void* code);
    void write(Machine& machine, const void* address, std::size_t bytes, const void* code);

    /// The current thread starts an asynchronous copy to here, which finishes as a write by `writer`.
    void begin_copy(Machine& machine, void* address, std::size_t bytes, std::uint32_t number,
                    const void* code);
    void finish_copy(const void* address, std::size_t bytes, std::uint32_t number, ThreadId writer,
                     Time time);

  private:
    static constexpr std::size_t block_stride = 256 * 1024;
    static constexpr std::size_t words_per_block = block_stride / 4;

    std::size_t check_range(Machine& machine, const void* address, std::size_t bytes, const char* action,
                            const void* code) const;
    void check_write(Machine& machine, std::size_t place, const void* code);
    [[noreturn]] void fail(Machine& machine, const char* problem, std::size_t place, const char* action,
                           const void* code, const SharedWord* other, ThreadId other_thread) const;
    void layout(std::size_t static_bytes);
    Time* row(ThreadId thread) { return rows_ + (thread.rank * block_size_ + thread.index) * row_words_; }
    /// Words of the blocks stand close together in the rows.
    std::size_t row_place(std::size_t place) const {
        return place / words_per_block * block_words_ + place % words_per_block;
    }

    std::size_t own_word(const void* address) const {
        const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - own_low_);
        return offset % 4 == 0 && offset + 4 <= block_bytes_ ? offset / 4 : words_per_block;
    }

    char* base_ = nullptr;
    const char* own_low_ = nullptr;
    SharedWord* own_words_ = nullptr;
    Time* own_row_ = nullptr;
    SharedWord* words_ = nullptr;
    Time* rows_ = nullptr;  ///< [thread of the cluster][word of the cluster]: last reads
    std::size_t rows_capacity_ = 0;
    std::size_t row_words_ = 0;
    std::size_t block_words_ = 0;
    std::size_t static_bytes_ = 0;
    std::size_t dynamic_bytes_ = 0;
    bool dynamic_is_used_ = false;
    std::size_t block_bytes_ = 0;
    unsigned cluster_size_ = 0;
    unsigned block_size_ = 0;
};

}  // namespace sgemm_shim::simt
