// Memory in which the blocks of a launch meet (Partition::shares_tiles): one slab for each CUDA context,
// taken once and bounded, and a slot of it for each stream.
#pragma once

#include <driver_types.h>

#include <array>
#include <atomic>

#include "partition.hpp"

namespace sgemm_shim {

/// The slab of one CUDA context, which must be current in every call. Any thread may call.
class StreamWorkspaces {
  public:
    /// Takes the slab, unless it has been taken before. Without enough free memory there is none: the calls
    /// go on without. Not for the path of a call, nor for a thread whose capture mode forbids allocations.
    void take(int multiprocessors);

    /// The stream's slot. Empty without a slab, and for a stream that comes when all slots are another's. Not
    /// for one that is being captured: a replay may run beside other work.
    Workspace of(cudaStream_t stream);

  private:
    /// Streams by their ids, which are never used again, unlike addresses: the work of a stream that has been
    /// destroyed goes on.
    static constexpr std::size_t slot_count = 4;
    static constexpr unsigned long long nobody = ~0ULL;
    struct Slot {
        std::atomic<unsigned long long> stream{nobody};
    };

    std::array<Slot, slot_count> slots_;
    std::atomic<float*> slab_{nullptr};  ///< set last
    std::size_t sums_of_slot_ = 0;
    std::size_t counters_of_slot_ = 0;
};

}  // namespace sgemm_shim
