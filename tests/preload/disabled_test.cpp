// Runs under the shim with SGEMM_SHIM_DISABLE=on: it only passes on.
#include <cublas_v2.h>
#include <doctest/doctest.h>

#include <string>

#include "child_process.hpp"
#include "entry_points.hpp"
#include "shim_view.hpp"
#include "stand_in.hpp"

using namespace sgemm_shim::testing;

TEST_CASE("switched off, the shim asks the handle nothing and passes everything on") {
    StandIn& real = *stand_in_state();
    cublasHandle_t handle = nullptr;
    REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    reset_shim();
    real.queries = 0;
    float* const nowhere = reinterpret_cast<float*>(0x1000);
    const StandInCall sent = {
        handle,      CUBLAS_OP_N, CUBLAS_OP_T,
        8,           9,           10,
        nowhere,     nowhere + 1, 8,
        nowhere + 2, 9,           nowhere + 3,
        nowhere + 4, 8,           {{0, 0, 0}, {100, 200, 300}, 5, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT}};
    for (const EntryPoint& entry : entry_points()) {
        CAPTURE(entry.name);
        CHECK(entry.send(sent) == 13);
        CHECK((real.last == as_taken(entry, sent)));
        CHECK(std::string(real.last_function) == entry.name);
    }
    CHECK(real.sgemm_calls == 1);
    CHECK(real.sgemm_64_calls == 1);
    CHECK(real.other_calls == 16);
    CHECK(real.queries == 0);
    const std::string summary = shim_summary();
    CHECK(contains(summary, ": 18 calls, 0 served, 18 forwarded"));
    CHECK(contains(summary, "forwarded: disabled "));
    CHECK(line_count(summary) == 19);
}
