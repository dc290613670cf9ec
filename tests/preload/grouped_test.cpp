// Several groups in one call, under LD_PRELOAD of the shim and without a GPU: every array arrives where it
// is, arrays that cuBLAS may refuse unread are not read, and each group is counted. Calls of one group are in
// forwarding_test.
#include <cublas_v2.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "child_process.hpp"
#include "shim_view.hpp"
#include "stand_in.hpp"

using namespace sgemm_shim::testing;

namespace {

/// Three groups of 2, 1 and 4 matrices. Only the arrays exist, not the matrices.
template <class Size>
struct Groups {
    cublasOperation_t transa[3] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    cublasOperation_t transb[3] = {CUBLAS_OP_T, CUBLAS_OP_N, CUBLAS_OP_N};
    Size m[3] = {8, 5, 3}, n[3] = {9, 6, 2}, k[3] = {10, 7, 1};
    float alpha[3] = {1, 2, 3}, beta[3] = {0, 1, 2};
    Size lda[3] = {8, 7, 1}, ldb[3] = {9, 7, 1}, ldc[3] = {8, 5, 3};
    Size size[3] = {2, 1, 4};
    Size count = 3;
    const float* const* a = reinterpret_cast<const float* const*>(0x1000);
    const float* const* b = reinterpret_cast<const float* const*>(0x2000);
    float* const* c = reinterpret_cast<float* const*>(0x3000);
    cudaDataType type = CUDA_R_32F;

    StandInGroups expected() const {
        return {{transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, size}, count};
    }
};

/// The four functions, by the width of their sizes.
template <class Size>
cublasStatus_t send(cublasHandle_t handle, const Groups<Size>& groups, bool typed,
                    const cublasOperation_t* transa) {
    const auto call = [&](auto plain, auto ex) {
        const void* const* a = reinterpret_cast<const void* const*>(groups.a);
        const void* const* b = reinterpret_cast<const void* const*>(groups.b);
        void* const* c = reinterpret_cast<void* const*>(groups.c);
        return typed ? ex(handle, transa, groups.transb, groups.m, groups.n, groups.k, groups.alpha, a,
                          groups.type, groups.lda, b, groups.type, groups.ldb, groups.beta, c, groups.type,
                          groups.ldc, groups.count, groups.size, CUBLAS_COMPUTE_32F)
                     : plain(handle, transa, groups.transb, groups.m, groups.n, groups.k, groups.alpha,
                             groups.a, groups.lda, groups.b, groups.ldb, groups.beta, groups.c, groups.ldc,
                             groups.count, groups.size);
    };
    if constexpr (sizeof(Size) == 8)
        return call(cublasSgemmGroupedBatched_64, cublasGemmGroupedBatchedEx_64);
    else
        return call(cublasSgemmGroupedBatched, cublasGemmGroupedBatchedEx);
}

struct Fixture {
    StandIn& real = *stand_in_state();
    cublasHandle_t handle = nullptr;

    Fixture() { REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS); }

    /// Sends groups that `change` has been at by all four functions. They must arrive as they are, and be
    /// counted `counted` times, for this reason.
    template <class Change>
    void check(Change change, const std::string& reason, int counted) {
        CAPTURE(reason);
        for (const bool typed : {false, true}) {
            check_width<int>(change, typed, reason, counted);
            check_width<std::int64_t>(change, typed, reason, counted);
        }
    }

