// A cuBLAS handle that destroys itself, and cuBLAS calls that throw.
#pragma once

#include <cublas_v2.h>

#include <stdexcept>
#include <string>

namespace sgemm_shim::testing {

inline void check_cublas(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
}

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

}  // namespace sgemm_shim::testing
