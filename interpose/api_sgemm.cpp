// The products of the C interface, and what there is to say about them beforehand.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "gemm_converters.hpp"
#include "intercept.hpp"
#include "kernel_choice.hpp"
#include "sgemm_shim/sgemm_shim.h"
#include "text_buffer.hpp"

namespace sgemm_shim {
namespace {

bool is_known(int order) {
    return order == SGEMM_SHIM_COLUMN_MAJOR || order == SGEMM_SHIM_ROW_MAJOR;
}

/// A row-major matrix is its own transpose in column-major order, and C^T = op(B)^T op(A)^T.
void make_column_major(int order, int& transa, int& transb, int64_t& m, int64_t& n, const float*& A,
                       int64_t& lda, const float*& B, int64_t& ldb) {
    if (order != SGEMM_SHIM_ROW_MAJOR) return;
    std::swap(transa, transb);
    std::swap(m, n);
    std::swap(A, B);
    std::swap(lda, ldb);
}

/// Whether cublasSgemm_v2 can take the call. The 64-bit function is for the others only: CUDA 11 has none.
bool fits_int(const GemmCall& call) {
    const int64_t sizes[] = {
        call.m, call.n, call.k, call.a.leading_dimension, call.b.leading_dimension, call.c.leading_dimension};
    return std::ranges::all_of(sizes, [](int64_t size) { return std::in_range<int>(size); });
}

const char* to_string(ChoiceSource source) {
    switch (source) {
        case ChoiceSource::automatic:
            return "automatic";
        case ChoiceSource::environment:
            return "environment";
        case ChoiceSource::process:
            return "process";
        case ChoiceSource::thread:
            return "thread";
    }
    return "unknown";
}

const char* to_string(PointerMode mode) {
    switch (mode) {
        case PointerMode::host:
            return "host";
        case PointerMode::device:
            return "device";
        case PointerMode::unknown:
            break;
    }
    return "unknown";
}

const char* to_string(Precision precision) {
    switch (precision) {
        case Precision::fp32:
            return "fp32";
        case Precision::tf32:
            return "tf32";
        case Precision::other:
            break;
    }
    return "other";
}

/// What a person can do with a reason.
const char* sentence(ForwardReason reason) {
    switch (reason) {
        case ForwardReason::missing:
            return "no real cuBLAS was found, or it lacks the function; SGEMM_SHIM_CUBLAS can name its file";
        case ForwardReason::disabled:
            return "SGEMM_SHIM_DISABLE is on";
        case ForwardReason::chosen:
            return "the kernel cublas was chosen";
        case ForwardReason::logging:
            return "cuBLAS's own call log is on, and must see every call";
        case ForwardReason::environment:
            return "NVIDIA_TF32_OVERRIDE or CUBLAS_EMULATE_SINGLE_PRECISION forces another arithmetic";
        case ForwardReason::handle:
            return "the handle is NULL, or does not answer questions about its stream and modes";
        case ForwardReason::sm_target:
            return "cublasSetSmCountTarget is in use on the handle";
        case ForwardReason::data_type:
            return "a matrix is not of type CUDA_R_32F";
        case ForwardReason::compute_type:
            return "the compute type is neither CUBLAS_COMPUTE_32F nor its pedantic form";
        case ForwardReason::algorithm:
            return "cuBLAS has no such algorithm";
        case ForwardReason::invalid:
            return "cuBLAS refuses a size, a leading dimension or a transposition of it";
        case ForwardReason::empty:
            return "m, n or k is 0";
        case ForwardReason::pointer:
            return "a pointer is NULL";
        case ForwardReason::overlapping_c:
            return "the matrices C of the batch lie on top of each other";
        case ForwardReason::tf32:
            return "the handle's math mode allows TF32, and SGEMM_SHIM_TF32 is not fp32";
        case ForwardReason::math_mode:
            return "the handle's math mode asks for another arithmetic than FP32";
        case ForwardReason::driver:
            return "there is no CUDA driver, or it is older than the CUDA that this library was built with";
        case ForwardReason::context:
            return "no CUDA context is current in this thread";
        case ForwardReason::capture:
            return "the stream is being captured, and the kernels were not loaded before";
        case ForwardReason::architecture:
            return "this library has no machine code of the candidate for this GPU";
        case ForwardReason::unsupported:
            return "the candidate cannot serve such a call";
        case ForwardReason::slower:
            return "cuBLAS is known to be faster at so few elements with so long a sum";
        case ForwardReason::none:
        case ForwardReason::launch:
        case ForwardReason::count:
            break;
    }
    return "unknown";
}

/// As decide(), but a NULL handle needs no cuBLAS to be judged.
Decision decide_for(const void* caller, cublasHandle_t handle, GemmCall& call) {
    if (handle == nullptr) {
        const ForwardReason reason = reason_from_policy(current_policy());
        return {{nullptr, reason != ForwardReason::none ? reason : ForwardReason::handle}};
    }
    const RealCublas* real = real_cublas_for(caller);
    if (real == nullptr || (real->cublasSgemm_v2_64 == nullptr && !fits_int(call)))
        return {{nullptr, ForwardReason::missing}};
    return decide(situation_of(*real, handle), call);
}

void write_text(const GemmCall& call, sgemm_shim_explanation& explanation) {
    TextBuffer text(explanation.text);
    text.append("m=%lld n=%lld k=%lld (column-major): ", static_cast<long long>(call.m),
                static_cast<long long>(call.n), static_cast<long long>(call.k));
    if (explanation.forwarded)
        text.append("goes to the real cuBLAS (%s): %s. ", explanation.reason_name,
                    sentence(static_cast<ForwardReason>(explanation.reason)));
    else
        text.append("is served by %s. ", explanation.kernel_name);
    text.append("Candidate: %s (chosen by: %s)", explanation.candidate_name, explanation.chosen_by);
    if (call.pointer_mode != PointerMode::unknown)
        text.append("; scalars: %s; precision: %s", explanation.pointer_mode, explanation.precision);
    if (explanation.multiprocessor_count != 0)
        text.append("; GPU: compute capability %d.%d, %d multiprocessors",
                    explanation.compute_capability_major, explanation.compute_capability_minor,
                    explanation.multiprocessor_count);
    text.append(".");
}

void describe(cublasHandle_t handle, const GemmCall& call, const Decision& decision,
              sgemm_shim_explanation& explanation) {
    const Plan& plan = decision.plan;
    const Kernel& server = plan.kernel != nullptr ? *plan.kernel : kernel_table().front();
    const KernelChoice choice = kernel_choice(process_settings());
    const bool handle_was_read = call.pointer_mode != PointerMode::unknown;
    const DeviceFigures device = decision.device != nullptr ? *decision.device : DeviceFigures{};

    explanation.forwarded = plan.kernel == nullptr;
    explanation.kernel_number = server.number;
    explanation.kernel_name = server.name;
    explanation.reason = static_cast<int>(plan.reason);
    explanation.reason_name = to_string(plan.reason);
    explanation.flops =
        handle != nullptr && plan.reason != ForwardReason::missing && validate(call) == Validity::computes
            ? flop_count(call)
            : 0.0;
    explanation.candidate_name = choice.kernel != nullptr ? choice.kernel->name
                                 : plan.kernel != nullptr ? plan.kernel->name
                                                          : last_rung().name;
    explanation.chosen_by = to_string(choice.source);
    explanation.pointer_mode = to_string(call.pointer_mode);
    explanation.precision = handle_was_read ? to_string(call.precision) : "unknown";
    explanation.compute_capability_major = device.compute_capability_major;
    explanation.compute_capability_minor = device.compute_capability_minor;
    explanation.multiprocessor_count = device.multiprocessor_count;
    write_text(call, explanation);
}

}  // namespace
}  // namespace sgemm_shim

