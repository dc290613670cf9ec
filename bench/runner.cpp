#include "runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "choices.hpp"
#include "device.hpp"
#include "text.hpp"

namespace sgemm_bench {
namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
/// More than the tiles that choices.cpp shares out on 240 multiprocessors.
constexpr std::size_t counter_count = 8192;
/// More would make a graph of launches too long to be worth its time; calls that small stay partly in the
/// cache.
constexpr std::int64_t most_rotations = 4096;
/// From here on plain launches confirm the graphs: their host time hides behind the work.
constexpr double event_flops = 2.0 * 1024 * 1024 * 1024;

/// With --every-choice: a candidate so many times slower than the best so far is not worth its time.
constexpr double hopeless = 3;

const float alpha = 1.0f;

class DoesNotFit : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

cublasOperation_t cublas_operation(char letter) {
    return letter == 'T' ? CUBLAS_OP_T : CUBLAS_OP_N;
}

Problem warm_up_problem() {
    return to_problem(square_shapes({1024}, {{'N', 'N'}}).front());
}

/// How far two correct FP32 results may lie apart. For products of numbers spread evenly over -1 to 1, the
/// sum of |A||B| is k / 4, and rounding errors of random sums come to less than 2^-24 of it each way; 32 of
/// them are out of reach of a correct kernel, and well within that of TF32 and of a lost product up to k =
/// 500000.
double tolerance(const Problem& problem) {
    return 32 * 0x1p-24 * (static_cast<double>(problem.k) / 4 + std::abs(problem.beta) + 1);
}

}  // namespace

Runner::Runner(const Options& options, const std::vector<Shape>& shapes, const GpuMonitor& monitor)
    : options_(options), monitor_(monitor) {
    int device = 0;
    int l2_bytes = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device),
          "cudaDeviceGetAttribute");
    cold_bytes_ = std::int64_t{3} * l2_bytes;

    stream_ = make_stream();
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "cublasCreate");
    cublas_.reset(handle);
    check(cublasSetStream(handle, stream_.get()), "cublasSetStream");
    // After cublasSetStream, which takes a workspace away again.
    workspace_ = allocate_device_memory(workspace_bytes);
    check(cublasSetWorkspace(handle, workspace_.get(), workspace_bytes), "cublasSetWorkspace");

    counters_ = allocate_device_memory(counter_count * sizeof(unsigned));
    check(cudaMemsetAsync(counters_.get(), 0, counter_count * sizeof(unsigned), stream_.get()),
          "cudaMemsetAsync");

    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    const std::size_t most_bytes = free_bytes - free_bytes / 16;
    memory_bytes_ = Operands::bytes_needed(warm_up_problem(), 1);
    for (const Shape& shape : shapes) {
        const Problem problem = to_problem(shape);
        const std::size_t needed = Operands::bytes_needed(problem, rotations(problem, options.cold));
        if (needed <= most_bytes) memory_bytes_ = std::max(memory_bytes_, needed);
    }
    operands_.emplace(stream_.get(), memory_bytes_);
}

sgemm_shim::Workspace Runner::workspace() const {
    return {workspace_.get(), reinterpret_cast<unsigned*>(counters_.get()), workspace_bytes / sizeof(float),
            counter_count};
}

int Runner::cublas_version() const {
    int version = 0;
    check(cublasGetVersion(cublas_.get(), &version), "cublasGetVersion");
    return version;
}

void Runner::warm_up() {
    const Problem problem = warm_up_problem();
    operands_->prepare(problem, 1);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < until) {
        for (int i = 0; i < 100; ++i) run_cublas(problem, 0, Output::c);
        check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    }
}

std::int64_t Runner::rotations(const Problem& problem, bool cold) const {
    return cold ? rotation_count(problem, cold_bytes_, most_rotations) : 1;
}

