// The stand-in for cuBLAS as it was loaded, no choices, no counts, and a call to send both ways.
#pragma once

#include <cublas_v2.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sgemm_shim/sgemm_shim.h"
#include "stand_in.hpp"

namespace sgemm_shim::testing {

inline float* nowhere(std::uintptr_t address) {
    return reinterpret_cast<float*>(address);
}

inline constexpr float one = 1.0f;

/// C (8 x 9) = A (8 x 10) * B^T (10 x 9), every argument told apart from the others.
inline StandInCall column_major_call(cublasHandle_t handle) {
    return {handle,          0, 1, 8, 9, 10, &one, nowhere(0x1000), 20, nowhere(0x2000), 21, &one,
            nowhere(0x3000), 22};
}

inline int send(const StandInCall& c, int order = SGEMM_SHIM_COLUMN_MAJOR) {
    return sgemm_shim_sgemm(static_cast<cublasHandle_t>(c.handle), order, c.transa, c.transb, c.m, c.n, c.k,
                            c.alpha, c.a, c.lda, c.b, c.ldb, c.beta, c.c, c.ldc);
}

inline int explain(const StandInCall& c, sgemm_shim_explanation& explanation,
                   int order = SGEMM_SHIM_COLUMN_MAJOR) {
    return sgemm_shim_explain(static_cast<cublasHandle_t>(c.handle), order, c.transa, c.transb, c.m, c.n, c.k,
                              c.alpha, c.a, c.lda, c.b, c.ldb, c.beta, c.c, c.ldc, &explanation);
}

inline cublasStatus_t send_intercepted(const StandInCall& c) {
    return cublasSgemm_64(static_cast<cublasHandle_t>(c.handle), static_cast<cublasOperation_t>(c.transa),
                          static_cast<cublasOperation_t>(c.transb), c.m, c.n, c.k, c.alpha, c.a, c.lda, c.b,
                          c.ldb, c.beta, c.c, c.ldc);
}

inline std::vector<sgemm_shim_counter> counters() {
    std::vector<sgemm_shim_counter> rows(sgemm_shim_read_counters(nullptr, 0));
    CHECK(sgemm_shim_read_counters(rows.data(), rows.size()) == rows.size());
    return rows;
}

/// Why the calls since the last look were forwarded, if all were for one reason.
inline std::string only_reason() {
    std::string reason;
    for (const sgemm_shim_counter& row : counters()) {
        CHECK(row.forwarded == 1);
        if (!reason.empty() && reason != row.reason_name) return "several";
        reason = row.reason_name;
    }
    sgemm_shim_reset_counters();
    return reason;
}

/// Of a call that lacks nothing but a GPU or, where there is one, a CUDA context.
inline bool is_lack_of_gpu(const std::string& reason) {
    return reason == "driver" || reason == "context";
}

struct Fixture {
    StandIn& real = *stand_in_state();
    cublasHandle_t handle = nullptr;

    Fixture() {
        reset();
        REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    }
    ~Fixture() { reset(); }
    Fixture(const Fixture&) = delete;
    Fixture& operator=(const Fixture&) = delete;

    void reset() {
        real.sgemm_status = real.major;
        real.stream_status = real.pointer_mode_status = real.math_mode_status = real.sm_count_target_status =
            0;
        real.pointer_mode = real.math_mode = real.sm_count_target = 0;
        real.sgemm_calls = real.sgemm_64_calls = real.queries = 0;
        real.last = {};
        CHECK(sgemm_shim_choose_kernel(nullptr) == 0);
        CHECK(sgemm_shim_choose_kernel_for_thread(nullptr) == 0);
        sgemm_shim_reset_counters();
    }
};

}  // namespace sgemm_shim::testing
