// Products where only 8 of the GPU's multiprocessors can be had: a green context, as a share of MPS or a
// partition would be. The device's attributes speak of all of them there, so the library reckons with more
// blocks at a time, and with larger clusters, than there is room for; whatever it launches must end, and
// right. To be run under the shim: cuBLAS alone is not in question.
//
// Everything is found through the runtime, so that nothing links to libcuda.
#include <cuda.h>
#include <doctest/doctest.h>

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cublas_program.hpp"
#include "sgemm_shim/sgemm_shim.h"
#include "tests/support/test_program.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr unsigned multiprocessors = 8;

/// The driver functions, which came with CUDA 12.4 and 12.5.
struct Driver {
    decltype(&cuCtxGetCurrent) get_context = nullptr;
    decltype(&cuCtxSetCurrent) set_context = nullptr;
    decltype(&cuDeviceGetDevResource) get_resource = nullptr;
    decltype(&cuDevSmResourceSplitByCount) split = nullptr;
    decltype(&cuDevResourceGenerateDesc) describe = nullptr;
    decltype(&cuGreenCtxCreate) create = nullptr;
    decltype(&cuGreenCtxDestroy) destroy = nullptr;
    decltype(&cuCtxFromGreenCtx) to_context = nullptr;
    decltype(&cuGreenCtxStreamCreate) create_stream = nullptr;

    /// The name of the first one that the driver lacks, or nullptr.
    const char* find() {
        const auto finds = [](const char* name, unsigned version, auto& function) {
            void* address = nullptr;
            cudaDriverEntryPointQueryResult found{};
            if (cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found) !=
                    cudaSuccess ||
                found != cudaDriverEntryPointSuccess) {
                cudaGetLastError();
                return false;
            }
            std::memcpy(&function, &address, sizeof function);
            return true;
        };
        if (!finds("cuCtxGetCurrent", 4000, get_context)) return "cuCtxGetCurrent";
        if (!finds("cuCtxSetCurrent", 4000, set_context)) return "cuCtxSetCurrent";
        if (!finds("cuDeviceGetDevResource", 12040, get_resource)) return "cuDeviceGetDevResource";
        if (!finds("cuDevSmResourceSplitByCount", 12040, split)) return "cuDevSmResourceSplitByCount";
        if (!finds("cuDevResourceGenerateDesc", 12040, describe)) return "cuDevResourceGenerateDesc";
        if (!finds("cuGreenCtxCreate", 12040, create)) return "cuGreenCtxCreate";
        if (!finds("cuGreenCtxDestroy", 12040, destroy)) return "cuGreenCtxDestroy";
        if (!finds("cuCtxFromGreenCtx", 12040, to_context)) return "cuCtxFromGreenCtx";
        if (!finds("cuGreenCtxStreamCreate", 12050, create_stream)) return "cuGreenCtxStreamCreate";
        return nullptr;
    }
};

void check_driver(CUresult status, const char* what) {
    if (status != CUDA_SUCCESS)
        throw std::runtime_error(std::string(what) + ": CUresult " + std::to_string(status));
}