void Runner::run_cublas(const Problem& problem, std::int64_t rotation, Output output) {
    const auto size = [](std::int64_t value) { return static_cast<int>(value); };
    const bool into_c = output == Output::c;
    const auto call = [&](auto function, auto... arguments) {
        return function(cublas_.get(), cublas_operation(problem.operations.a),
                        cublas_operation(problem.operations.b), size(problem.m), size(problem.n),
                        size(problem.k), arguments...);
    };
    const int lda = size(problem.a.leading_dimension);
    const int ldb = size(problem.b.leading_dimension);
    const int ldc = size(problem.c.leading_dimension);
    const float* a = operands_->a(rotation);
    const float* b = operands_->b(rotation);
    float* c = into_c ? operands_->c(rotation) : operands_->reference();
    if (problem.pointer_arrays) {
        check(call(cublasSgemmBatched, &alpha, operands_->a_pointers(rotation), lda,
                   operands_->b_pointers(rotation), ldb, &problem.beta,
                   into_c ? operands_->c_pointers(rotation) : operands_->reference_pointers(), ldc,
                   size(problem.batch)),
              "cublasSgemmBatched");
    } else if (problem.batch == 1) {
        check(call(cublasSgemm, &alpha, a, lda, b, ldb, &problem.beta, c, ldc), "cublasSgemm");
    } else {
        check(call(cublasSgemmStridedBatched, &alpha, a, lda, problem.a.stride, b, ldb, problem.b.stride,
                   &problem.beta, c, ldc, problem.c.stride, size(problem.batch)),
              "cublasSgemmStridedBatched");
    }
}

OperandAddresses Runner::addresses(const Problem& problem, std::int64_t rotation) const {
    OperandAddresses addresses{operands_->a(rotation), operands_->b(rotation), operands_->c(rotation)};
    if (problem.pointer_arrays) {
        addresses.a_pointers = operands_->a_pointers(rotation);
        addresses.b_pointers = operands_->b_pointers(rotation);
        addresses.c_pointers = operands_->c_pointers(rotation);
    }
    return addresses;
}

Enqueue Runner::plan_ours(const Problem& problem, const Contestant& contestant, Result& result) {
    const sgemm_shim::Plan plan = plan_call(make_call(problem, addresses(problem, 0)), contestant,
                                            sgemm_shim::current_device_figures(stream_.get()), result);
    if (plan.kernel == nullptr)
        return [this, &problem](std::int64_t rotation) { run_cublas(problem, rotation, Output::c); };
    return [this, &problem, plan](std::int64_t rotation) {
        check(plan.kernel->implementation->launch(make_call(problem, addresses(problem, rotation)),
                                                  plan.partition, workspace(), stream_.get()),
              "launch");
    };
}

void Runner::check_result(const Problem& problem, const Enqueue& ours, Result& result) {
    operands_->reset_c(problem, operands_->c(0));
    ours(0);
    operands_->sample(problem, operands_->c(0), our_sample_);
    result.difference = worst_difference(our_sample_, reference_sample_, tolerance(problem));
    if (!(result.difference <= 1)) result.status = "WRONG";
}

PairTiming Runner::time_both(const Problem& problem, const Enqueue& ours, Result& result) {
    result.rotations = rotations(problem, result.cold);
    TimingOptions timing_options;
    timing_options.rounds = options_.rounds;
    timing_options.min_time_ms = options_.min_time_ms;
    timing_options.rotations = result.rotations;
    const auto read_clock = [&] { result.sm_clock_mhz = monitor_.sm_clock_mhz(); };
    const Enqueue cublas = [&](std::int64_t rotation) { run_cublas(problem, rotation, Output::c); };
    if (!options_.every_choice) {
        timing_options.confirm_by_events = problem.flops() > event_flops;
        timing_options.while_busy = read_clock;
        return time_pair(stream_.get(), ours, cublas, timing_options);
    }

    Candidates& candidates = candidates_[result.cold ? 1 : 0];
    if (!candidates.cublas) {
        // The clock is read once a shape: asking for it takes longer than most candidates.
        timing_options.while_busy = read_clock;
        candidates.cublas = time_alone(stream_.get(), cublas, timing_options);
        timing_options.while_busy = {};
    }
    timing_options.give_up_us = hopeless * candidates.best_us;
    const SideTiming timing =
        result.kernel == "cublas" ? *candidates.cublas : time_alone(stream_.get(), ours, timing_options);
    const double us = median(timing.us);
    if (candidates.best_us == 0 || us < candidates.best_us) candidates.best_us = us;
    return {timing, *candidates.cublas};
}

