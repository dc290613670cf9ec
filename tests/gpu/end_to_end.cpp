// A program that multiplies with cuBLAS and the shared CUDA runtime and knows nothing of the shim. Run plain,
// it shows that it uses cuBLAS rightly; run under LD_PRELOAD, that the shim keeps cuBLAS's contract. Its last
// lines say how many calls of which class and function it made; check_end_to_end.sh compares them with the
// shim's call log.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cublas_groups.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr const char* operation_pairs[] = {"NN", "NT", "NC", "TN", "TT", "TC", "CN", "CT", "CC"};

// First of all, so that it is the first product of the process: doctest goes by file name, then by line.
TEST_CASE("the first product of a program may be inside a stream capture") {
    CublasCase product("ops=NN m=512 n=512 k=512 scalars=device alpha=2 beta=1 data=integers");
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    const Graph graph(stream, [&] { CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS); });
    graph.replay(stream);
    CHECK(product.finding() == "");
    product.change_device_scalars(-1.0f, 0.5f);
    graph.replay(stream);
    CHECK(product.finding() == "");
}

TEST_CASE("all transpositions, widths and pointer modes") {
    const Handle handle;
    const char* const rest[] = {" m=129 n=65 k=17 lda=131 ldb=132 ldc=133 align=0,0,0 beta=0 data=random",
                                " m=64 n=128 k=32 lda=128 ldb=128 ldc=64 alpha=-1 beta=0.5 data=integers",
                                " m=1 n=1 k=1 alpha=2 data=integers",
                                " m=260 n=3 k=100 lda=260 ldb=100 beta=1 data=fine_a"};
    for (const char* operations : operation_pairs) {
        for (const char* parameters : rest) {
            for (const char* scalars : {"host", "device"}) {
                const GemmCase gemm_case =
                    parse_case(std::string("ops=") + operations + parameters + " scalars=" + scalars);
                for (const EntryWidth width : both_widths) CHECK(run_case(gemm_case, handle, width) == "");
            }
        }
    }
}

// Not the sign of a zero: cuBLAS itself answers -0 for alpha = -1 at some of its sizes. The comparison of the
// kernels has it.
TEST_CASE("values: NaN, overflow, denormals") {
    const Handle handle;
    for (const char* line : {"m=33 n=17 k=5 beta=-0 data=random", "m=33 n=17 k=5 alpha=0 beta=1",
                             "m=33 n=17 k=5 alpha=0 beta=0.5", "m=33 n=17 k=5 alpha=nan",
                             "m=8 n=8 k=1 alpha=0x1p-100 data=huge", "m=33 n=17 k=5 data=denormal_in",
                             "m=33 n=17 k=5 data=denormal_out", "m=200 n=200 k=200 data=nan_in_a",
                             "m=200 n=200 k=200 data=nan_in_b", "m=256 n=256 k=256 data=fine_b"}) {
        CHECK(run_case(parse_case(line), handle) == "");
    }
}

// Integers only with beta != 0: else the sign of a zero would count, and cuBLAS's own varies.
TEST_CASE("batches: strides of either sign and none, arrays of pointers") {
    const Handle handle;
    const char* const lines[] = {
        "ops=NN m=33 n=18 k=5 batch=1 data=random",
        "ops=NT m=64 n=48 k=32 batch=7 stride_a=2048 stride_b=1536 stride_c=3072 alpha=2 beta=1 "
        "data=integers",
        "ops=TN m=33 n=18 k=21 lda=23 ldb=22 ldc=35 batch=7 stride_a=-760 stride_b=397 stride_c=631 "
        "data=random",
        "ops=TT m=20 n=36 k=16 batch=7 stride_a=0 stride_b=-580 stride_c=720 alpha=-1 beta=0.5 "
        "data=integers",
        "ops=NC m=31 n=17 k=9 batch=7 stride_a=279 stride_b=0 stride_c=530 alpha=0.7 beta=1 data=random",
        "ops=CN m=130 n=70 k=200 batch=7 stride_a=0 stride_b=0 stride_c=9100 data=fine_a"};
    for (const char* line : lines) {
        for (const PointerMode mode : {PointerMode::host, PointerMode::device}) {
            GemmCase gemm_case = parse_case(line);
            gemm_case.pointer_mode = mode;
            for (const Function function : batched_functions) {
                for (const EntryWidth width : both_widths)
                    CHECK(run_case(gemm_case, handle, {function, width}) == "");
            }
        }
    }
}

