// What happens to a call: a kernel, or the real cuBLAS, and always why. Pure: no CUDA call, no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemm_call.hpp"
#include "kernel_table.hpp"
#include "settings.hpp"

namespace sgemm_shim {

/// Why a call goes to the real cuBLAS. The order is that of the checks.
enum class ForwardReason : std::uint8_t {
    none,           ///< it does not: a kernel serves it
    missing,        ///< it cannot: no real cuBLAS was found, or that one lacks the function
    disabled,       ///< SGEMM_SHIM_DISABLE=on
    chosen,         ///< SGEMM_SHIM_KERNEL=cublas, or the program's own choice of it
    logging,        ///< cuBLAS's call log is on, and must see the call
    environment,    ///< a variable forces another arithmetic on cuBLAS
    handle,         ///< NULL handle, or the handle did not answer a query
    sm_target,      ///< cublasSetSmCountTarget is in use
    data_type,      ///< a matrix is not FP32
    compute_type,   ///< the compute type is not FP32
    algorithm,      ///< an algorithm that cuBLAS does not know
    invalid,        ///< arguments that cuBLAS refuses: it prints the line and returns the status
    empty,          ///< nothing to compute, or only C = beta * C
    pointer,        ///< a NULL pointer
    overlapping_c,  ///< strideC = 0 with more than one matrix: undefined, so it stays as cuBLAS has it
    tf32,           ///< the program allowed TF32
    math_mode,      ///< the program asked for another arithmetic than FP32
    driver,         ///< the driver is too old for the CUDA runtime that this library was built with
    context,        ///< no CUDA context is current, or more contexts than can be remembered
    capture,        ///< the stream is being captured and the kernels are not loaded yet
    architecture,   ///< no machine code for this GPU
    unsupported,    ///< the kernel cannot serve this call
    slower,         ///< cuBLAS is known to be faster, and the kernel is ours to choose
    launch,         ///< the launch failed
    count
};

/// Short lower-case text for logs, as stable as an option name.
const char* to_string(ForwardReason reason);

/// What plan() knows of the GPU: read once for each CUDA context by device.hpp, or made up by a test.
struct DeviceFigures {
    int compute_capability_major = 0;
    int compute_capability_minor = 0;
    int multiprocessor_count = 0;
    float clock_mhz = 1980;        ///< the highest; an H200's, until it is read
    float memory_gb_per_s = 4800;  ///< nominal, 1e9 bytes; an H200's, until it is read
    /// Bit i: row i of kernel_table() has machine code for this GPU and is loaded.
    std::uint64_t ready_kernels = 0;
    /// Why no kernel can run at all, or none.
    ForwardReason obstacle = ForwardReason::none;

    /// As KernelImplementation::least_compute_capability has it.
    int compute_capability() const { return compute_capability_major * 10 + compute_capability_minor; }
    bool is_ready(const Kernel& kernel) const { return (ready_kernels >> kernel_index(kernel)) & 1; }
};

struct Plan {
    const Kernel* kernel = nullptr;  ///< nullptr: forward
    ForwardReason reason = ForwardReason::none;
    Partition partition{};
};

/// Why no call at all is served, or none. Lets the caller leave the handle alone.
ForwardReason reason_from_policy(const Policy& policy);

/// Decides from the call and the policy alone, as far as that goes: a plan with a reason is final, and one
/// without a reason still needs the device. Lets the caller leave CUDA alone for calls that are forwarded
/// anyway.
Plan plan_without_device(const GemmCall& call, const Policy& policy);

/// The whole decision.
Plan plan(const GemmCall& call, const DeviceFigures& device, const Policy& policy);

}  // namespace sgemm_shim
