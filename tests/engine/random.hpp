// Numbers that look random and are the same everywhere for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sgemm_shim::testing {

/// splitmix64's finaliser: neighbouring inputs give unrelated outputs.
constexpr std::uint64_t hash(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(hash(seed)) {}

    std::uint64_t next() { return hash(state_++); }
    /// 0 .. limit - 1.
    std::int64_t below(std::int64_t limit) {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
    }
    template <class Values>
    auto pick(const Values& values) {
        const std::span all(values);
        return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
    }

  private:
    std::uint64_t state_;
};

}  // namespace sgemm_shim::testing