TEST_CASE("groups: one of each shape, and several in one call") {
    const Handle handle;
    const char* const lines[] = {
        "ops=NN m=33 n=18 k=5 batch=1 data=random",
        "ops=NT m=64 n=48 k=32 batch=7 stride_a=2048 stride_b=1536 stride_c=3072 alpha=2 beta=1 "
        "data=integers",
        "ops=TN m=33 n=18 k=21 lda=23 ldb=22 ldc=35 batch=5 stride_a=-760 stride_b=397 stride_c=631 "
        "data=random"};
    for (const Function function : grouped_functions) {
        for (const EntryWidth width : both_widths) {
            const Entry entry(function, width);
            for (const char* line : lines) CHECK(run_case(parse_case(line), handle, entry) == "");
            GroupedCase groups(
                {lines[0], lines[1], lines[2],
                 "ops=CT m=130 n=70 k=200 alpha=-1 beta=0.5 data=integers seed=3",
                 "ops=TT m=1 n=1 k=300 batch=3 stride_a=300 stride_b=300 stride_c=1 beta=1 data=integers"});
            for (int repeat = 0; repeat < 2; ++repeat) {
                CHECK(groups.call(handle, entry) == CUBLAS_STATUS_SUCCESS);
                check_cuda(cudaDeviceSynchronize(), "the groups");
                CHECK(groups.finding() == "");
            }
        }
    }
}

TEST_CASE("groups that cuBLAS refuses are refused") {
    const Handle handle;
    for (const Function function : grouped_functions) {
        for (const EntryWidth width : both_widths) {
            const Entry entry(function, width);
            CublasCase device_scalars("m=8 n=8 k=8 scalars=device data=integers");
            CHECK(device_scalars.call(handle, entry, CallClass::invalid) == CUBLAS_STATUS_NOT_SUPPORTED);
            check_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
            const CublasCase product("m=8 n=8 k=8 beta=1 data=integers");
            const MatrixPointers matrices = {product.a_pointers().data(), product.b_pointers().data(),
                                             product.c_pointers().data()};
            GemmCase illegal = product.description();
            illegal.lda = 7;
            count_call(CallClass::invalid, entry);
            CHECK(call_groups(handle, entry, {&illegal, 1}, matrices) == CUBLAS_STATUS_INVALID_VALUE);
            count_call(CallClass::empty, entry);
            CHECK(call_groups(handle, entry, {}, matrices) == CUBLAS_STATUS_SUCCESS);
        }
    }
    check_cuda(cudaDeviceSynchronize(), "nothing to do");
}

TEST_CASE("batches of more matrices than a grid has layers") {
    const Handle handle;
    for (const char* line :
         {"m=3 n=2 k=4 batch=70000 stride_a=12 stride_b=8 stride_c=6 beta=1 data=integers",
          "m=3 n=2 k=4 batch=70000 stride_a=-13 stride_b=0 stride_c=7 scalars=device data=random"}) {
        for (const Function function : batched_functions) {
            for (const EntryWidth width : both_widths)
                CHECK(run_case(parse_case(line), handle, {function, width}) == "");
        }
    }
}

TEST_CASE("captured batches") {
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    for (const Function function : batched_functions) {
        CublasCase product(
            "ops=TN m=36 n=20 k=12 batch=7 stride_a=-432 stride_b=240 stride_c=720 alpha=2 beta=1 "
            "scalars=device data=integers");
        const Graph graph(stream, [&] {
            CHECK(product.call(handle, {function, EntryWidth::bits_32}) == CUBLAS_STATUS_SUCCESS);
        });
        graph.replay(stream);
        CHECK(product.finding() == "");
        product.change_device_scalars(-1.0f, 0.5f);
        graph.replay(stream);
        CHECK(product.finding() == "");
    }
}