using namespace sgemm_shim;

extern "C" {

int sgemm_shim_sgemm(sgemm_shim_cublas_handle handle, int order, int transa, int transb, int64_t m, int64_t n,
                     int64_t k, const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb,
                     const float* beta, float* C, int64_t ldc) {
    if (!is_known(order))
        return handle != nullptr ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
    make_column_major(order, transa, transb, m, n, A, lda, B, ldb);
    const void* caller = __builtin_return_address(0);
    const auto operation_a = static_cast<cublasOperation_t>(transa);
    const auto operation_b = static_cast<cublasOperation_t>(transb);
    const GemmCall call = sgemm_call(operation_a, operation_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);

    if (fits_int(call)) {
        return intercept(caller, EntryPoint::api_sgemm, &RealCublas::cublasSgemm_v2, call, handle,
                         operation_a, operation_b, static_cast<int>(m), static_cast<int>(n),
                         static_cast<int>(k), alpha, A, static_cast<int>(lda), B, static_cast<int>(ldb), beta,
                         C, static_cast<int>(ldc));
    }
    return intercept(caller, EntryPoint::api_sgemm, &RealCublas::cublasSgemm_v2_64, call, handle, operation_a,
                     operation_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

int sgemm_shim_explain(sgemm_shim_cublas_handle handle, int order, int transa, int transb, int64_t m,
                       int64_t n, int64_t k, const float* alpha, const float* A, int64_t lda, const float* B,
                       int64_t ldb, const float* beta, float* C, int64_t ldc,
                       sgemm_shim_explanation* explanation) {
    if (explanation == nullptr || !is_known(order)) return CUBLAS_STATUS_INVALID_VALUE;
    make_column_major(order, transa, transb, m, n, A, lda, B, ldb);
    GemmCall call = sgemm_call(static_cast<cublasOperation_t>(transa), static_cast<cublasOperation_t>(transb),
                               m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    const Decision decision = decide_for(__builtin_return_address(0), handle, call);
    describe(handle, call, decision, *explanation);
    return handle == nullptr || decision.plan.reason == ForwardReason::missing ? CUBLAS_STATUS_NOT_INITIALIZED
                                                                               : CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
