// A program's view of cuBLAS: handles, calls of cublasSgemm, and their results judged by FP64. Nothing here
// knows of the shim.
#pragma once

#include <cublas_v2.h>

#include <atomic>
#include <string>

#include "cuda_objects.hpp"
#include "tests/engine/reference.hpp"

namespace sgemm_shim::testing {

/// How many calls the program made of each class: what a call log must show.
enum class CallClass { ordinary, tf32, math_mode, invalid, empty, no_handle, logging, sm_target, count };

const char* to_string(CallClass call_class);
std::atomic<int>& calls_made(CallClass call_class);

void check_cublas(cublasStatus_t status, const char* what);

class Handle {
  public:
    Handle() { check_cublas(cublasCreate(&handle_), "cublasCreate"); }
    ~Handle() { cublasDestroy(handle_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator cublasHandle_t() const { return handle_; }

  private:
    cublasHandle_t handle_ = nullptr;
};

enum class EntryWidth { bits_32, bits_64 };

/// A case of one matrix with its operands on the device.
class CublasCase {
  public:
    explicit CublasCase(const char* line) : CublasCase(parse_case(line)) {}
    explicit CublasCase(const GemmCase& gemm_case);

    /// Calls cublasSgemm on the handle, in the case's pointer mode, and counts the call.
    cublasStatus_t call(cublasHandle_t handle, EntryWidth width = EntryWidth::bits_32,
                        CallClass call_class = CallClass::ordinary);

    /// What is wrong with C once the caller has synchronised; empty: nothing. C is then set back.
    std::string finding();

    /// The scalars in device memory, for replays with other values; tells what to expect then.
    void change_device_scalars(float alpha, float beta);

    const float* c() const { return c_.data(); }

  private:
    GemmCase case_;
    Problem problem_;
    DeviceArray<float> a_, b_, c_, scalars_;
};

/// The whole of it: call, wait for the stream, judge. Returns what is wrong.
std::string run_case(const GemmCase& gemm_case, cublasHandle_t handle,
                     EntryWidth width = EntryWidth::bits_32);

}  // namespace sgemm_shim::testing
