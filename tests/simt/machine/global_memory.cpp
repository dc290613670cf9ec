#include "machine/global_memory.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <new>

namespace sgemm_shim::simt {
namespace {

constexpr std::size_t arena_bytes = std::size_t{32} << 30;
/// Small allocations go round in here, so that the pages in use stay few.
constexpr std::size_t small_bytes = std::size_t{192} << 20;
constexpr std::size_t small_limit = std::size_t{16} << 20;
/// Unused on both sides of every allocation: more than one row of a matrix in most tests.
constexpr std::size_t guard_bytes = 16384;
constexpr std::size_t granule = 256;

char* reserve(std::size_t bytes) {
    void* address =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) throw std::bad_alloc();
    return static_cast<char*>(address);
}

}  // namespace

GlobalMemory& GlobalMemory::instance() {
    static GlobalMemory* const memory = new GlobalMemory;
    return *memory;
}

GlobalMemory::GlobalMemory()
    : base_(reserve(arena_bytes)),
      words_(reinterpret_cast<GlobalWord*>(reserve(arena_bytes / 4 * sizeof(GlobalWord)))),
      size_(arena_bytes) {}

std::size_t GlobalMemory::search(std::size_t from, std::size_t to, std::size_t bytes) const {
    auto after = reserved_.upper_bound(from);
    if (after != reserved_.begin()) from = std::max(from, std::prev(after)->second);
    while (after != reserved_.end() && after->first < from + bytes) {
        from = after->second;
        ++after;
    }
    return from + bytes <= to ? from : size_;
}

std::size_t GlobalMemory::find_room(std::size_t bytes) const {
    if (bytes > small_limit) return search(small_bytes, size_, bytes);
    const std::size_t place = search(next_, small_bytes, bytes);
    return place != size_ ? place : search(0, small_bytes, bytes);
}

void* GlobalMemory::allocate(std::size_t bytes, std::size_t misalignment, bool host, unsigned device) {
    if (bytes > arena_bytes) throw std::bad_alloc();
    const std::size_t reserved = (2 * guard_bytes + misalignment + bytes + granule - 1) / granule * granule;
    const std::size_t begin = find_room(reserved);
    if (begin == size_) throw std::bad_alloc();
    if (bytes <= small_limit) next_ = begin + reserved;
    reserved_[begin] = begin + reserved;
    const std::size_t first = begin + guard_bytes + misalignment;
    live_[first] = {bytes, begin};
    for (std::size_t i = first / 4; i < (first + bytes) / 4; ++i)
        words_[i] = {.time = 0,
                     .rank = 0,
                     .device = static_cast<std::uint16_t>(device & 0xff),
                     .index = 0,
                     .accessible = 1,
                     .poisoned = 0,
                     .host = host};
    bytes_in_use_ += bytes;
    return base_ + first;
}

void GlobalMemory::free(void* address) {
    const auto found = live_.find(offset(address));
    if (found == live_.end()) throw std::bad_alloc();
    const auto [bytes, reservation] = found->second;
    GlobalWord* words = word(address);
    for (std::size_t i = 0; i < bytes / 4; ++i) words[i] = {};
    if (bytes > small_limit) {  // give the pages back; both tables start from zeros again
        const std::size_t end = reserved_[reservation] & ~std::size_t{4095};
        const std::size_t begin = (reservation + 4095) & ~std::size_t{4095};
        madvise(base_ + begin, end - begin, MADV_DONTNEED);
        madvise(words_ + begin / 4, (end - begin) / 4 * sizeof(GlobalWord), MADV_DONTNEED);
    }
    reserved_.erase(reservation);
    bytes_in_use_ -= bytes;
    live_.erase(found);
}

void GlobalMemory::set_poison(const void* address, std::size_t bytes, bool poisoned) {
    GlobalWord* words = word(address);
    for (std::size_t i = 0; i < bytes / 4; ++i) {
        words[i].accessible = !poisoned;
        words[i].poisoned = poisoned;
    }
}

std::string GlobalMemory::describe(const void* address) const {
    const std::size_t place = offset(address);
    const auto after = live_.upper_bound(place);
    char text[200] = "far from every allocation";
    if (after != live_.begin()) {
        const auto& [first, allocation] = *std::prev(after);
        const std::size_t distance = place - first;
        if (distance < allocation.bytes) {
            std::snprintf(text, sizeof(text),
                          "%zu bytes (element %zu) into the allocation of %zu bytes at %p%s", distance,
                          distance / 4, allocation.bytes, static_cast<void*>(base_ + first),
                          words_[place / 4].poisoned ? ", which is poisoned there (padding)" : "");
            return text;
        }
        if (after == live_.end() || distance - allocation.bytes < after->first - place) {
            std::snprintf(text, sizeof(text), "%zu bytes past the end of the allocation of %zu bytes at %p",
                          distance - allocation.bytes, allocation.bytes, static_cast<void*>(base_ + first));
            return text;
        }
    }
    if (after != live_.end()) {
        std::snprintf(text, sizeof(text), "%zu bytes before the allocation of %zu bytes at %p",
                      after->first - place, after->second.bytes, static_cast<void*>(base_ + after->first));
    }
    return text;
}

}  // namespace sgemm_shim::simt
