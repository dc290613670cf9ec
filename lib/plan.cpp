#include "plan.hpp"

#include <algorithm>
#include <cstdint>

#include "cost_model.hpp"

namespace sgemm_shim {
namespace {

Plan forward(ForwardReason reason) {
    return {nullptr, reason};
}

ForwardReason reason_from_demand(Demand demand) {
    switch (demand) {
        case Demand::data_type:
            return ForwardReason::data_type;
        case Demand::compute_type:
            return ForwardReason::compute_type;
        case Demand::algorithm:
            return ForwardReason::algorithm;
        case Demand::fp32:
            break;
    }
    return ForwardReason::none;
}

ForwardReason reason_from_validity(Validity validity) {
    switch (validity) {
        case Validity::invalid:
            return ForwardReason::invalid;
        case Validity::empty:
            return ForwardReason::empty;
        case Validity::null_pointer:
            return ForwardReason::pointer;
        case Validity::computes:
            break;
    }
    return ForwardReason::none;
}

ForwardReason reason_from_precision(Precision precision, const Policy& policy) {
    if (precision == Precision::other) return ForwardReason::math_mode;
    if (precision == Precision::tf32 && policy.tf32 == Tf32Policy::forward) return ForwardReason::tf32;
    return ForwardReason::none;
}

// Where cuBLAS is faster, measured on an H200 over random shapes (bench/results/h200). What they have in
// common is operands off their alignment, which our kernels copy by single floats.

bool is_off_alignment(std::int64_t leading_dimension) {
    return leading_dimension % 4 != 0;
}

bool has_operand_off_alignment(const GemmCall& call) {
    return is_off_alignment(call.a.leading_dimension) || is_off_alignment(call.b.leading_dimension);
}

/// Of moderate depth, with many elements of C. Of 376 shapes, the 18 of this kind took cuBLAS 0.67 to 0.97 of
/// our time; with fewer or more steps of k, or fewer elements of C, it is as often slower.
bool is_ragged_of_moderate_depth(const GemmCall& call) {
    constexpr std::int64_t least_elements = 100000, most_elements = 8000000, least_k = 36, most_k = 256,
                           least_side = 24;
    return has_operand_off_alignment(call) && call.k >= least_k && call.k <= most_k &&
           std::min(call.m, call.n) >= least_side && call.m >= (least_elements + call.n - 1) / call.n &&
           call.m <= most_elements / call.n;
}

bool is_faster_in_cublas(const GemmCall& call) {
    return call.batch_count == 1 && is_ragged_of_moderate_depth(call);
}

}  // namespace

const char* to_string(ForwardReason reason) {
    switch (reason) {
        case ForwardReason::none:
            return "none";
        case ForwardReason::missing:
            return "no cublas";
        case ForwardReason::disabled:
            return "disabled";
        case ForwardReason::chosen:
            return "kernel cublas";
        case ForwardReason::logging:
            return "cublas logging";
        case ForwardReason::environment:
            return "environment";
        case ForwardReason::handle:
            return "handle";
        case ForwardReason::sm_target:
            return "sm count target";
        case ForwardReason::data_type:
            return "type";
        case ForwardReason::compute_type:
            return "compute type";
        case ForwardReason::algorithm:
            return "algo";
        case ForwardReason::invalid:
            return "invalid argument";
        case ForwardReason::empty:
            return "empty";
        case ForwardReason::pointer:
            return "pointer";
        case ForwardReason::overlapping_c:
            return "stride of C";
        case ForwardReason::tf32:
            return "tf32";
        case ForwardReason::math_mode:
            return "math mode";
        case ForwardReason::driver:
            return "driver";
        case ForwardReason::context:
            return "context";
        case ForwardReason::capture:
            return "capture";
        case ForwardReason::architecture:
            return "architecture";
        case ForwardReason::unsupported:
            return "unsupported by kernel";
        case ForwardReason::slower:
            return "cublas is faster";
        case ForwardReason::launch:
            return "launch failed";
        case ForwardReason::count:
            break;
    }
    return "unknown";
}

ForwardReason reason_from_policy(const Policy& policy) {
    if (policy.disabled) return ForwardReason::disabled;
    if (policy.kernel != nullptr && policy.kernel->implementation == nullptr) return ForwardReason::chosen;
    if (policy.cublas_logs) return ForwardReason::logging;
    if (policy.arithmetic_overridden) return ForwardReason::environment;
    return ForwardReason::none;
}

Plan plan_without_device(const GemmCall& call, const Policy& policy) {
    if (const ForwardReason reason = reason_from_policy(policy); reason != ForwardReason::none)
        return forward(reason);
    if (const ForwardReason reason = reason_from_demand(call.demand); reason != ForwardReason::none)
        return forward(reason);
    if (const ForwardReason reason = reason_from_validity(validate(call)); reason != ForwardReason::none)
        return forward(reason);
    if (call.batch_count > 1 && call.c.array == nullptr && call.c.stride == 0)
        return forward(ForwardReason::overlapping_c);
    if (const ForwardReason reason = reason_from_precision(call.precision, policy);
        reason != ForwardReason::none)
        return forward(reason);
    return {};
}

Plan plan(const GemmCall& call, const DeviceFigures& device, const Policy& policy) {
    if (const Plan early = plan_without_device(call, policy); early.reason != ForwardReason::none)
        return early;
    if (device.obstacle != ForwardReason::none) return forward(device.obstacle);

    // Without the pipelines, the production family has nothing for a large product.
    constexpr int least_for_pipelines = 80;
    if (policy.kernel == nullptr && device.compute_capability() >= least_for_pipelines) {
        if (const Choice choice = cheapest(call, device); choice.kernel != nullptr) {
            if (is_faster_in_cublas(call)) return forward(ForwardReason::slower);
            return {choice.kernel, ForwardReason::none, choice.partition};
        }
    }
    const Kernel& kernel = policy.kernel != nullptr ? *policy.kernel : last_rung();
    if (!device.is_ready(kernel)) return forward(ForwardReason::architecture);
    if (!kernel.implementation->supports(call)) return forward(ForwardReason::unsupported);
    return {&kernel, ForwardReason::none, cheapest_of(kernel, call, device).partition};
}

}  // namespace sgemm_shim
