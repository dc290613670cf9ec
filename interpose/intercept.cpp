#include "intercept.hpp"

#include <atomic>

#include "device.hpp"
#include "kernel_choice.hpp"
#include "plan_memory.hpp"
#include "settings.hpp"

namespace sgemm_shim {
namespace {

constinit std::atomic<bool> logging_configured{false};
constinit std::atomic<bool> log_callback_set{false};
constinit PlanMemory plan_memory;

PointerMode pointer_mode_of(cublasPointerMode_t mode) {
    switch (mode) {
        case CUBLAS_POINTER_MODE_HOST:
            return PointerMode::host;
        case CUBLAS_POINTER_MODE_DEVICE:
            return PointerMode::device;
    }
    return PointerMode::unknown;
}

/// Asks the real library: it alone knows its handles. Asked on every call, since any thread may have changed
/// them.
void read_handle(const RealCublas& real, cublasHandle_t handle, Situation& situation) {
    cublasPointerMode_t pointer_mode{};
    cublasMath_t math_mode{};
    if (handle == nullptr || real.cublasGetStream_v2 == nullptr || real.cublasGetPointerMode_v2 == nullptr ||
        real.cublasGetMathMode == nullptr ||
        real.cublasGetStream_v2(handle, &situation.stream) != CUBLAS_STATUS_SUCCESS ||
        real.cublasGetPointerMode_v2(handle, &pointer_mode) != CUBLAS_STATUS_SUCCESS ||
        real.cublasGetMathMode(handle, &math_mode) != CUBLAS_STATUS_SUCCESS ||
        // A third mode, should there ever be one, says nothing about where the scalars are.
        pointer_mode_of(pointer_mode) == PointerMode::unknown) {
        situation.obstacle = ForwardReason::handle;
        return;
    }
    int sm_count_target = 0;
    if (real.cublasGetSmCountTarget != nullptr &&
        real.cublasGetSmCountTarget(handle, &sm_count_target) != CUBLAS_STATUS_SUCCESS) {
        situation.obstacle = ForwardReason::handle;
        return;
    }
    situation.pointer_mode = pointer_mode_of(pointer_mode);
    situation.precision = precision_of_math_mode(math_mode);
    if (sm_count_target != 0) situation.obstacle = ForwardReason::sm_target;
}

}  // namespace

Policy current_policy() {
    Policy policy = process_settings();
    policy.kernel = kernel_choice(policy).kernel;
    policy.cublas_logs = policy.cublas_logs || logging_configured.load(std::memory_order_relaxed) ||
                         log_callback_set.load(std::memory_order_relaxed);
    return policy;
}

Situation situation_of(const RealCublas& real, cublasHandle_t handle) {
    Situation situation{.policy = current_policy()};
    situation.obstacle = reason_from_policy(situation.policy);
    if (situation.obstacle == ForwardReason::none) read_handle(real, handle, situation);
    return situation;
}

void complete(const Situation& situation, GemmCall& call) {
    call.pointer_mode = situation.pointer_mode;
    call.precision = situation.precision;
}

Decision decide(const Situation& situation, GemmCall& call) {
    complete(situation, call);
    if (situation.obstacle != ForwardReason::none) return {{nullptr, situation.obstacle}};
    if (const Plan early = plan_without_device(call, situation.policy); early.reason != ForwardReason::none)
        return {early};
    const DeviceFigures& device = current_device_figures(situation.stream);
    return {plan_memory.plan(call, device, situation.policy), &device};
}

Plan try_to_serve(const Situation& situation, GemmCall& call) {
    const Plan plan = decide(situation, call).plan;
    if (plan.kernel == nullptr) return plan;
    const Workspace workspace = current_workspace(situation.stream, plan.partition);
    if (plan.kernel->implementation->launch(call, plan.partition, workspace, situation.stream) != cudaSuccess)
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