TEST_CASE("larger products") {
    const Handle handle;
    for (const char* line :
         {"ops=NN m=1024 n=1024 k=512 data=random", "ops=TN m=1023 n=1025 k=600 data=integers beta=1",
          "ops=TT m=30000 n=5 k=40 data=random", "ops=NT m=3 n=2 k=30000 data=integers"}) {
        for (const EntryWidth width : both_widths) CHECK(run_case(parse_case(line), handle, width) == "");
    }
}

TEST_CASE("the work goes to the handle's stream") {
    const Handle handle;
    const Stream own;
    const char* line = "ops=NT m=130 n=130 k=130 data=integers beta=1";
    for (const cudaStream_t stream : {static_cast<cudaStream_t>(own), cudaStreamPerThread, cudaStreamLegacy,
                                      static_cast<cudaStream_t>(nullptr)}) {
        check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
        CHECK(run_case(parse_case(line), handle) == "");
    }
}

TEST_CASE("a captured product is replayed from its own stream only") {
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    for (const char* line : {"ops=TN m=100 n=100 k=100 alpha=2 data=integers beta=1",
                             "ops=TN m=100 n=100 k=100 alpha=2 data=integers beta=1 scalars=device"}) {
        CublasCase product(line);
        const Graph graph(stream, [&] { CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS); });
        for (int replay = 0; replay < 2; ++replay) {
            graph.replay(stream);
            CHECK(product.finding() == "");
        }
    }
}

TEST_CASE("illegal calls have cuBLAS's own answer and change nothing") {
    const Handle handle;
    const DeviceArray<float> memory(std::vector<float>(256, 5.0f));
    float* p = memory.data();
    const float one = 1.0f;
    const auto call = [&](cublasHandle_t used, cublasOperation_t operation, int m, int n, int k,
                          const float* alpha, int lda, int ldb, int ldc, CallClass call_class) {
        count_call(call_class);
        return cublasSgemm(used, operation, CUBLAS_OP_N, m, n, k, alpha, p, lda, p + 64, ldb, &one, p + 128,
                           ldc);
    };
    const auto invalid = CallClass::invalid;
    CHECK(call(nullptr, CUBLAS_OP_N, 8, 8, 8, &one, 8, 8, 8, CallClass::no_handle) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(call(handle, CUBLAS_OP_N, -1, 8, 8, &one, 8, 8, 8, invalid) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, CUBLAS_OP_N, 8, -1, 8, &one, 8, 8, 8, invalid) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, CUBLAS_OP_N, 8, 8, -1, &one, 8, 8, 8, invalid) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, CUBLAS_OP_N, 8, 8, 8, &one, 7, 8, 8, invalid) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, CUBLAS_OP_T, 8, 8, 4, &one, 3, 8, 8, invalid) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, CUBLAS_OP_N, 8, 8, 8, &one, 8, 7, 8, invalid) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, CUBLAS_OP_N, 8, 8, 8, &one, 8, 8, 7, invalid) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, CUBLAS_OP_N, 0, 8, 8, &one, 0, 8, 8, invalid) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, static_cast<cublasOperation_t>(7), 8, 8, 8, &one, 8, 8, 8, invalid) ==
          CUBLAS_STATUS_INVALID_VALUE);
    CHECK(call(handle, CUBLAS_OP_N, 0, 8, 8, &one, 8, 8, 8, CallClass::empty) == CUBLAS_STATUS_SUCCESS);
    CHECK(call(handle, CUBLAS_OP_N, 8, 0, 8, &one, 8, 8, 8, CallClass::empty) == CUBLAS_STATUS_SUCCESS);
    CHECK(call(handle, CUBLAS_OP_N, 8, 8, 0, &one, 8, 8, 8, CallClass::empty) == CUBLAS_STATUS_SUCCESS);
    check_cuda(cudaDeviceSynchronize(), "nothing to do");
    const std::vector<float> after = memory.download();
    CHECK(std::ranges::all_of(after, [](float value) { return value == 5.0f; }));
    CHECK(run_case(parse_case("m=9 n=9 k=9 data=integers"), handle) == "");
}

