// How long calls take on the GPU, ours and cuBLAS's in turn.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sgemm_bench {

/// Enqueues one call on the operands' copy number `rotation`. Throws if it cannot.
using Enqueue = std::function<void(std::int64_t rotation)>;

struct TimingOptions {
    int rounds = 7;
    double min_time_ms = 40;           ///< GPU time of each side over all rounds
    std::int64_t rotations = 1;        ///< copies of the operands, taken in turn
    bool confirm_by_events = false;    ///< time plain launches too
    double give_up_us = 0;             ///< time_alone(): a slower call is timed by one replay; 0: no limit
    std::function<void()> while_busy;  ///< called once while the GPU works on a round
};

struct SideTiming {
    std::vector<double> us;  ///< one call, for each round
    double event_us = 0;     ///< one call by plain launches between events; 0: not measured
    std::int64_t launches_per_graph = 0;
    std::int64_t replays_per_round = 0;
    std::size_t allocation_nodes = 0;  ///< of the graph; a graph that allocates is timed with its allocations
};

struct PairTiming {
    SideTiming ours, cublas;
};

/// Replays CUDA graphs of many calls each, alternating, so that both sides meet the same clocks and
/// temperatures and no host time is in the result. Calls that take long get fewer rounds, never less than
/// three (or options.rounds).
///
/// Both sides must have run once on the stream before: nothing is loaded during capture.
PairTiming time_pair(cudaStream_t stream, const Enqueue& ours, const Enqueue& cublas,
                     const TimingOptions& options);

/// The same for one side by itself: for many candidates, of which only the fastest matter.
SideTiming time_alone(cudaStream_t stream, const Enqueue& enqueue, const TimingOptions& options);

}  // namespace sgemm_bench