void Runner::time_result(const Problem& problem, const Enqueue& ours, Result& result) {
    const PairTiming timing = time_both(problem, ours, result);
    const auto figures_of = [&](const SideTiming& side) {
        return figures(median(side.us), problem.flops(), problem.bytes(), options_.roofline);
    };
    result.ours = figures_of(timing.ours);
    result.cublas = figures_of(timing.cublas);
    result.rounds = timing.ours.us.size();
    result.ratio_low = result.ratio_high = timing.cublas.us[0] / timing.ours.us[0];
    for (std::size_t i = 1; i < std::min(result.rounds, timing.cublas.us.size()); ++i) {
        const double ratio = timing.cublas.us[i] / timing.ours.us[i];
        result.ratio_low = std::min(result.ratio_low, ratio);
        result.ratio_high = std::max(result.ratio_high, ratio);
    }
    result.event_us = timing.ours.event_us;
    result.cublas_event_us = timing.cublas.event_us;
    result.launches = timing.ours.launches_per_graph * timing.ours.replays_per_round;
    result.allocation_nodes = timing.cublas.allocation_nodes;

    const auto add_note = [&](const std::string& text) {
        result.note += (result.note.empty() ? "" : "; ") + text;
    };
    if (timing.ours.allocation_nodes > 0 && result.kernel != "cublas")
        add_note("our graph has allocation nodes");
    if (timing.cublas.allocation_nodes > 0) add_note("cuBLAS's graph has allocation nodes");
    constexpr double agreement = 0.05;
    if (result.event_us > 0 && std::abs(result.event_us / result.ours.us - 1) > agreement)
        add_note("events disagree: " + std::to_string(result.event_us) + " us");
}

void Runner::measure(const Problem& problem, const Contestant& contestant, Result& result) {
    const Enqueue ours = plan_ours(problem, contestant, result);
    if (contestant.kernel != nullptr && contestant.kernel->implementation != nullptr &&
        result.kernel == "cublas") {
        result.status = "skipped";
        return;
    }
    check_result(problem, ours, result);
    if (result.is_timed()) time_result(problem, ours, result);
}

void Runner::run(const Shape& shape, const std::vector<Contestant>& asked,
                 const std::function<bool(const Contestant& contestant, bool cold)>& may_go_on,
                 const std::function<void(const Result&)>& deliver) {
    const Problem problem = to_problem(shape);
    const std::vector<Contestant> contestants =
        options_.every_choice ? with_every_choice(asked, problem, multiprocessors_) : asked;
    candidates_ = {};
    bool is_prepared = false;
    const auto prepare = [&] {
        const std::int64_t copies = rotations(problem, options_.cold);
        if (Operands::bytes_needed(problem, copies) > memory_bytes_)
            throw DoesNotFit("does not fit in memory");
        operands_->prepare(problem, copies);
        operands_->reset_c(problem, operands_->reference());
        run_cublas(problem, 0, Output::reference);
        operands_->sample(problem, operands_->reference(), reference_sample_);
        is_prepared = true;
    };
    for (const Contestant& contestant : contestants) {
        for (const bool cold : {false, true}) {
            if ((cold && !options_.cold) || !may_go_on(contestant, cold)) continue;
            Result result;
            result.shape = shape;
            result.asked = contestant.asked;
            result.cold = cold;
            try {
                if (!is_prepared) prepare();
                measure(problem, contestant, result);
            } catch (const DoesNotFit& error) {
                result.status = "skipped";
                result.note = error.what();
            } catch (const std::runtime_error& error) {
                result.status = "failed";
                result.note = error.what();
            }
            deliver(result);
            check(cudaStreamSynchronize(stream_.get()), "after this measurement");
            cudaGetLastError();  // what failed has been reported
        }
    }
}

}  // namespace sgemm_bench
