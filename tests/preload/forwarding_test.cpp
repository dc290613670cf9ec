// Runs under LD_PRELOAD of the shim, linked to the recording stand-in: what is forwarded arrives as it was
// sent, the answer comes back as it was given, and the summary names the reason.
#include <cublas_v2.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "call_sites.hpp"
#include "child_process.hpp"
#include "shim_view.hpp"
#include "stand_in.hpp"

using namespace sgemm_shim::testing;

namespace {

template <class Pointer>
Pointer garbage(std::uintptr_t bits) {
    return reinterpret_cast<Pointer>(bits);
}

/// A call that could be served: legal, with host scalars that exist.
constexpr float one = 1.0f;
StandInCall servable_call(cublasHandle_t handle) {
    return {handle,
            CUBLAS_OP_N,
            CUBLAS_OP_T,
            8,
            9,
            10,
            &one,
            garbage<float*>(0x1000),
            8,
            garbage<float*>(0x2000),
            9,
            &one,
            garbage<float*>(0x3000),
            8};
}

cublasStatus_t send(const StandInCall& c) {
    return cublasSgemm(static_cast<cublasHandle_t>(c.handle), static_cast<cublasOperation_t>(c.transa),
                       static_cast<cublasOperation_t>(c.transb), static_cast<int>(c.m), static_cast<int>(c.n),
                       static_cast<int>(c.k), c.alpha, c.a, static_cast<int>(c.lda), c.b,
                       static_cast<int>(c.ldb), c.beta, c.c, static_cast<int>(c.ldc));
}

cublasStatus_t send_64(const StandInCall& c) {
    return cublasSgemm_64(static_cast<cublasHandle_t>(c.handle), static_cast<cublasOperation_t>(c.transa),
                          static_cast<cublasOperation_t>(c.transb), c.m, c.n, c.k, c.alpha, c.a, c.lda, c.b,
                          c.ldb, c.beta, c.c, c.ldc);
}

/// The stand-in as it was loaded, and a handle of it.
struct Fixture {
    StandIn& real = *stand_in_state();
    cublasHandle_t handle = nullptr;

    Fixture() {
        reset();
        REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
        REQUIRE(handle != nullptr);
    }
    ~Fixture() { reset(); }
    Fixture(const Fixture&) = delete;
    Fixture& operator=(const Fixture&) = delete;

    void reset() {
        real.sgemm_status = real.major;
        real.echo = false;
        real.stream_status = real.pointer_mode_status = real.math_mode_status = real.sm_count_target_status =
            0;
        real.pointer_mode = real.math_mode = real.sm_count_target = 0;
        real.sgemm_calls = real.sgemm_64_calls = real.queries = real.logger_calls = 0;
        real.last = {};
        reset_shim();
    }

