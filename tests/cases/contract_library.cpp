// The rows of tests/data/cases.csv for the machine "library": a program that multiplies with cuBLAS and knows
// nothing of the shim, to be run under LD_PRELOAD by tests/gpu/check_end_to_end.sh. CONTRACT_CASES names the
// file.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "captured_output.hpp"
#include "case_rows.hpp"
#include "tests/gpu/cublas_program.hpp"

namespace sgemm_shim::testing {
namespace {

std::vector<CaseRow> rows_of(const char* runner) {
    const char* path = std::getenv("CONTRACT_CASES");
    if (path == nullptr) throw std::runtime_error("CONTRACT_CASES is not set");
    std::vector<CaseRow> rows = read_case_rows(path);
    std::erase_if(rows, [&](const CaseRow& row) { return row.runner != runner || !row.runs_on("library"); });
    return rows;
}

std::vector<Function> functions_for(const GemmCase& gemm_case) {
    std::vector<Function> functions;
    for (const Function function : every_function) {
        const bool is_batched = std::ranges::find(batched_functions, function) != std::end(batched_functions);
        if (gemm_case.batch_count > 1 && !is_batched && !is_grouped(function)) continue;
        // cuBLAS serves k = 0 itself here, and what its grouped functions do then has not been measured.
        if (is_grouped(function) && (gemm_case.pointer_mode == PointerMode::device || gemm_case.k == 0))
            continue;
        functions.push_back(function);
    }
    return functions;
}

std::string run_both_widths(const GemmCase& gemm_case, cublasHandle_t handle, Function function) {
    for (const EntryWidth width : both_widths) {
        const std::string finding = run_case(gemm_case, handle, {function, width},
                                             gemm_case.k == 0 ? CallClass::empty : CallClass::ordinary);
        if (!finding.empty()) return symbol_of({function, width}) + ": " + finding;
    }
    return "";
}

// First of all, so that it is the first product of the process.
TEST_CASE("the first product does not wait for another stream") {
    const Handle handle;
    const Stream held, free;
    check_cublas(cublasSetStream(handle, free), "cublasSetStream");
    CublasCase product("ops=TT m=512 n=512 k=512 data=integers");
    std::atomic<bool> go{false};
    check_cuda(cudaLaunchHostFunc(
                   held,
                   [](void* flag) {
                       while (!static_cast<std::atomic<bool>*>(flag)->load()) std::this_thread::yield();
                   },
                   &go),
               "cudaLaunchHostFunc");
    // If the product waited for the other stream, this thread would let it go, and say so.
    std::atomic<bool> done{false}, late{false};
    std::thread watchdog([&] {
        for (int i = 0; i < 1000 && !done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        late = !done;
        go = true;
    });
    CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS);
    free.synchronize();
    done = true;
    watchdog.join();
    CHECK_FALSE(late);
    held.synchronize();
    CHECK(product.finding() == "");
}

/// cuBLAS serves k = 0 itself here, and with scalars on the device it rewrites the NaNs of a C that it only
/// scales by 1. That the kernels keep every bit is the comparison loop's to show.
bool is_rewritten_by_cublas(const GemmCase& gemm_case) {
    return gemm_case.k == 0 && gemm_case.pointer_mode == PointerMode::device && gemm_case.beta == 1.0f;
}

// The row's own call by every function that can carry it, its neighbours by one of them by turns.
TEST_CASE("products of the data file") {
    const Handle handle;
    std::size_t run = 0;
    for (const CaseRow& row : rows_of("product")) {
        GemmCase base = parse_product_call(row.call).gemm_case;
        base.seed = static_cast<std::uint64_t>(row.line);
        const std::vector<GemmCase> cases = neighbourhood(base, row.around);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (is_rewritten_by_cublas(cases[i])) continue;
            const std::vector<Function> functions = functions_for(cases[i]);
            for (std::size_t j = 0; j < (i == 0 ? functions.size() : 1); ++j, ++run) {
                const std::string finding =
                    run_both_widths(cases[i], handle, functions[(i == 0 ? j : run) % functions.size()]);
                if (!finding.empty()) FAIL_CHECK(row.id << ": " << finding);
            }
        }
    }
    CHECK(run > 0);
    std::printf("%zu products of the data file\n", run);
}

TEST_CASE("statuses of the data file") {
    const Handle handle;
    const DeviceArray<float> a(std::vector<float>(1, 3.0f)), b(std::vector<float>(1, 4.0f));
    const std::vector<CaseRow> rows = rows_of("status");
    CHECK_FALSE(rows.empty());
    for (const CaseRow& row : rows) {
        CAPTURE(row.id);
        CAPTURE(row.call);
        const AnyCall any = parse_any_call(row.call);
        const GemmCall& call = any.call;
        const DeviceArray<float> c(std::vector<float>(64, 5.0f));
        const bool succeeds = row.property.starts_with("status 0");
        count_call(succeeds ? CallClass::empty : CallClass::invalid);
        const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
        CapturedOutput output;
        const cublasStatus_t status = cublasSgemm(
            handle, static_cast<cublasOperation_t>(call.operation_a),
            static_cast<cublasOperation_t>(call.operation_b), narrow(call.m), narrow(call.n), narrow(call.k),
            &any.alpha, a.data(), narrow(call.a.leading_dimension), b.data(),
            narrow(call.b.leading_dimension), &any.beta, c.data(), narrow(call.c.leading_dimension));
        const std::string printed = output.end();
        CHECK(row.property.starts_with("status " + std::to_string(static_cast<int>(status))));
        if (const std::size_t found = row.property.find("parameter "); found != std::string::npos)
            CHECK(printed == " ** On entry to SGEMM  parameter number " + row.property.substr(found + 10) +
                                 " had an illegal value\n");
        check_cuda(cudaDeviceSynchronize(), "nothing to do");
        const std::vector<float> after = c.download();
        CHECK(std::ranges::all_of(after, [](float value) { return value == 5.0f; }));
    }
}

TEST_CASE("a workspace of the program is left alone after cublasSetStream") {
    const Handle handle;
    const Stream stream;
    constexpr std::size_t floats = std::size_t{8} << 20;  // 32 MiB
    const DeviceArray<float> workspace(std::vector<float>(floats, 7.0f));
    check_cublas(cublasSetWorkspace(handle, const_cast<float*>(workspace.data()), floats * sizeof(float)),
                 "cublasSetWorkspace");
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    CHECK(run_case(parse_case("ops=TN m=64 n=64 k=100000 data=integers"), handle) == "");
    const std::vector<float> after = workspace.download();
    CHECK(std::ranges::all_of(after, [](float value) { return value == 7.0f; }));
}

TEST_CASE("two graphs replayed at the same time do not disturb each other") {
    const Handle handle;
    const Stream capturing, streams[2];
    check_cublas(cublasSetStream(handle, capturing), "cublasSetStream");
    CublasCase products[] = {CublasCase("ops=TN m=64 n=64 k=20000 data=integers"),
                             CublasCase("ops=TN m=64 n=64 k=20000 data=integers seed=5")};
    const auto capture = [&](CublasCase& product) {
        return [&] { CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS); };
    };
    const Graph first(capturing, capture(products[0])), second(capturing, capture(products[1]));
    for (int round = 0; round < 3; ++round) {
        std::thread other([&] { second.replay(streams[1]); });
        first.replay(streams[0]);
        other.join();
        for (CublasCase& product : products) CHECK(product.finding() == "");
    }
}

TEST_CASE("two hundred captures take no memory") {
    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    CublasCase product("m=64 n=64 k=1000 data=integers");
    const auto free_memory = [] {
        std::size_t free_bytes = 0, total = 0;
        check_cuda(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
        return free_bytes;
    };
    std::size_t before = 0;
    for (int i = 0; i < 220; ++i) {
        // The first ones let the driver take what it takes for graphs at all.
        if (i == 20) before = free_memory();
        const Graph graph(stream, [&] { CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS); });
        for (const cudaGraphNodeType type : graph.node_types()) CHECK(type == cudaGraphNodeTypeKernel);
        graph.replay(stream);
    }
    CHECK(free_memory() + (std::size_t{1} << 20) >= before);
    CHECK(product.finding() == "");
}

}  // namespace
}  // namespace sgemm_shim::testing