    template <class Size, class Change>
    void check_width(Change change, bool typed, const std::string& reason, int counted) {
        Groups<Size> groups;
        cublasHandle_t used = handle;
        const cublasOperation_t* transa = groups.transa;
        real.arrays_are_garbage = false;
        change(groups, transa, used, real);
        reset_shim();
        real.last_groups = {};
        real.other_calls = 0;
        CHECK(send(used, groups, typed, transa) == (used != nullptr ? 13 : CUBLAS_STATUS_NOT_INITIALIZED));
        StandInGroups expected = groups.expected();
        expected.arrays[0] = transa;
        CHECK((real.last_groups == expected));
        CHECK(real.other_calls == 1);
        const std::string name =
            std::string(typed ? "cublasGemmGroupedBatchedEx" : "cublasSgemmGroupedBatched") +
            (sizeof(Size) == 8 ? "_64" : "");
        const std::string summary = shim_summary();
        CAPTURE(summary);
        CHECK(contains(summary, ": " + std::to_string(counted) + " calls, 0 served, " +
                                    std::to_string(counted) + " forwarded"));
        CHECK(contains(summary, "  " + name + " "));
        CHECK(contains(summary, " forwarded: " + reason + "  "));
        CHECK(line_count(summary) == 2);
    }
};

/// What no test can read without a fault.
constexpr std::uintptr_t garbage = 0xdead0000;

}  // namespace

TEST_CASE_FIXTURE(Fixture, "groups that only lack a GPU arrive as they are, and each is counted") {
    check([](auto&, auto&, auto&, auto&) {}, reason_without_context(), 3);
}

TEST_CASE_FIXTURE(Fixture, "one group that cannot be served, wherever it stands, sends all to cuBLAS") {
    for (const int place : {0, 1, 2}) {
        check([&](auto& groups, auto&, auto&, auto&) { groups.m[place] = 0; },
              place == 0 ? "empty" : reason_without_context(), 3);
        check([&](auto& groups, auto&, auto&, auto&) { groups.size[place] = -1; },
              place == 0 ? "invalid argument" : reason_without_context(), 3);
    }
}

TEST_CASE_FIXTURE(Fixture, "no group, and fewer") {
    check([](auto& groups, auto&, auto&, auto&) { groups.count = 0; }, "empty", 1);
    check([](auto& groups, auto&, auto&, auto&) { groups.count = -1; }, "invalid argument", 1);
}

TEST_CASE_FIXTURE(Fixture, "arrays are not read where cuBLAS may refuse the call without") {
    const auto unreadable = [](auto& groups, const cublasOperation_t*& transa, auto&, StandIn& real) {
        transa = reinterpret_cast<const cublasOperation_t*>(garbage);
        real.arrays_are_garbage = true;
        (void)groups;
    };
    check(
        [&](auto& groups, auto& transa, cublasHandle_t& used, StandIn& real) {
            unreadable(groups, transa, used, real);
            used = nullptr;
        },
        "handle", 1);
    check(
        [&](auto& groups, auto& transa, auto& used, StandIn& real) {
            unreadable(groups, transa, used, real);
            groups.count = -5;
        },
        "invalid argument", 1);
    real.pointer_mode = CUBLAS_POINTER_MODE_DEVICE;
    check(unreadable, "invalid argument", 1);
    real.pointer_mode = CUBLAS_POINTER_MODE_HOST;
    real.math_mode = CUBLAS_TF32_TENSOR_OP_MATH;
    check([](auto&, auto&, auto&, auto&) {}, "tf32", 3);
    real.math_mode = CUBLAS_DEFAULT_MATH;
    for (const bool wide : {false, true}) {
        const auto other_type = [&](auto& groups, auto& transa, auto& used, StandIn& stand_in) {
            unreadable(groups, transa, used, stand_in);
            groups.type = CUDA_R_16F;
        };
        if (wide)
            check_width<std::int64_t>(other_type, true, "type", 1);
        else
            check_width<int>(other_type, true, "type", 1);
    }
}

TEST_CASE_FIXTURE(Fixture, "an array that is not there is cuBLAS's business") {
    real.arrays_are_garbage = false;
    check(
        [](auto&, const cublasOperation_t*& transa, auto&, StandIn& stand_in) {
            transa = nullptr;
            stand_in.arrays_are_garbage = true;
        },
        "pointer", 1);
    check([](auto& groups, auto&, auto&, auto&) { groups.a = nullptr; }, "pointer", 1);
    check([](auto& groups, auto&, auto&, auto&) { groups.c = nullptr; }, "pointer", 1);
}
