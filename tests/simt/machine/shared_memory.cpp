#include "machine/shared_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "machine/machine.hpp"

namespace sgemm_shim::simt {
namespace {

void* reserve(std::size_t bytes) {
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
}

std::string bytes_text(const char* action, std::size_t bytes) {
    return std::string(action) + " of " + std::to_string(bytes) + " bytes";
}

}  // namespace

SharedMemory::SharedMemory()
    : base_(static_cast<char*>(reserve(cluster_limit * block_stride))),
      words_(static_cast<SharedWord*>(reserve(cluster_limit * words_per_block * sizeof(SharedWord)))) {}

void SharedMemory::start_cluster(unsigned cluster_size, unsigned block_size, std::size_t dynamic_bytes) {
    cluster_size_ = cluster_size;
    block_size_ = block_size;
    dynamic_bytes_ = dynamic_bytes;
    dynamic_is_used_ = false;
    layout(0);
}

void SharedMemory::layout(std::size_t static_bytes) {
    static_bytes_ = static_bytes;
    block_bytes_ = (static_bytes + 15) / 16 * 16 + dynamic_bytes_;
    if (dynamic_bytes_ == 0) block_bytes_ = static_bytes;
    block_words_ = (block_bytes_ + 3) / 4;
    row_words_ = block_words_ * cluster_size_;
    for (unsigned rank = 0; rank < cluster_size_; ++rank)
        std::memset(base_ + rank * block_stride, 0xff, block_bytes_);
    const std::size_t wanted = row_words_ * block_size_ * cluster_size_;
    if (wanted > rows_capacity_) {
        if (rows_ != nullptr) munmap(rows_, rows_capacity_ * sizeof(Time));
        rows_ = static_cast<Time*>(reserve(wanted * sizeof(Time)));
        rows_capacity_ = wanted;
    }
}

void* SharedMemory::static_part(ThreadId thread, std::size_t bytes, std::size_t alignment) {
    if (bytes > static_limit || bytes + dynamic_bytes_ > block_limit || alignment > 1024) return nullptr;
    if (static_bytes_ == 0) {
        if (dynamic_is_used_) return nullptr;
        layout(bytes);
        select(thread);
    }
    return static_bytes_ == bytes ? base_ + thread.rank * block_stride : nullptr;
}

void* SharedMemory::dynamic_part(unsigned rank) {
    dynamic_is_used_ = true;
    return base_ + rank * block_stride + (static_bytes_ + 15) / 16 * 16;
}

void SharedMemory::fail(Machine& machine, const char* problem, std::size_t place, const char* action,
                        const void* code, const SharedWord* other, ThreadId other_thread) const {
    Finding finding;
    finding.problem = problem;
    const auto rank = static_cast<unsigned>(place / words_per_block);
    finding.object = "offset " + std::to_string(place % words_per_block * 4) + " of the " +
                     std::to_string(block_bytes_) + " bytes of shared memory of block " +
                     std::to_string(machine.block(rank).index);
    finding.event = machine.event(action, code);
    if (other != nullptr) {
        const bool was_write = other->written != 0;
        finding.earlier = machine.event_of(other_thread, was_write ? "write" : "read",
                                           was_write ? other->write_code : other->read_code);
    }
    machine.fail(std::move(finding));
}

std::size_t SharedMemory::check_range(Machine& machine, const void* address, std::size_t bytes,
                                      const char* action, const void* code) const {
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
    const std::size_t rank = offset / block_stride;
    const unsigned own = machine.thread().id.rank;
    if (rank < cluster_size_ && offset % block_stride + bytes <= block_bytes_) {
        if (rank == own) return offset / 4;
        const auto other = static_cast<unsigned>(rank);
        if (machine.has_ended(other))
            fail(machine, "shared memory of a block that has ended", offset / 4, action, code, nullptr, {});
        if (!machine.thread().known.has_heard_of(other, machine.cluster_start()))
            fail(machine, "shared memory of a block that may not have started", offset / 4, action, code,
                 nullptr, {});
        return offset / 4;
    }
    Finding finding;
    finding.problem = "access outside shared memory";
    finding.object = "offset " +
                     std::to_string(static_cast<std::ptrdiff_t>(offset) -
                                    static_cast<std::ptrdiff_t>(own * block_stride)) +
                     " of the block's " + std::to_string(block_bytes_) + " bytes of shared memory";
    finding.event = machine.event(bytes_text(action, bytes), code);
    machine.fail(std::move(finding));
}

void SharedMemory::read(Machine& machine, const void* address, std::size_t bytes, const void* code) {
    const Thread& thread = machine.thread();
    const std::size_t first = check_range(machine, address, bytes, "read", code);
    const std::size_t count = (reinterpret_cast<std::uintptr_t>(address) % 4 + bytes + 3) / 4;
    Time* const last_reads = row(thread.id) + row_place(first);
    const Time start = machine.cluster_start();
    for (std::size_t i = 0; i < count; ++i) {
        SharedWord& word = words_[first + i];
        if (word.written <= start)
            fail(machine, "shared memory read before it is written", first + i, "read", code, nullptr, {});
        if (word.pending != 0)
            fail(machine, "shared memory read before the asynchronous copy into it is waited for", first + i,
                 "read", code, &word, word.writer);
        if (word.writer != thread.id && !thread.known.knows(word.writer, word.written))
            fail(machine, "race on shared memory: read and write are not ordered", first + i, "read", code,
                 &word, word.writer);
        word.latest_read = std::max(word.latest_read, thread.time);
        word.read_code = code;
        last_reads[i] = thread.time;
    }
}

void SharedMemory::check_write(Machine& machine, std::size_t place, const void* code) {
    const Thread& thread = machine.thread();
    const Time start = machine.cluster_start();
    const SharedWord& word = words_[place];
    if (word.written > start) {
        if (word.pending != 0)
            fail(machine, "shared memory written before the asynchronous copy into it is waited for", place,
                 "write", code, &word, word.writer);
        if (word.writer != thread.id && !thread.known.knows(word.writer, word.written))
            fail(machine, "race on shared memory: two writes are not ordered", place, "write", code, &word,
                 word.writer);
    }
    Time known_to_all = thread.known.block_time(0);
    for (unsigned rank = 1; rank < cluster_size_; ++rank)
        known_to_all = std::min(known_to_all, thread.known.block_time(rank));
    if (word.latest_read <= std::max(start, known_to_all)) return;

    for (const Thread& other : machine.threads()) {
        const Time last = row(other.id)[row_place(place)];
        if (last <= start || other.id == thread.id || thread.known.knows(other.id, last)) continue;
        SharedWord earlier = word;
        earlier.written = 0;
        fail(machine, "race on shared memory: write and read are not ordered", place, "write", code, &earlier,
             other.id);
    }
}

void SharedMemory::write(Machine& machine, const void* address, std::size_t bytes, const void* code) {
    const Thread& thread = machine.thread();
    const std::size_t first = check_range(machine, address, bytes, "write", code);
    const std::size_t count = (reinterpret_cast<std::uintptr_t>(address) % 4 + bytes + 3) / 4;
    for (std::size_t i = 0; i < count; ++i) {
        check_write(machine, first + i, code);
        SharedWord& word = words_[first + i];
        word.written = thread.time;
        word.writer = thread.id;
        word.pending = 0;
        word.write_code = code;
    }
}

bool SharedMemory::is_own(const Machine& machine, const void* address) const {
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
    return offset / block_stride == machine.thread().id.rank;
}

void* SharedMemory::in_block(const void* address, unsigned rank) const {
    if (!contains(address) || rank >= cluster_size_) return nullptr;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
    return base_ + rank * block_stride + offset % block_stride;
}

void SharedMemory::begin_copy(Machine& machine, void* address, std::size_t bytes, std::uint32_t number,
                              const void* code) {
    write(machine, address, bytes, code);
    const auto first = static_cast<std::size_t>(static_cast<char*>(address) - base_) / 4;
    for (std::size_t i = first; i < first + bytes / 4; ++i) words_[i].pending = number;
    std::memset(address, 0xff, bytes);
}

void SharedMemory::finish_copy(const void* address, std::size_t bytes, std::uint32_t number, ThreadId writer,
                               Time time) {
    const auto first = static_cast<std::size_t>(static_cast<const char*>(address) - base_) / 4;
    for (std::size_t i = first; i < first + bytes / 4; ++i) {
        SharedWord& word = words_[i];
        if (word.pending != number) continue;
        word.pending = 0;
        word.written = time;
        word.writer = writer;
    }
}

}  // namespace sgemm_shim::simt
