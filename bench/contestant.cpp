#include "contestant.hpp"

#include <cstdint>

#include "choices.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace sgemm_bench {
namespace {

const float alpha = 1.0f;

sgemm_shim::Operation shim_operation(char letter) {
    return letter == 'T' ? sgemm_shim::Operation::transpose : sgemm_shim::Operation::none;
}

/// An address that is as misaligned as the operand would be, and never followed.
float* nowhere(const Storage& storage) {
    return reinterpret_cast<float*>(std::uintptr_t{1} << 20) + storage.misalignment;
}

}  // namespace

std::vector<Contestant> find_contestants(const std::vector<std::string>& names) {
    std::vector<Contestant> contestants;
    std::string known = "auto, all, production";
    for (const sgemm_shim::Kernel& kernel : sgemm_shim::kernel_table())
        known += std::string(", ") + kernel.name;

    for (const std::string& name : names) {
        if (name == "auto") {
            contestants.push_back({name, nullptr});
        } else if (name == "all" || name == "production") {
            for (const sgemm_shim::Kernel& kernel : sgemm_shim::kernel_table()) {
                if (kernel.implementation != nullptr && (name == "all" || is_production(kernel)))
                    contestants.push_back({kernel.name, &kernel});
            }
        } else if (const sgemm_shim::Kernel* kernel = sgemm_shim::find_kernel(name)) {
            contestants.push_back({kernel->name, kernel});
        } else {
            throw InputError("unknown kernel '" + name + "'; known: " + known);
        }
    }
    return contestants;
}

sgemm_shim::GemmCall make_call(const Problem& problem, const OperandAddresses& addresses) {
    sgemm_shim::GemmCall call;
    call.operation_a = shim_operation(problem.operations.a);
    call.operation_b = shim_operation(problem.operations.b);
    call.m = problem.m;
    call.n = problem.n;
    call.k = problem.k;
    call.alpha = &alpha;
    call.beta = &problem.beta;
    if (problem.pointer_arrays) {
        call.a = {nullptr, addresses.a_pointers, problem.a.leading_dimension, 0};
        call.b = {nullptr, addresses.b_pointers, problem.b.leading_dimension, 0};
        call.c = {nullptr, addresses.c_pointers, problem.c.leading_dimension, 0};
    } else {
        call.a = {addresses.a, nullptr, problem.a.leading_dimension, problem.a.stride};
        call.b = {addresses.b, nullptr, problem.b.leading_dimension, problem.b.stride};
        call.c = {addresses.c, nullptr, problem.c.leading_dimension, problem.c.stride};
    }
    call.batch_count = problem.batch;
    call.pointer_mode = sgemm_shim::PointerMode::host;
    call.precision = sgemm_shim::Precision::fp32;
    return call;
}

sgemm_shim::Plan plan_call(const sgemm_shim::GemmCall& call, const Contestant& contestant,
                           const sgemm_shim::DeviceFigures& device, Result& result) {
    sgemm_shim::Policy policy;
    policy.kernel = contestant.kernel;
    sgemm_shim::Plan plan = sgemm_shim::plan(call, device, policy);
    if (plan.kernel != nullptr) {
        plan.partition = contestant.partition.value_or(plan.partition);
        result.choice = to_string(plan.partition);
    }
    result.kernel = plan.kernel != nullptr ? plan.kernel->name : "cublas";
    if (plan.kernel == nullptr) result.note = std::string("forwarded: ") + to_string(plan.reason);
    return plan;
}

std::vector<Result> list_plans(const std::vector<Shape>& shapes, const std::vector<Contestant>& contestants,
                               const sgemm_shim::DeviceFigures& device) {
    std::vector<Result> plans;
    for (const Shape& shape : shapes) {
        const Problem problem = to_problem(shape);
        float* const c = nowhere(problem.c);
        // Arrays of pointers must be there, and are not followed either.
        const OperandAddresses addresses{nowhere(problem.a), nowhere(problem.b), c, &c, &c, &c};
        const sgemm_shim::GemmCall call = make_call(problem, addresses);
        for (const Contestant& contestant : contestants) {
            Result& result = plans.emplace_back();
            result.shape = shape;
            result.asked = contestant.asked;
            result.status = "planned";
            plan_call(call, contestant, device, result);
        }
    }
    return plans;
}

}  // namespace sgemm_bench