/// Some of the multiprocessors of device 0. Current in the calling thread for as long as it lives.
class GreenContext {
  public:
    explicit GreenContext(const Driver& driver) : driver_(driver) {
        check_driver(driver.get_context(&before_), "cuCtxGetCurrent");
        CUdevResource all{}, some{}, rest{};
        check_driver(driver.get_resource(0, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
        unsigned groups = 1;
        check_driver(driver.split(&some, &groups, &all, &rest, 0, multiprocessors),
                     "cuDevSmResourceSplitByCount");
        std::printf("green context: %u of %u multiprocessors\n", some.sm.smCount, all.sm.smCount);
        CUdevResourceDesc description = nullptr;
        check_driver(driver.describe(&description, &some, 1), "cuDevResourceGenerateDesc");
        check_driver(driver.create(&green_, description, 0, CU_GREEN_CTX_DEFAULT_STREAM), "cuGreenCtxCreate");
        CUcontext context = nullptr;
        check_driver(driver.to_context(&context, green_), "cuCtxFromGreenCtx");
        check_driver(driver.set_context(context), "cuCtxSetCurrent");
        CUstream stream = nullptr;
        check_driver(driver.create_stream(&stream, green_, CU_STREAM_NON_BLOCKING, 0),
                     "cuGreenCtxStreamCreate");
        stream_ = stream;
    }
    ~GreenContext() {
        cudaStreamDestroy(stream_);
        driver_.set_context(before_);
        driver_.destroy(green_);
    }
    GreenContext(const GreenContext&) = delete;
    GreenContext& operator=(const GreenContext&) = delete;

    cudaStream_t stream() const { return stream_; }

  private:
    const Driver& driver_;
    CUcontext before_ = nullptr;
    CUgreenCtx green_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

/// False, and the case is noted as skipped, where the driver has no green contexts.
bool has_green_contexts(Driver& driver) {
    check_cuda(cudaSetDevice(0), "cudaSetDevice");
    check_cuda(cudaFree(nullptr), "the context");
    const char* missing = driver.find();
    if (missing != nullptr)
        note_skipped_case((std::string("no green contexts: the driver lacks ") + missing).c_str());
    return missing == nullptr;
}

/// A kernel that waits for blocks which are not running would wait for ever, and so would whoever waits for
/// it: nothing of the process can be saved then.
void wait_or_end(cudaStream_t stream, const char* what) {
    using namespace std::chrono;
    const auto deadline = steady_clock::now() + seconds(60);
    cudaError_t status = cudaErrorNotReady;
    while ((status = cudaStreamQuery(stream)) == cudaErrorNotReady) {
        if (steady_clock::now() > deadline) {
            std::printf("ERROR: does not end in 60 seconds: %s\n", what);
            std::fflush(stdout);
            std::_Exit(EXIT_FAILURE);
        }
        std::this_thread::sleep_for(milliseconds(1));
    }
    check_cuda(status, what);
}

/// By a kernel of the library, which must be there.
std::uint64_t served_calls() {
    const auto read = reinterpret_cast<decltype(&sgemm_shim_read_counters)>(
        dlsym(RTLD_DEFAULT, "sgemm_shim_read_counters"));
    const bool is_under_the_library = read != nullptr;
    REQUIRE(is_under_the_library);
    std::vector<sgemm_shim_counter> rows(read(nullptr, 0));
    rows.resize(std::min(rows.size(), read(rows.data(), rows.size())));
    std::uint64_t calls = 0;
    for (const sgemm_shim_counter& row : rows) calls += row.forwarded ? 0 : row.calls;
    return calls;
}

/// What the cost model divides along k, in clusters of up to 16 blocks or in a workspace; tiles that as many
/// blocks share as the whole GPU would hold; blocks that go on from tile to tile; a batch.
constexpr const char* lines[] = {
    "ops=TN m=64 n=64 k=20000 beta=1 data=integers",
    "ops=TN m=1 n=2 k=60000 beta=1 data=integers",
    "ops=NN m=16 n=3 k=20000 beta=1 data=integers",
    "ops=NN m=2 n=24 k=2500 beta=1 data=integers",
    "ops=NT m=128 n=256 k=4000 beta=1 data=integers",
    "ops=TN m=1152 n=1152 k=1152 beta=1 data=integers",
    "ops=NT m=1920 n=1920 k=400 beta=1 data=integers",
    "ops=NN m=4096 n=4096 k=16 beta=1 data=integers",
    "ops=NN m=36 n=20 k=300 batch=40 stride_a=10800 stride_b=6000 stride_c=720 beta=1 data=integers",
};

void multiply_all(cublasHandle_t handle, cudaStream_t stream) {
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    for (const char* line : lines) {
        CAPTURE(line);
        CublasCase product(line);
        const bool is_batch = product.description().batch_count > 1;
        for (int again = 0; again < 2; ++again) {
            CHECK(product.call(handle, {is_batch ? Function::strided_batched : Function::sgemm,
                                        EntryWidth::bits_32}) == CUBLAS_STATUS_SUCCESS);
            wait_or_end(stream, line);
            CHECK(product.finding() == "");
        }
    }
}

TEST_CASE("products in a green context of 8 multiprocessors end, and are right") {
    Driver driver;
    if (!has_green_contexts(driver)) return;
    const std::uint64_t before = served_calls();
    const GreenContext context(driver);
    const Handle handle;
    multiply_all(handle, context.stream());
    multiply_all(handle, nullptr);
    CHECK(cudaGetLastError() == cudaSuccess);
    // Some may be forwarded, but not all of them.
    CHECK(served_calls() > before);
}

TEST_CASE("captured products in a green context end, and are right") {
    Driver driver;
    if (!has_green_contexts(driver)) return;
    const GreenContext context(driver);
    const Handle handle;
    check_cublas(cublasSetStream(handle, context.stream()), "cublasSetStream");
    for (const char* line : {lines[0], lines[1], lines[5]}) {
        CAPTURE(line);
        CublasCase product(line);
        const Graph graph(context.stream(), [&] { CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS); });
        graph.launch(context.stream());
        wait_or_end(context.stream(), line);
        CHECK(product.finding() == "");
    }
}

// 4096 is too much for FP64 on the host. Integers make every order of summation exact, so the bits must be
// those that the whole GPU computes, whoever serves the call.
TEST_CASE("a large product has the bits in a green context that it has outside") {
    Driver driver;
    if (!has_green_contexts(driver)) return;
    CublasCase product("ops=NN m=4096 n=4096 k=4096 beta=1 data=integers");
    const auto result = [&](cudaStream_t stream) {
        const Handle handle;
        check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
        CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS);
        wait_or_end(stream, "4096");
        std::vector<float> values = product.result();
        product.restore();
        return values;
    };
    const std::vector<float> outside = result(nullptr);
    const GreenContext context(driver);
    CHECK(result(context.stream()) == outside);
}

}  // namespace
}  // namespace sgemm_shim::testing
