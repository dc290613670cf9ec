#include "timing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cuda_resources.hpp"

namespace sgemm_bench {
namespace {

/// Events resolve about half a microsecond, and a graph's start costs a few: a replay should be long against
/// both.
constexpr double least_replay_us = 1000;
/// While one replay runs, the host prepares the next: a replay up to this long goes ahead of every timed
/// round, so that the GPU never waits for the first launch.
constexpr double longest_lead_us = 3000;
constexpr std::int64_t most_launches = 256;
constexpr std::int64_t most_replays = 200;
/// A side may use this many times its minimum time before it loses rounds.
constexpr double patience = 8;
constexpr int least_rounds = 3;

class Timer {
  public:
    explicit Timer(cudaStream_t stream) : stream_(stream), start_(make_event()), stop_(make_event()) {}

    /// GPU time in microseconds of what `enqueue` puts on the stream.
    double measure(const std::function<void()>& enqueue, const std::function<void()>& while_busy = {}) {
        check(cudaEventRecord(start_.get(), stream_), "cudaEventRecord");
        enqueue();
        check(cudaEventRecord(stop_.get(), stream_), "cudaEventRecord");
        if (while_busy) while_busy();
        check(cudaEventSynchronize(stop_.get()), "cudaEventSynchronize");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "cudaEventElapsedTime");
        return 1000.0 * milliseconds;
    }

  private:
    cudaStream_t stream_;
    Event start_, stop_;
};

std::size_t count_allocation_nodes(cudaGraph_t graph) {
    std::size_t count = 0;
    check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
    return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [](cudaGraphNode_t node) {
        cudaGraphNodeType type{};
        check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
        return type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
    }));
}

/// What `enqueue` does, as a graph. Ends the capture also when it throws.
Graph capture(cudaStream_t stream, const std::function<void()>& enqueue) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    cudaGraph_t graph = nullptr;
    try {
        enqueue();
    } catch (...) {
        if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr) cudaGraphDestroy(graph);
        throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    return Graph(graph);
}

/// One side's calls, ready to be replayed.
class Replay {
  public:
    Replay(cudaStream_t stream, Timer& timer, const Enqueue& enqueue, const TimingOptions& options)
        : stream_(stream), timer_(timer) {
        // The first call touches what the last case left cold; the second is an estimate. Host time is in it
        // where the call is short, so it errs to fewer launches, which the replays make up for.
        enqueue(0);
        const double estimate_us = timer.measure([&] { enqueue(0); });
        const auto wanted =
            static_cast<std::int64_t>(std::ceil(least_replay_us / std::max(estimate_us, 0.1)));
        const std::int64_t launches = std::clamp<std::int64_t>(wanted, 1, most_launches);
        // Whole turns, so that the rotation goes on from one replay to the next.
        const std::int64_t turns = (launches + options.rotations - 1) / options.rotations;
        timing_.launches_per_graph = turns * options.rotations;

        const auto enqueue_all = [&] {
            for (std::int64_t i = 0; i < timing_.launches_per_graph; ++i) enqueue(i % options.rotations);
        };
        if (options.confirm_by_events) timing_.event_us = per_call(timer.measure(enqueue_all), 1);

        const Graph graph = capture(stream, enqueue_all);
        timing_.allocation_nodes = count_allocation_nodes(graph.get());
        cudaGraphExec_t executable = nullptr;
        check(cudaGraphInstantiate(&executable, graph.get(), 0), "cudaGraphInstantiate");
        executable_.reset(executable);
        check(cudaGraphUpload(executable, stream), "cudaGraphUpload");

        replay_us_ = timer.measure([&] { launch(1); });
        const double round_us = 1000 * options.min_time_ms / options.rounds;
        timing_.replays_per_round =
            std::clamp<std::int64_t>(std::llround(round_us / replay_us_), 1, most_replays);
    }

    double call_us() const { return per_call(replay_us_, 1); }
    double round_us() const { return replay_us_ * static_cast<double>(timing_.replays_per_round); }

    /// Lets the replay that the constructor timed be the only round.
    void settle_for_first_replay() { timing_.us.push_back(call_us()); }

    void time_round(const std::function<void()>& while_busy) {
        if (replay_us_ < longest_lead_us) launch(1);
        const double us = timer_.measure([&] { launch(timing_.replays_per_round); }, while_busy);
        timing_.us.push_back(per_call(us, timing_.replays_per_round));
    }

    const SideTiming& timing() const { return timing_; }

  private:
    void launch(std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            check(cudaGraphLaunch(executable_.get(), stream_), "cudaGraphLaunch");
    }
    double per_call(double us, std::int64_t replays) const {
        return us / static_cast<double>(replays * timing_.launches_per_graph);
    }

    cudaStream_t stream_;
    Timer& timer_;
    GraphExecutable executable_;
    double replay_us_ = 0;
    SideTiming timing_;
};

int affordable_rounds(double round_us, const TimingOptions& options) {
    const double affordable = patience * 1000 * options.min_time_ms / round_us;
    return std::clamp(static_cast<int>(std::min(affordable, 1e6)), std::min(least_rounds, options.rounds),
                      options.rounds);
}

}  // namespace

PairTiming time_pair(cudaStream_t stream, const Enqueue& ours, const Enqueue& cublas,
                     const TimingOptions& options) {
    Timer timer(stream);
    Replay our_replay(stream, timer, ours, options);
    Replay cublas_replay(stream, timer, cublas, options);

    const int rounds = affordable_rounds(std::max(our_replay.round_us(), cublas_replay.round_us()), options);
    for (int round = 0; round < rounds; ++round) {
        // Each side goes first every other time.
        Replay& first = round % 2 == 0 ? our_replay : cublas_replay;
        Replay& second = round % 2 == 0 ? cublas_replay : our_replay;
        first.time_round(round == 0 ? options.while_busy : std::function<void()>{});
        second.time_round({});
    }
    return {our_replay.timing(), cublas_replay.timing()};
}

SideTiming time_alone(cudaStream_t stream, const Enqueue& enqueue, const TimingOptions& options) {
    Timer timer(stream);
    Replay replay(stream, timer, enqueue, options);
    if (options.give_up_us > 0 && replay.call_us() > options.give_up_us) {
        replay.settle_for_first_replay();
        return replay.timing();
    }
    const int rounds = affordable_rounds(replay.round_us(), options);
    for (int round = 0; round < rounds; ++round)
        replay.time_round(round == 0 ? options.while_busy : std::function<void()>{});
    return replay.timing();
}

}  // namespace sgemm_bench
