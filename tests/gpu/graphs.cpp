// Every function inside a CUDA graph: kernels and nothing else, device scalars read again at each replay,
// host scalars frozen, replays at the same time. To be run under the shim: cuBLAS itself puts allocations
// into graphs. The kernels one by one, without the functions around them, are in capture.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "cublas_groups.hpp"

namespace sgemm_shim::testing {
namespace {

/// What a function can carry. beta is not 0: C must not hold the NaNs of one that is not read.
const char* line_for(Function function) {
    const bool takes_batch =
        is_grouped(function) || std::ranges::find(batched_functions, function) != std::end(batched_functions);
    return takes_batch ? "ops=TN m=36 n=20 k=612 batch=7 stride_a=-22032 stride_b=12240 stride_c=720 beta=1 "
                         "data=integers"
                       : "ops=NT m=129 n=65 k=333 beta=1 data=integers";
}

/// A case that is captured and replayed.
struct Captured {
    CublasCase product;
    std::unique_ptr<Graph> graph;

    Captured(const GemmCase& gemm_case, cublasHandle_t handle, cudaStream_t stream, const Entry& entry)
        : product(gemm_case) {
        graph = std::make_unique<Graph>(stream,
                                        [&] { CHECK(product.call(handle, entry) == CUBLAS_STATUS_SUCCESS); });
    }
};

void check_kernels_only(const Graph& graph) {
    const std::vector<cudaGraphNodeType> types = graph.node_types();
    CHECK_FALSE(types.empty());
    CHECK(std::ranges::all_of(types, [](cudaGraphNodeType type) { return type == cudaGraphNodeTypeKernel; }));
}

GemmCase case_for(Function function, PointerMode mode) {
    GemmCase gemm_case = parse_case(line_for(function));
    gemm_case.pointer_mode = mode;
    return gemm_case;
}

TEST_CASE("every function is captured as kernels alone, and reads device scalars at each replay") {
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    for (const Function function : every_function) {
        if (is_grouped(function)) continue;  // they take none
        for (const EntryWidth width : both_widths) {
            Captured captured(case_for(function, PointerMode::device), handle, stream, {function, width});
            CAPTURE(symbol_of({function, width}));
            check_kernels_only(*captured.graph);
            const float pairs[][2] = {{1.0f, 0.5f}, {-2.0f, 1.0f}, {0.0f, 1.0f}, {0.5f, 0.0f}};
            for (const auto& [alpha, beta] : pairs) {
                captured.product.change_device_scalars(alpha, beta);
                captured.graph->replay(stream);
                CHECK(captured.product.finding() == "");
            }
        }
    }
}

TEST_CASE("host scalars, and the arrays of groups, are frozen when a call is captured") {
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    for (const Function function : every_function) {
        for (const EntryWidth width : both_widths) {
            Captured captured(case_for(function, PointerMode::host), handle, stream, {function, width});
            CAPTURE(symbol_of({function, width}));
            check_kernels_only(*captured.graph);
            for (int replay = 0; replay < 3; ++replay) {
                captured.graph->replay(stream);
                CHECK(captured.product.finding() == "");
            }
        }
    }
}

TEST_CASE("a call gives the same bits in every stream, captured or not") {
    // What the cost model lets blocks share, or divide among more blocks than a cluster has, meets in memory
    // that only some streams have, and no captured call.
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < 6; ++i) streams.push_back(std::make_unique<Stream>());
    for (const char* line : {"ops=TN m=1152 n=1152 k=1152", "ops=NT m=1920 n=1920 k=400",
                             "ops=TN m=1 n=2 k=60000", "ops=NN m=16 n=3 k=20000", "ops=NN m=2 n=24 k=2500"}) {
        CAPTURE(line);
        CublasCase product(line);
        const Handle handle;
        std::vector<float> first;
        const auto check_result = [&](cudaStream_t stream) {
            check_cuda(cudaStreamSynchronize(stream), "synchronize");
            const std::vector<float> result = product.result();
            CHECK(product.finding() == "");
            if (first.empty()) first = result;
            CHECK(result.size() == first.size());
            CHECK(std::memcmp(result.data(), first.data(), first.size() * sizeof(float)) == 0);
        };
        for (const auto& stream : streams) {
            check_cublas(cublasSetStream(handle, *stream), "cublasSetStream");
            for (int again = 0; again < 2; ++again) {
                CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS);
                check_result(*stream);
            }
        }
        const Stream& stream = *streams.front();
        check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
        const Graph graph(stream, [&] { CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS); });
        check_kernels_only(graph);
        graph.replay(stream);
        check_result(stream);
    }
}

