#include "host_cost.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <ostream>

#include "plan.hpp"
#include "record.hpp"
#include "settings.hpp"

namespace {

/// The linker sends every launch of this program here (--wrap): the only way to time the launch path up to
/// the runtime's door without one.
bool launches_are_stubbed = false;
std::int64_t stubbed_launches = 0;

}  // namespace

extern "C" {
cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function,
                                       void** arguments);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function,
                                       void** arguments);

cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function,
                                       void** arguments) {
    if (!launches_are_stubbed) return __real_cudaLaunchKernelExC(configuration, function, arguments);
    ++stubbed_launches;
    return cudaSuccess;
}
}

namespace sgemm_bench {
namespace {

constexpr std::int64_t calls_per_repeat = 200'000;
constexpr int repeats = 5;  // a million calls
constexpr float one = 1.0f;
constexpr float zero = 0.0f;

/// Different sizes in turn, so that not every branch is the last call's.
std::array<sgemm_shim::GemmCall, 8> make_calls() {
    // Never read: nothing is launched.
    alignas(16) static float memory[4];
    constexpr std::array<std::int64_t, 8> sizes{64, 1024, 100, 4096, 333, 256, 2048, 513};
    std::array<sgemm_shim::GemmCall, 8> calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        sgemm_shim::GemmCall& call = calls[i];
        call.operation_a = i % 2 == 0 ? sgemm_shim::Operation::none : sgemm_shim::Operation::transpose;
        call.m = call.n = call.k = sizes[i];
        call.alpha = &one;
        call.beta = &zero;
        call.a = {memory, nullptr, sizes[i], 0};
        call.b = {memory, nullptr, sizes[i], 0};
        call.c = {memory, nullptr, sizes[i], 0};
        call.pointer_mode = sgemm_shim::PointerMode::host;
    }
    return calls;
}

sgemm_shim::DeviceFigures h200_figures() {
    sgemm_shim::DeviceFigures figures;
    figures.compute_capability_major = 9;
    figures.multiprocessor_count = 132;
    figures.ready_kernels = ~std::uint64_t{0};
    return figures;
}

/// Nanoseconds for each call, the best of the repeats: what disturbs a run only adds.
template <class Call>
double nanoseconds(Call call) {
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        for (std::int64_t i = 0; i < calls_per_repeat; ++i) call(static_cast<std::size_t>(i % 8));
        const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
        best = std::min(best, spent.count() / static_cast<double>(calls_per_repeat));
    }
    return best;
}

}  // namespace

bool report_host_cost(std::ostream& out, const std::vector<Contestant>& contestants) {
    const auto calls = make_calls();
    const sgemm_shim::DeviceFigures device = h200_figures();
    bool all_launched = true;
    out << "Host time of a call, launch stubbed out, " << calls_per_repeat * repeats << " calls, ns:\n"
        << "kernel               plan  + launch path  + counters\n";
    launches_are_stubbed = true;
    for (const Contestant& contestant : contestants) {
        sgemm_shim::Settings settings;
        settings.kernel = contestant.kernel;
        const sgemm_shim::Kernel* volatile chosen = nullptr;  // keeps plan() from being dropped
        const auto plan_call = [&](std::size_t i) {
            const sgemm_shim::Plan plan = sgemm_shim::plan(calls[i], device, settings);
            chosen = plan.kernel;
            return plan;
        };
        const auto launch_call = [&](std::size_t i) {
            const sgemm_shim::Plan plan = plan_call(i);
            if (plan.kernel != nullptr) plan.kernel->implementation->launch(calls[i], plan.partition, nullptr);
            return plan;
        };
        const auto record_call = [&](std::size_t i) {
            sgemm_shim::record(sgemm_shim::EntryPoint::sgemm, calls[i], launch_call(i), 0);
        };
        const double plan_ns = nanoseconds(plan_call);
        stubbed_launches = 0;
        const double launch_ns = nanoseconds(launch_call);
        const bool launched = stubbed_launches == calls_per_repeat * repeats;
        const double record_ns = nanoseconds(record_call);
        all_launched = all_launched && launched;

        char line[160];
        std::snprintf(line, sizeof line, "%-18s %6.1f  %13.1f  %10.1f%s\n", contestant.asked.c_str(), plan_ns,
                      launch_ns, record_ns, launched ? "" : "  (not every call came to one launch)");
        out << line;
    }
    launches_are_stubbed = false;
    return all_launched;
}

}  // namespace sgemm_bench
