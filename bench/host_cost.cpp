#include "host_cost.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <ostream>

#include "device.hpp"
#include "gemm_converters.hpp"
#include "intercept.hpp"
#include "kernel_choice.hpp"
#include "stand_in_device.hpp"
#include "statistics.hpp"
#include "text.hpp"

namespace {

/// The linker sends every launch of this program here (--wrap): the only way to time the launch path up to
/// the runtime's door without one. So it does with the question for the device's figures, which has no answer
/// where there is no GPU.
bool launches_are_stubbed = false;
std::int64_t stubbed_launches = 0;
const sgemm_shim::DeviceFigures* stubbed_figures = nullptr;

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

// sgemm_shim::current_device_figures(cudaStream_t).
const sgemm_shim::DeviceFigures& __real__ZN10sgemm_shim22current_device_figuresEP11CUstream_st(
    cudaStream_t stream);
const sgemm_shim::DeviceFigures& __wrap__ZN10sgemm_shim22current_device_figuresEP11CUstream_st(
    cudaStream_t stream);

const sgemm_shim::DeviceFigures& __wrap__ZN10sgemm_shim22current_device_figuresEP11CUstream_st(
    cudaStream_t stream) {
    if (stubbed_figures != nullptr) return *stubbed_figures;
    return __real__ZN10sgemm_shim22current_device_figuresEP11CUstream_st(stream);
}
}

namespace sgemm_bench {
namespace {

constexpr std::int64_t calls_per_repeat = 50'000;
constexpr int repeats = 20;  // a million calls
constexpr float one = 1.0f;
constexpr float zero = 0.0f;

struct Arguments {
    cublasOperation_t operation_a, operation_b;
    int m, n, k;

    int lda() const { return operation_a == CUBLAS_OP_N ? m : k; }
    int ldb() const { return operation_b == CUBLAS_OP_N ? k : n; }
};

struct Kind {
    const char* name;
    /// Different ones in turn, so that not every branch is the last call's.
    std::array<Arguments, 8> calls;
};

constexpr auto N = CUBLAS_OP_N;
constexpr auto T = CUBLAS_OP_T;
constexpr Kind kinds[] = {
    {"squares",
     {{{N, N, 128, 128, 128},
       {N, T, 1024, 1024, 1024},
       {T, N, 256, 256, 256},
       {T, T, 4096, 4096, 4096},
       {N, N, 512, 512, 512},
       {N, T, 2048, 2048, 2048},
       {T, N, 768, 768, 768},
       {T, T, 8192, 8192, 8192}}}},
    // Where the right kernel is far from plain: thin, deep and ragged ones.
    {"uneven",
     {{{N, N, 35, 8457, 4096},
       {T, N, 1024, 16, 500000},
       {N, T, 512, 48, 2816},
       {T, T, 332, 1000, 76},
       {N, N, 7680, 1, 2560},
       {N, T, 196, 256, 2304},
       {T, N, 3, 100000, 3},
       {T, T, 5124, 700, 20}}}},
};

// Never read: nothing is launched.
alignas(16) float memory[4];

sgemm_shim::GemmCall make_call(const Arguments& a) {
    sgemm_shim::GemmCall call = sgemm_shim::sgemm_call(a.operation_a, a.operation_b, a.m, a.n, a.k, &one,
                                                       memory, a.lda(), memory, a.ldb(), &zero, memory, a.m);
    call.pointer_mode = sgemm_shim::PointerMode::host;
    return call;
}

/// Nanoseconds for each of the calls 0 to `different` - 1 in turn, the median of the repeats.
template <class Call>
double nanoseconds(std::size_t different, Call call) {
    std::vector<double> times;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        std::size_t next = 0;
        const auto start = std::chrono::steady_clock::now();
        for (std::int64_t i = 0; i < calls_per_repeat; ++i) {
            call(next);
            next = next + 1 < different ? next + 1 : 0;
        }
        const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
        times.push_back(spent.count() / static_cast<double>(calls_per_repeat));
    }
    return median(times);
}

bool there_is_a_gpu() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

/// The real cuBLAS as the shim finds it, and a handle of it.
struct Cublas {
    const void* caller = reinterpret_cast<const void*>(&measure_host_cost);
    const sgemm_shim::RealCublas* real = sgemm_shim::real_cublas_for(caller);
    cublasHandle_t handle = nullptr;

