// Remembers what plan() chose: programs make the same few calls again and again, and the cost model takes
// longer than all else that a call passes through.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "plan.hpp"

namespace sgemm_shim {

/// Answers as plan() does, from a table of the latest kinds of call where it can. Any thread may ask; nobody
/// waits for another.
class PlanMemory {
  public:
    /// `device` must stay as it is for as long as the memory is used, and at its address. The caller has
    /// asked plan_without_device() about the call.
    Plan plan(const GemmCall& call, const DeviceFigures& device, const Policy& policy);

  private:
    /// All that plan() looks at in a call which passed plan_without_device() and is the cost model's to
    /// serve.
    static constexpr std::size_t key_words = 9;
    using Key = std::array<std::uint64_t, key_words>;
    static Key key_of(const GemmCall& call, const DeviceFigures& device);

    /// Readers take what they have read only if `version` was even and the same before and after.
    struct Entry {
        std::atomic<std::uint32_t> version{0};
        std::array<std::atomic<std::uint64_t>, key_words> key{};
        std::atomic<std::uint64_t> blocks{0}, parts{0};  ///< a Plan, packed
    };
    static bool find(const Entry& entry, const Key& key, Plan& plan);
    static void store(Entry& entry, const Key& key, const Plan& plan);

    static constexpr std::size_t entry_count = 256;
    std::array<Entry, entry_count> entries_;
};

}  // namespace sgemm_shim
