// Runs under the shim with SGEMM_SHIM_DISABLE=on: it only passes on.
#include <cublas_v2.h>
#include <doctest/doctest.h>

#include "child_process.hpp"
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
    const StandInCall sent = {handle,      0, 1,           8, 9,           10,          nowhere,
                              nowhere + 1, 8, nowhere + 2, 9, nowhere + 3, nowhere + 4, 8};
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 8, 9, 10, nowhere, nowhere + 1, 8, nowhere + 2, 9,
                      nowhere + 3, nowhere + 4, 8) == 13);
    CHECK((real.last == sent));
    real.last = {};
    CHECK(cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, 8, 9, 10, nowhere, nowhere + 1, 8, nowhere + 2, 9,
                         nowhere + 3, nowhere + 4, 8) == 13);
    CHECK((real.last == sent));
    CHECK(real.sgemm_calls == 1);
    CHECK(real.sgemm_64_calls == 1);
    CHECK(real.queries == 0);
    CHECK(contains(shim_summary(), "2 calls, 0 served, 2 forwarded"));
    CHECK(contains(shim_summary(), "forwarded: disabled "));
}