    Cublas() {
        if (real != nullptr && real->cublasCreate_v2 != nullptr) real->cublasCreate_v2(&handle);
    }
    /// A call that were forwarded would reach memory that is none.
    bool would_serve(const sgemm_shim::GemmCall& call) const {
        sgemm_shim::GemmCall asked = call;
        return handle != nullptr &&
               sgemm_shim::decide(sgemm_shim::situation_of(*real, handle), asked).plan.kernel != nullptr;
    }
};

HostCost measure(const Contestant& contestant, const Kind& kind, const Cublas& cublas,
                 const sgemm_shim::DeviceFigures& device) {
    HostCost cost;
    cost.asked = contestant.asked;
    cost.calls = kind.name;
    sgemm_shim::choose_kernel(sgemm_shim::ChoiceScope::process,
                              contestant.kernel != nullptr ? contestant.kernel->name : "auto");
    const sgemm_shim::Policy policy = sgemm_shim::current_policy();
    std::vector<Arguments> arguments;
    std::vector<sgemm_shim::GemmCall> calls;
    bool whole_is_served = true;
    for (const Arguments& candidate : kind.calls) {
        const sgemm_shim::GemmCall call = make_call(candidate);
        if (sgemm_shim::plan(call, device, policy).kernel == nullptr) continue;
        arguments.push_back(candidate);
        calls.push_back(call);
        whole_is_served = whole_is_served && cublas.would_serve(call);
    }
    cost.served = calls.size();
    if (calls.empty()) return cost;

    const sgemm_shim::Kernel* volatile chosen = nullptr;  // keeps plan() from being dropped
    const auto plan_call = [&](std::size_t i) {
        const sgemm_shim::Plan plan = sgemm_shim::plan(calls[i], device, policy);
        chosen = plan.kernel;
        return plan;
    };
    const auto launch_call = [&](std::size_t i) {
        const sgemm_shim::Plan plan = plan_call(i);
        plan.kernel->implementation->launch(calls[i], plan.partition, {}, nullptr);
    };
    const auto intercept_call = [&](std::size_t i) {
        const Arguments& a = arguments[i];
        sgemm_shim::intercept(cublas.caller, sgemm_shim::EntryPoint::sgemm,
                              &sgemm_shim::RealCublas::cublasSgemm_v2, sgemm_shim::sgemm_call, cublas.handle,
                              a.operation_a, a.operation_b, a.m, a.n, a.k, &one, memory, a.lda(), memory,
                              a.ldb(), &zero, memory, a.m);
    };
    const auto nanoseconds_to_launch = [&](const auto& call) {
        stubbed_launches = 0;
        const double time = nanoseconds(calls.size(), call);
        // One call may come to two launches, none to none.
        cost.all_launched = cost.all_launched && stubbed_launches >= calls_per_repeat * repeats;
        return time;
    };
    cost.plan_ns = nanoseconds(calls.size(), plan_call);
    cost.launch_ns = nanoseconds_to_launch(launch_call);
    if (whole_is_served) cost.whole_ns = nanoseconds_to_launch(intercept_call);
    return cost;
}

}  // namespace

std::vector<HostCost> measure_host_cost(const std::vector<Contestant>& contestants) {
    const Cublas cublas;
    const sgemm_shim::DeviceFigures stand_in = h200_figures();
    const bool has_gpu = there_is_a_gpu();
    if (!has_gpu) stubbed_figures = &stand_in;
    const sgemm_shim::DeviceFigures device = sgemm_shim::current_device_figures(nullptr);
    launches_are_stubbed = true;
    std::vector<HostCost> costs;
    for (const Contestant& contestant : contestants) {
        for (const Kind& kind : kinds) costs.push_back(measure(contestant, kind, cublas, device));
    }
    launches_are_stubbed = false;
    stubbed_figures = nullptr;
    sgemm_shim::choose_kernel(sgemm_shim::ChoiceScope::process, nullptr);
    return costs;
}

void write_host_cost(std::ostream& out, const std::vector<HostCost>& costs) {
    out << "Host time of a call, launch stubbed out, medians of " << calls_per_repeat * repeats
        << " calls, ns:\n"
        << format("%-18s %-8s %8s %14s %11s\n", "kernel", "calls", "plan", "+ launch path", "whole call");
    for (const HostCost& cost : costs) {
        out << format("%-18s %-8s ", cost.asked.c_str(), cost.calls.c_str());
        if (cost.served == 0) {
            out << "not served\n";
            continue;
        }
        const std::string whole = cost.whole_ns ? format("%.1f", *cost.whole_ns) : "no handle";
        out << format("%8.1f %14.1f %11s%s\n", cost.plan_ns, cost.launch_ns, whole.c_str(),
                      cost.all_launched ? "" : "  (not every call came to a launch)");
    }
}

void write_host_cost_csv(std::ostream& out, const Provenance& provenance,
                         const std::vector<HostCost>& costs) {
    write_provenance(out, provenance);
    out << "asked,calls,served,plan_ns,launch_ns,whole_ns\n";
    for (const HostCost& cost : costs) {
        out << csv_quote(cost.asked) << ',' << cost.calls << ',' << cost.served << ',' << number(cost.plan_ns)
            << ',' << number(cost.launch_ns) << ',' << (cost.whole_ns ? number(*cost.whole_ns) : "") << '\n';
    }
}

}  // namespace sgemm_bench
