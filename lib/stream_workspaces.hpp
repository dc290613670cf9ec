// Memory in which the blocks of a launch meet (Partition::shares_tiles, Partition::meeting_parts): one slab
// for each CUDA context, taken once and bounded, and slots of it for streams.
#pragma once

#include <driver_types.h>

#include <array>
#include <atomic>

#include "partition.hpp"
#include "plan.hpp"

namespace sgemm_shim {

/// The slab of one CUDA context, which must be current in every call. Any thread may call.
class StreamWorkspaces {
  public:
    /// Takes the slab, unless it has been taken before or no kernel that is ready on the device needs one.
    /// Without enough free memory there is none: the calls go on without. Not for the path of a call, nor for
    /// a thread whose capture mode forbids allocations, nor for two threads at the same time.
    void take(const DeviceFigures& device);

    /// The stream's slot for such a launch. Empty without a slab, and for a stream that comes when all slots
    /// are others'; slots are never given back. Not for a stream that is being captured: a graph may be
    /// replayed beside itself.
    Workspace of(cudaStream_t stream, const Partition& partition);

  private:
    /// Slots of one size. Their owners are streams by their ids, which are never used again, unlike
    /// addresses: the work of a stream that has been destroyed goes on.
    template <std::size_t count>
    struct Slots {
        std::array<std::atomic<unsigned long long>, count> owners{};  ///< ids + 1; 0: nobody yet
        float* sums = nullptr;
        unsigned* counters = nullptr;
        std::size_t sums_of_each = 0, counters_of_each = 0;

        std::size_t sum_count() const { return count * sums_of_each; }
        std::size_t counter_count() const { return count * counters_of_each; }
        Workspace of(unsigned long long stream);
    };

    Slots<4> shared_tiles_;
    Slots<64> meeting_parts_;            ///< far smaller ones
    std::atomic<bool> is_taken_{false};  ///< set last
};

}  // namespace sgemm_shim
