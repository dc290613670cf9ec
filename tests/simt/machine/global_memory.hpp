// The software GPU's global memory: one reserved range of addresses, with a record for every 4-byte word.
//
// AddressSanitizer's shadow knows only the first bytes of each 8, so it cannot guard a float before a buffer
// that begins 4 bytes off, or a gap that ends there. The records here are exact to the word, and they tell a
// kernel's access from any other: host memory is not reachable for kernels, nor this memory for host code
// that is compiled with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "machine/clock.hpp"

namespace sgemm_shim::simt {

inline constexpr unsigned device_limit = 8;

/// One word. `time` and `writer` say who wrote it last; anything older than the current launch is as good as
/// never.
struct GlobalWord {
    Time time;
    std::uint16_t rank : 8;
    std::uint16_t device : 8;  ///< whose memory it is; kernels of others cannot reach it
    std::uint16_t index : 12;
    std::uint16_t accessible : 1;
    std::uint16_t poisoned : 1;  ///< inside an allocation, but nobody's business
    std::uint16_t host : 1;      ///< pinned or managed memory, which host code may use as well
};
static_assert(sizeof(GlobalWord) == 8 && cluster_limit <= 256 && device_limit <= 256);

class GlobalMemory {
  public:
    static GlobalMemory& instance();

    /// `bytes` (a multiple of 4), `misalignment` bytes past a multiple of 256. Far from everything else;
    /// addresses are used again as late as possible. Throws std::bad_alloc.
    void* allocate(std::size_t bytes, std::size_t misalignment, bool host = false, unsigned device = 0);
    void free(void* address);
    void set_poison(const void* address, std::size_t bytes, bool poisoned);

    bool contains(const void* address) const { return offset(address) < size_; }
    GlobalWord* word(const void* address) { return words_ + offset(address) / 4; }
    const GlobalWord* word(const void* address) const { return words_ + offset(address) / 4; }
    /// Whether such an address is the beginning of an allocation.
    bool is_allocation(const void* address) const { return live_.contains(offset(address)); }
    std::size_t bytes_in_use() const { return bytes_in_use_; }
    /// "4 bytes past the end of the allocation of 400 bytes at 0x...".
    std::string describe(const void* address) const;

  private:
    GlobalMemory();
    std::size_t offset(const void* address) const {
        return static_cast<std::size_t>(static_cast<const char*>(address) - base_);
    }
    std::size_t find_room(std::size_t bytes) const;
    std::size_t search(std::size_t from, std::size_t to, std::size_t bytes) const;

    char* base_ = nullptr;
    GlobalWord* words_ = nullptr;
    std::size_t size_ = 0;
    std::size_t next_ = 0;                         ///< where the search for room goes on
    std::map<std::size_t, std::size_t> reserved_;  ///< guarded ranges: begin, end
    struct Allocation {
        std::size_t bytes;
        std::size_t reservation;
    };
    std::map<std::size_t, Allocation> live_;  ///< by offset
    std::size_t bytes_in_use_ = 0;
};

}  // namespace sgemm_shim::simt
