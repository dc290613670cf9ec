// cuBLAS's grouped functions, as a program calls them: each case a group.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "cublas_program.hpp"

namespace sgemm_shim::testing {

/// Device arrays of pointers to the matrices of all groups, one group behind the other.
struct MatrixPointers {
    const float* const* a;
    const float* const* b;
    float* const* c;
};

/// Calls the grouped function that `entry` names, each case being a group. The scalars are those of the
/// cases, or in device memory at `device_scalars`, if that is given.
cublasStatus_t call_groups(cublasHandle_t handle, const Entry& entry, std::span<const GemmCase> cases,
                           const MatrixPointers& matrices, const float* device_scalars = nullptr);

/// Cases of one call, with their operands on the device.
class GroupedCase {
  public:
    explicit GroupedCase(std::initializer_list<const char*> lines);

    /// Calls the function and counts the call.
    cublasStatus_t call(cublasHandle_t handle, const Entry& entry);

    /// What is wrong with any C once the caller has synchronised; empty: nothing. All are then set back.
    std::string finding();

  private:
    std::vector<std::unique_ptr<CublasCase>> groups_;
    std::vector<GemmCase> cases_;
    DeviceArray<float*> a_, b_, c_;
};

}  // namespace sgemm_shim::testing
