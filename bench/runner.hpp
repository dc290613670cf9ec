// Runs the kernels and cuBLAS on one shape after another.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "cuda_resources.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "provenance.hpp"
#include "report.hpp"
#include "timing.hpp"

namespace sgemm_bench {

class Runner {
  public:
    /// Takes the memory for the largest of the shapes that fit on the current device.
    Runner(const Options& options, const std::vector<Shape>& shapes, const GpuMonitor& monitor);

    int cublas_version() const;

    /// Keeps the GPU busy until its clocks have risen.
    void warm_up();

    /// Runs every contestant on the shape, with --every-choice in every way that it can be launched, warm
    /// and, if asked for, cold, and hands each result on. Stops before a measurement for which `may_go_on`
    /// says no. A call that fails becomes a result that says so; CudaError is thrown when the GPU cannot be
    /// used any more.
    void run(const Shape& shape, const std::vector<Contestant>& asked,
             const std::function<bool(const Contestant& contestant, bool cold)>& may_go_on,
             const std::function<void(const Result&)>& deliver);

  private:
    std::int64_t rotations(const Problem& problem, bool cold) const;
    enum class Output { c, reference };
    /// For the kernels whose blocks meet in one.
    sgemm_shim::Workspace workspace() const;
    void run_cublas(const Problem& problem, std::int64_t rotation, Output output);
    OperandAddresses addresses(const Problem& problem, std::int64_t rotation) const;
    /// What `contestant` does with the problem: how to enqueue it; its name and a note go into the result.
    Enqueue plan_ours(const Problem& problem, const Contestant& contestant, Result& result);
    /// Runs both once and compares.
    void check_result(const Problem& problem, const Enqueue& ours, Result& result);
    /// Both sides' times: in turn or, with --every-choice, ours alone beside cuBLAS's of the same shape.
    PairTiming time_both(const Problem& problem, const Enqueue& ours, Result& result);
    void time_result(const Problem& problem, const Enqueue& ours, Result& result);
    void measure(const Problem& problem, const Contestant& contestant, Result& result);

    const Options& options_;
    const GpuMonitor& monitor_;
    std::int64_t cold_bytes_ = 0;
    int multiprocessors_ = 0;
    std::size_t memory_bytes_ = 0;
    Stream stream_;
    DeviceMemory workspace_;  ///< cuBLAS's and our kernels': one stream, so one follows the other
    DeviceMemory counters_;
    CublasHandle cublas_;
    std::optional<Operands> operands_;
    std::vector<float> our_sample_, reference_sample_;

    /// What --every-choice remembers of a shape.
    struct Candidates {
        std::optional<SideTiming> cublas;
        double best_us = 0;  ///< 0: none yet
    };
    std::array<Candidates, 2> candidates_;  ///< warm, cold
};

}  // namespace sgemm_bench
