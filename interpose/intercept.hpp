// The way of every intercepted call: GemmCall -> plan -> kernel, or the real function -> record.
#pragma once

#include <concepts>

#include "gemm_call.hpp"
#include "plan.hpp"
#include "real_cublas.hpp"
#include "record.hpp"

namespace sgemm_shim {

/// What holds for every product that a call of an exported function asks for.
struct Situation {
    Policy policy;
    ForwardReason obstacle = ForwardReason::none;  ///< why none is served, whatever it is; or none
    // The handle's, unless there is an obstacle.
    cudaStream_t stream = nullptr;
    PointerMode pointer_mode = PointerMode::unknown;
    Precision precision = Precision::fp32;
};

/// The settings, with the program's own choices in their place.
Policy current_policy();

Situation situation_of(const RealCublas& real, cublasHandle_t handle);

/// What is to become of a product, and what else was learnt on the way there.
struct Decision {
    Plan plan;
    const DeviceFigures* device = nullptr;  ///< nullptr: it was decided without
};

/// Adds to a call what the handle says.
void complete(const Situation& situation, GemmCall& call);

/// Completes and plans the call. Launches nothing.
Decision decide(const Situation& situation, GemmCall& call);

/// Decides and, if a kernel is to serve the product, launches it on the handle's stream. The plan that comes
/// back says what happened: with a kernel, the product is done.
Plan try_to_serve(const Situation& situation, GemmCall& call);

/// An exported function's whole body. `real_function` names the same function in the real library; it gets
/// `original...`, the program's own arguments, whenever no kernel serves the call.
template <class Function, class... Arguments>
cublasStatus_t intercept(const void* caller, EntryPoint entry_point, Function RealCublas::*real_function,
                         GemmCall call, cublasHandle_t handle, Arguments... original) {
    const RealCublas* real = real_cublas_for(caller);
    if (real == nullptr || real->*real_function == nullptr) {
        record(entry_point, call, {nullptr, ForwardReason::missing}, CUBLAS_STATUS_NOT_INITIALIZED);
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }

    const Plan plan = try_to_serve(situation_of(*real, handle), call);
    const cublasStatus_t status =
        plan.kernel != nullptr ? CUBLAS_STATUS_SUCCESS : (real->*real_function)(handle, original...);
    record(entry_point, call, plan, status);
    return status;
}

/// The same for a function whose arguments `convert` makes into a GemmCall.
template <class Function, class Convert, class... Arguments>
requires std::invocable<Convert, Arguments...> cublasStatus_t
intercept(const void* caller, EntryPoint entry_point, Function RealCublas::*real_function, Convert convert,
          cublasHandle_t handle, Arguments... original) {
    return intercept(caller, entry_point, real_function, convert(original...), handle, original...);
}

/// Notes whether the program switched cuBLAS's call log on or off: a log must show every call, so all are
/// forwarded then.
void note_cublas_logging(bool configured_on);
void note_cublas_log_callback(bool set);

}  // namespace sgemm_shim
