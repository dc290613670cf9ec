#include "plan.hpp"

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

/// Products of medium depth that are off their alignment: C, and A or B with it. Our kernels copy those by
/// single floats, and cuBLAS is faster. Measured on an H200: of 124 random shapes, the 10 of this kind took
/// it 0.54 to 0.78 of our time; with fewer or more steps of k it is as often slower.
bool is_ragged_of_medium_depth(const GemmCall& call) {
    constexpr std::int64_t least_side = 24, least_elements = 100000, least_k = 16, most_k = 512;
    const auto is_off = [](const auto& matrices) { return matrices.leading_dimension % 4 != 0; };
    return is_off(call.c) && (is_off(call.a) || is_off(call.b)) && call.batch_count == 1 &&
           call.k >= least_k && call.k <= most_k && call.m >= least_side && call.n >= least_side &&
           call.m >= (least_elements + call.n - 1) / call.n;
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
            if (is_ragged_of_medium_depth(call)) return forward(ForwardReason::slower);
            return {choice.kernel, ForwardReason::none, choice.partition};
        }
    }
    const Kernel& kernel = policy.kernel != nullptr ? *policy.kernel : last_rung();
    if (!device.is_ready(kernel)) return forward(ForwardReason::architecture);
    if (!kernel.implementation->supports(call)) return forward(ForwardReason::unsupported);
    return {&kernel, ForwardReason::none, cheapest_of(kernel, call, device).partition};
}

}  // namespace sgemm_shim