    /// Sends the call both ways; it must arrive untouched, its answer come back, and both be counted under
    /// the reason.
    void check_forwarded(const StandInCall& call, const std::string& reason) {
        CAPTURE(reason);
        reset_shim();
        real.last = {};
        CHECK(send(call) == 13);
        CHECK((real.last == call));
        real.last = {};
        CHECK(send_64(call) == 13);
        CHECK((real.last == call));
        const std::string summary = shim_summary();
        CAPTURE(summary);
        CHECK(contains(summary, ": 2 calls, 0 served, 2 forwarded"));
        CHECK(contains(summary, "forwarded: " + reason + " "));
        CHECK(line_count(summary) == 3);
    }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a call that only lacks a GPU is forwarded for that reason") {
    check_forwarded(servable_call(handle), reason_without_context());
    CHECK(real.sgemm_calls == 1);
    CHECK(real.sgemm_64_calls == 1);
    CHECK(real.queries == 8);
}

TEST_CASE_FIXTURE(Fixture, "garbage arrives bit by bit, and is never followed") {
    const auto minimum = std::numeric_limits<int>::min();
    const auto maximum = std::numeric_limits<int>::max();
    const StandInCall garbage_call = {handle,
                                      minimum,
                                      maximum,
                                      -1,
                                      minimum,
                                      maximum,
                                      garbage<float*>(0xdead0001),
                                      garbage<float*>(0xdead0002),
                                      -2,
                                      garbage<float*>(0xdead0003),
                                      minimum,
                                      garbage<float*>(0xdead0004),
                                      garbage<float*>(0xffffffffffffffff),
                                      maximum};
    check_forwarded(garbage_call, "invalid argument");

    StandInCall call = servable_call(handle);
    call.handle = garbage<void*>(0x1);
    real.stream_status = 1;  // as the real library answers for what is no handle
    check_forwarded(call, "handle");
}

TEST_CASE_FIXTURE(Fixture, "device scalars are not followed either") {
    real.pointer_mode = CUBLAS_POINTER_MODE_DEVICE;
    StandInCall call = servable_call(handle);
    call.alpha = garbage<float*>(0xdead0001);
    call.beta = garbage<float*>(0xdead0002);
    check_forwarded(call, reason_without_context());
}

TEST_CASE_FIXTURE(Fixture, "64-bit sizes and leading dimensions keep all their bits") {
    constexpr std::int64_t large = 0x123456789abcdef;
    StandInCall call = servable_call(handle);
    call.m = large;
    call.n = large + 1;
    call.k = large + 2;
    call.lda = large + 3;
    call.ldb = large + 4;
    call.ldc = large + 5;
    CHECK(send_64(call) == 13);
    CHECK((real.last == call));
    call.m = std::numeric_limits<std::int64_t>::min();
    call.ldc = -1;
    CHECK(send_64(call) == 13);
    CHECK((real.last == call));
}

TEST_CASE_FIXTURE(Fixture, "every status comes back as it was given") {
    for (const int status : {0, 1, 3, 7, 8, 11, 13, 14, 15, 16, -1, 12345678}) {
        real.sgemm_status = status;
        CHECK(send(servable_call(handle)) == status);
        CHECK(send_64(servable_call(handle)) == status);
    }
}

TEST_CASE_FIXTURE(Fixture, "a NULL handle is forwarded, and asked nothing") {
    reset_shim();
    CHECK(send(servable_call(nullptr)) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(send_64(servable_call(nullptr)) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(real.queries == 0);
    CHECK(real.sgemm_calls == 1);
    CHECK(real.sgemm_64_calls == 1);
    CHECK(contains(shim_summary(), "forwarded: handle "));
}

TEST_CASE_FIXTURE(Fixture, "a handle that does not answer a query is not trusted") {
    for (int StandIn::*status : {&StandIn::stream_status, &StandIn::pointer_mode_status,
                                 &StandIn::math_mode_status, &StandIn::sm_count_target_status}) {
        real.*status = CUBLAS_STATUS_NOT_INITIALIZED;
        check_forwarded(servable_call(handle), "handle");
        real.*status = 0;
        check_forwarded(servable_call(handle), reason_without_context());
    }
}

TEST_CASE_FIXTURE(Fixture, "a pointer mode that nobody knows is not guessed at") {
    for (const int mode : {2, -1, 100}) {
        real.pointer_mode = mode;
        StandInCall call = servable_call(handle);
        call.alpha = garbage<float*>(0xdead0001);
        check_forwarded(call, "handle");
    }
}

TEST_CASE_FIXTURE(Fixture, "the math mode decides, on every call anew") {
    for (const int mode : {0, 2, 16, 18}) {
        real.math_mode = mode;
        check_forwarded(servable_call(handle), reason_without_context());
    }
    for (const int mode : {1, 3, 17, 19}) {
        real.math_mode = mode;
        check_forwarded(servable_call(handle), "tf32");
    }
    for (const int mode : {4, 5, 20, 64, -1}) {
        real.math_mode = mode;
        check_forwarded(servable_call(handle), "math mode");
    }
    real.math_mode = 0;
    check_forwarded(servable_call(handle), reason_without_context());
}

TEST_CASE_FIXTURE(Fixture, "a multiprocessor target is cuBLAS's business") {
    for (const int target : {1, 66, 132, -1}) {
        real.sm_count_target = target;
        check_forwarded(servable_call(handle), "sm count target");
    }
}

TEST_CASE_FIXTURE(Fixture, "empty calls and NULL pointers are cuBLAS's business") {
    StandInCall call = servable_call(handle);
    call.k = 0;
    check_forwarded(call, "empty");
    call = servable_call(handle);
    call.alpha = nullptr;
    check_forwarded(call, "pointer");
    call = servable_call(handle);
    call.c = nullptr;
    check_forwarded(call, "pointer");
}

TEST_CASE_FIXTURE(Fixture, "while cuBLAS logs, a handle is asked nothing, and NULL is a logged call too") {
    CHECK(cublasLoggerConfigure(1, 0, 0, nullptr) == 13);
    check_forwarded(servable_call(handle), "cublas logging");
    CHECK(send(servable_call(nullptr)) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(real.queries == 0);
    CHECK(!contains(shim_summary(), "forwarded: handle "));
    CHECK(cublasLoggerConfigure(0, 0, 0, nullptr) == 13);
}

TEST_CASE_FIXTURE(Fixture, "while cuBLAS logs, it sees every call") {
    CHECK(cublasLoggerConfigure(1, 0, 0, nullptr) == 13);
    check_forwarded(servable_call(handle), "cublas logging");
    CHECK(cublasLoggerConfigure(0, 0, 0, nullptr) == 13);
    check_forwarded(servable_call(handle), reason_without_context());

    CHECK(cublasSetLoggerCallback([](const char*) {}) == 13);
    check_forwarded(servable_call(handle), "cublas logging");
    CHECK(cublasLoggerConfigure(0, 0, 0, nullptr) == 13);
    check_forwarded(servable_call(handle), "cublas logging");  // the callback is still set
    CHECK(cublasSetLoggerCallback(nullptr) == 13);
    check_forwarded(servable_call(handle), reason_without_context());
    CHECK(real.logger_calls == 5);
}

TEST_CASE_FIXTURE(Fixture, "a call from a place that has called before leaves dlerror() alone") {
    for (int repeat = 0; repeat < 2; ++repeat) {
        CHECK(dlsym(RTLD_DEFAULT, "no such function") == nullptr);
        CHECK(send(servable_call(handle)) == 13);
        const char* text = dlerror();
        if (repeat == 0) continue;  // the first call looks the library up, which uses dlerror() itself
        REQUIRE(text != nullptr);
        CHECK(contains(text, "no such function"));
    }
}

TEST_CASE_FIXTURE(Fixture, "a search leaves no error of its own in dlerror()") {
    CHECK(call_from_site(0, handle, 8) == 13);
    CHECK(dlerror() == nullptr);
}

TEST_CASE_FIXTURE(Fixture, "8 threads, more call sites than are remembered: every call gets its own answer") {
    constexpr int thread_count = 8;
    real.echo = true;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < thread_count; ++thread) {
        threads.emplace_back([&, thread] {
            for (int repeat = 0; repeat < 3; ++repeat) {
                for (int i = 0; i < call_site_count; ++i) {
                    const int site = (i + thread * 7) % call_site_count;
                    const int m = 1 + thread * call_site_count + i;
                    if (call_from_site(site, handle, m) != m) ++wrong;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(real.sgemm_calls == thread_count * 3 * call_site_count);
    CHECK(contains(shim_summary(), ": 120000 calls, 0 served, 120000 forwarded"));
}
