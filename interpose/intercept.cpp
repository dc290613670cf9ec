#include "intercept.hpp"

#include <atomic>

#include "device.hpp"
#include "kernel_choice.hpp"
#include "settings.hpp"

namespace sgemm_shim {
namespace {

constinit std::atomic<bool> logging_configured{false};
constinit std::atomic<bool> log_callback_set{false};

struct HandleState {
    ForwardReason obstacle = ForwardReason::none;
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

/// Asks the real library: it alone knows its handles. Asked on every call, since any thread may have changed
/// them.
HandleState read_handle(const RealCublas& real, cublasHandle_t handle) {
    HandleState state;
    if (handle == nullptr || real.cublasGetStream_v2 == nullptr || real.cublasGetPointerMode_v2 == nullptr ||
        real.cublasGetMathMode == nullptr ||
        real.cublasGetStream_v2(handle, &state.stream) != CUBLAS_STATUS_SUCCESS ||
        real.cublasGetPointerMode_v2(handle, &state.pointer_mode) != CUBLAS_STATUS_SUCCESS ||
        real.cublasGetMathMode(handle, &state.math_mode) != CUBLAS_STATUS_SUCCESS) {
        state.obstacle = ForwardReason::handle;
        return state;
    }
    // A third mode, should there ever be one, says nothing about where the scalars are.
    if (state.pointer_mode != CUBLAS_POINTER_MODE_HOST && state.pointer_mode != CUBLAS_POINTER_MODE_DEVICE) {
        state.obstacle = ForwardReason::handle;
        return state;
    }
    int sm_count_target = 0;
    if (real.cublasGetSmCountTarget != nullptr &&
        real.cublasGetSmCountTarget(handle, &sm_count_target) != CUBLAS_STATUS_SUCCESS) {
        state.obstacle = ForwardReason::handle;
    } else if (sm_count_target != 0) {
        state.obstacle = ForwardReason::sm_target;
    }
    return state;
}

}  // namespace

Policy current_policy() {
    Policy policy = process_settings();
    policy.kernel = kernel_choice(policy).kernel;
    policy.cublas_logs = policy.cublas_logs || logging_configured.load(std::memory_order_relaxed) ||
                         log_callback_set.load(std::memory_order_relaxed);
    return policy;
}

Decision decide(const RealCublas& real, cublasHandle_t handle, GemmCall& call) {
    const Policy policy = current_policy();
    if (const ForwardReason reason = reason_from_policy(policy); reason != ForwardReason::none)
        return {{nullptr, reason}};

    const HandleState state = read_handle(real, handle);
    if (state.obstacle != ForwardReason::none) return {{nullptr, state.obstacle}};
    call.pointer_mode =
        state.pointer_mode == CUBLAS_POINTER_MODE_DEVICE ? PointerMode::device : PointerMode::host;
    call.precision = precision_of_math_mode(state.math_mode);

    if (const Plan early = plan_without_device(call, policy); early.reason != ForwardReason::none)
        return {early};
    const DeviceFigures& device = current_device_figures(state.stream);
    return {plan(call, device, policy), state.stream, &device};
}

Plan try_to_serve(const RealCublas& real, cublasHandle_t handle, GemmCall& call) {
    const Decision decision = decide(real, handle, call);
    const Plan& plan = decision.plan;
    if (plan.kernel != nullptr && plan.kernel->implementation->launch(call, plan.partition, decision.stream) != cudaSuccess)
        return {nullptr, ForwardReason::launch};
    return plan;
}

void note_cublas_logging(bool configured_on) {
    logging_configured.store(configured_on, std::memory_order_relaxed);
}

void note_cublas_log_callback(bool set) {
    log_callback_set.store(set, std::memory_order_relaxed);
}

}  // namespace sgemm_shim
