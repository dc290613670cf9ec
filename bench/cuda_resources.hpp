// CUDA and cuBLAS handles that free themselves, and statuses that become exceptions.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace sgemm_bench {

class CudaError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) throw CudaError(std::string(what) + ": " + cudaGetErrorString(status));
}

inline void check(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw CudaError(std::string(what) + ": " + cublasGetStatusString(status));
}

template <auto destroy>
struct Destroy {
    template <class Handle>
    void operator()(Handle* handle) const {
        destroy(handle);
    }
};

using Stream = std::unique_ptr<CUstream_st, Destroy<cudaStreamDestroy>>;
using Event = std::unique_ptr<CUevent_st, Destroy<cudaEventDestroy>>;
using Graph = std::unique_ptr<CUgraph_st, Destroy<cudaGraphDestroy>>;
using GraphExecutable = std::unique_ptr<CUgraphExec_st, Destroy<cudaGraphExecDestroy>>;
using CublasHandle = std::unique_ptr<cublasContext, Destroy<cublasDestroy>>;

/// Does not synchronise with the legacy stream.
inline Stream make_stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return Stream(stream);
}

inline Event make_event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "cudaEventCreate");
    return Event(event);
}

inline void free_device_memory(float* memory) {
    cudaFree(memory);
}
using DeviceMemory = std::unique_ptr<float, Destroy<free_device_memory>>;

inline DeviceMemory allocate_device_memory(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return DeviceMemory(static_cast<float*>(memory));
}

}  // namespace sgemm_bench
