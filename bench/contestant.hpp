// Who is measured: kernels by name, what plan() chooses, and the calls that both are asked to serve.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemm_call.hpp"
#include "kernel_table.hpp"
#include "plan.hpp"
#include "report.hpp"
#include "shape.hpp"

namespace sgemm_bench {

/// A kernel of the command line: a row of the table, or nullptr for what plan() chooses.
struct Contestant {
    std::string asked;
    const sgemm_shim::Kernel* kernel = nullptr;
    std::optional<sgemm_shim::Partition> partition{};  ///< in the place of plan()'s
};

/// Looks the names up. Throws InputError for an unknown one.
std::vector<Contestant> find_contestants(const std::vector<std::string>& names);

/// Where a call's operands are.
struct OperandAddresses {
    const float* a = nullptr;
    const float* b = nullptr;
    float* c = nullptr;
    const float* const* a_pointers = nullptr;  ///< used by problems with arrays of pointers
    const float* const* b_pointers = nullptr;
    float* const* c_pointers = nullptr;
};

/// The call with alpha = 1. Points to problem.beta.
sgemm_shim::GemmCall make_call(const Problem& problem, const OperandAddresses& addresses);

/// What the shim would do with a call of the contestant's, which becomes result.kernel, result.choice and a
/// note.
sgemm_shim::Plan plan_call(const sgemm_shim::GemmCall& call, const Contestant& contestant,
                           const sgemm_shim::DeviceFigures& device, Result& result);

/// What would be done with each shape by each contestant on the device: results with the status "planned".
/// Needs no GPU.
std::vector<Result> list_plans(const std::vector<Shape>& shapes, const std::vector<Contestant>& contestants,
                               const sgemm_shim::DeviceFigures& device);

}  // namespace sgemm_bench
