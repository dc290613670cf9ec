// What belongs to one of the software GPU's devices is refused on another, as CUDA does it: without this,
// tests/gpu/devices.cpp would prove nothing here. To be run with two devices and under the library.
#include <doctest/doctest.h>

#include "tests/gpu/cublas_program.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr const char* line = "ops=TN m=37 n=21 k=19 beta=0.5 data=integers";

void set_device(int device) {
    check_cuda(cudaSetDevice(device), "cudaSetDevice");
}

/// And takes the error away.
cudaError_t last_error() {
    return cudaGetLastError();
}

TEST_CASE("devices are counted, and differ in their figures") {
    int count = 0, first = 0, second = 0;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 2);
    CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
    CHECK(last_error() == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetAttribute(&first, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
    CHECK(cudaDeviceGetAttribute(&second, cudaDevAttrMultiProcessorCount, 1) == cudaSuccess);
    CHECK(first != second);
}

TEST_CASE("work and events go to streams of their own device alone, copies and waits to any") {
    set_device(0);
    const Stream stream;
    const Event event_of_first;
    set_device(1);
    const Event event;
    CHECK(cudaEventRecord(event, stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(event_of_first, stream) == cudaSuccess);
    const Stream own;
    CHECK(cudaStreamWaitEvent(own, event_of_first, 0) == cudaSuccess);
    const DeviceArray<float> memory(4);
    CHECK(cudaMemsetAsync(memory.data(), 0, 16, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(memory.download() == std::vector<float>(4));
    // Neither a kernel nor cuBLAS can.
    const Handle handle;
    CublasCase product(line);
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    CHECK(product.call(handle) == CUBLAS_STATUS_EXECUTION_FAILED);
    last_error();
}

TEST_CASE("waiting for one device does nothing for another") {
    set_device(0);
    const Stream stream;
    bool is_done = false;
    const auto note = [](void* flag) { *static_cast<bool*>(flag) = true; };
    CHECK(cudaLaunchHostFunc(stream, note, &is_done) == cudaSuccess);
    set_device(1);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK_FALSE(is_done);
    set_device(0);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(is_done);
}

TEST_CASE("limits of functions belong to the context of a device") {
    const int function = 0;
    const auto limit = [&](int device) {
        set_device(device);
        cudaFuncAttributes attributes{};
        check_cuda(cudaFuncGetAttributes(&attributes, &function), "cudaFuncGetAttributes");
        return attributes.maxDynamicSharedSizeBytes;
    };
    set_device(1);
    CHECK(cudaFuncSetAttribute(&function, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) == cudaSuccess);
    CHECK(limit(1) == 65536);
    CHECK(limit(0) == 49152);
    set_device(1);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(limit(1) == 49152);
}

// Last of all: the context is lost.
TEST_CASE("a kernel that reaches for another device's memory fails, and its own device with it") {
    set_device(0);
    CublasCase product(line);
    cudaPointerAttributes attributes{};
    CHECK(cudaPointerGetAttributes(&attributes, product.c()) == cudaSuccess);
    CHECK(attributes.device == 0);
    const Handle handle_of_first;
    set_device(1);
    const Handle handle;
    CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    last_error();
    set_device(0);
    CHECK(run_case(parse_case(line), handle_of_first) == "");
}

}  // namespace
}  // namespace sgemm_shim::testing