TEST_CASE("several groups in one captured call") {
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    for (const Function function : grouped_functions) {
        for (const EntryWidth width : both_widths) {
            GroupedCase groups({line_for(function), "ops=NN m=129 n=65 k=33 beta=1 data=integers",
                                "ops=CT m=3 n=200 k=1000 alpha=-1 beta=0.5 data=integers"});
            const Graph graph(stream, [&] {
                CHECK(groups.call(handle, {function, width}) == CUBLAS_STATUS_SUCCESS);
            });
            check_kernels_only(graph);
            for (int replay = 0; replay < 2; ++replay) {
                graph.replay(stream);
                CHECK(groups.finding() == "");
            }
        }
    }
}

TEST_CASE("graphs of all functions are replayed at the same time, beside calls that are not captured") {
    const Handle handle;
    const Stream capturing;
    check_cublas(cublasSetStream(handle, capturing), "cublasSetStream");
    std::vector<std::unique_ptr<Captured>> captured;
    std::vector<std::unique_ptr<Stream>> streams;
    for (int seed = 0; seed < 2; ++seed) {
        for (const Function function : every_function) {
            GemmCase gemm_case = case_for(function, PointerMode::host);
            gemm_case.seed = static_cast<std::uint64_t>(seed);
            captured.push_back(std::make_unique<Captured>(gemm_case, handle, capturing,
                                                          Entry(function, EntryWidth::bits_32)));
            streams.push_back(std::make_unique<Stream>());
        }
    }
    for (int round = 0; round < 5; ++round) {
        for (std::size_t i = 0; i < captured.size(); ++i) captured[i]->graph->launch(*streams[i]);
        CHECK(run_case(parse_case("ops=TN m=64 n=64 k=20000 data=integers"), handle) == "");
        for (const auto& stream : streams) stream->synchronize();
        for (const auto& one : captured) CHECK(one->product.finding() == "");
    }
}

TEST_CASE("one graph replayed over and over beside another thread's captures") {
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    Captured captured(case_for(Function::sgemm, PointerMode::host), handle, stream, {});
    std::string finding;
    std::thread other([&] {
        try {
            check_cuda(cudaSetDevice(0), "cudaSetDevice");
            const Handle own;
            const Stream own_stream;
            check_cublas(cublasSetStream(own, own_stream), "cublasSetStream");
            for (int i = 0; i < 20 && finding.empty(); ++i) {
                CublasCase product(case_for(Function::batched, PointerMode::host));
                // The other thread's calls must not count against this capture, nor this one's against them.
                const Graph graph(
                    own_stream,
                    [&] {
                        check_cublas(product.call(own, {Function::batched, EntryWidth::bits_32}),
                                     "a captured batch");
                    },
                    cudaStreamCaptureModeThreadLocal);
                graph.replay(own_stream);
                finding = product.finding();
            }
        } catch (const std::exception& error) {
            finding = error.what();
        }
    });
    for (int replay = 0; replay < 50; ++replay) {
        captured.graph->replay(stream);
        CHECK(captured.product.finding() == "");
    }
    other.join();
    CHECK(finding == "");
}

TEST_CASE("a capture that forks to a second stream and joins again") {
    const Handle handle;
    const Stream first, second;
    CublasCase products[] = {CublasCase(case_for(Function::sgemm, PointerMode::host)),
                             CublasCase(case_for(Function::strided_batched, PointerMode::host))};
    const Event forked, joined;
    const Graph graph(first, [&] {
        check_cuda(cudaEventRecord(forked, first), "fork");
        check_cuda(cudaStreamWaitEvent(second, forked, 0), "fork");
        check_cublas(cublasSetStream(handle, second), "cublasSetStream");
        CHECK(products[0].call(handle) == CUBLAS_STATUS_SUCCESS);
        check_cublas(cublasSetStream(handle, first), "cublasSetStream");
        CHECK(products[1].call(handle, {Function::strided_batched, EntryWidth::bits_32}) ==
              CUBLAS_STATUS_SUCCESS);
        check_cuda(cudaEventRecord(joined, second), "join");
        check_cuda(cudaStreamWaitEvent(first, joined, 0), "join");
    });
    check_kernels_only(graph);
    for (int replay = 0; replay < 3; ++replay) {
        graph.replay(first);
        for (CublasCase& product : products) CHECK(product.finding() == "");
    }
}

}  // namespace
}  // namespace sgemm_shim::testing