TEST_CASE("a multiprocessor target is left to cuBLAS") {
    const Handle handle;
    CublasCase product("m=200 n=200 k=200 data=integers");
    check_cublas(cublasSetSmCountTarget(handle, 8), "cublasSetSmCountTarget");
    CHECK(product.call(handle, EntryWidth::bits_32, CallClass::sm_target) == CUBLAS_STATUS_SUCCESS);
    check_cuda(cudaDeviceSynchronize(), "the product");
    CHECK(product.finding() == "");
    check_cublas(cublasSetSmCountTarget(handle, 0), "cublasSetSmCountTarget");
    CHECK(run_case(parse_case("m=200 n=200 k=200 data=integers"), handle) == "");
}

int lines_logged = 0;

TEST_CASE("a logger callback sees the products") {
    const Handle handle;
    CublasCase product("m=100 n=100 k=100 data=integers");
    check_cublas(cublasSetLoggerCallback([](const char*) { ++lines_logged; }), "cublasSetLoggerCallback");
    check_cublas(cublasLoggerConfigure(1, 0, 0, nullptr), "cublasLoggerConfigure");
    lines_logged = 0;
    CHECK(product.call(handle, EntryWidth::bits_32, CallClass::logging) == CUBLAS_STATUS_SUCCESS);
    CHECK(lines_logged > 0);
    check_cublas(cublasLoggerConfigure(0, 0, 0, nullptr), "cublasLoggerConfigure");
    check_cublas(cublasSetLoggerCallback(nullptr), "cublasSetLoggerCallback");
    check_cuda(cudaDeviceSynchronize(), "the product");
    CHECK(product.finding() == "");
    CHECK(run_case(parse_case("m=100 n=100 k=100 data=integers"), handle) == "");
}

TEST_CASE("the program's CUDA error state stays as it is") {
    const Handle handle;
    CHECK(run_case(parse_case("m=100 n=100 k=100 data=integers"), handle) == "");
    CHECK(cudaGetLastError() == cudaSuccess);
    void* impossible = nullptr;
    CHECK(cudaMalloc(&impossible, std::size_t{1} << 60) == cudaErrorMemoryAllocation);
    CublasCase product("m=100 n=100 k=100 data=integers");
    CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS);
    CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    check_cuda(cudaDeviceSynchronize(), "the product");
    CHECK(product.finding() == "");
}

/// Each thread multiplies its own matrices, on `shared` or on a handle and a stream of its own.
void multiply_in_threads(cublasHandle_t shared) {
    constexpr int thread_count = 8, repeats = 20;
    std::vector<std::string> findings(thread_count);
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; ++i) {
        threads.emplace_back([&, i] {
            try {
                check_cuda(cudaSetDevice(0), "cudaSetDevice");
                const Stream stream;
                const Handle own;
                if (shared == nullptr) check_cublas(cublasSetStream(own, stream), "cublasSetStream");
                GemmCase gemm_case = parse_case("ops=TN m=150 n=70 k=90 beta=1 data=integers");
                gemm_case.m += 2 * i;
                gemm_case.ldc = gemm_case.m;
                gemm_case.seed = static_cast<std::uint64_t>(i);
                for (int repeat = 0; repeat < repeats && findings[static_cast<std::size_t>(i)].empty();
                     ++repeat)
                    findings[static_cast<std::size_t>(i)] =
                        run_case(gemm_case, shared != nullptr ? shared : own);
            } catch (const std::exception& error) {
                findings[static_cast<std::size_t>(i)] = error.what();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& finding : findings) CHECK(finding == "");
}

TEST_CASE("threads with handles of their own") {
    multiply_in_threads(nullptr);
}

TEST_CASE("threads that share a handle") {
    const Handle handle;
    multiply_in_threads(handle);
}

}  // namespace
}  // namespace sgemm_shim::testing
