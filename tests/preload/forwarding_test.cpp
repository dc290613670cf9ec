// Runs under LD_PRELOAD of the shim, linked to the recording stand-in: what is forwarded arrives as it was
// sent, the answer comes back as it was given, and the summary names the reason.
#include <cublas_v2.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "call_sites.hpp"
#include "child_process.hpp"
#include "entry_points.hpp"
#include "shim_view.hpp"
#include "stand_in.hpp"

using namespace sgemm_shim::testing;

namespace {

template <class Pointer>
Pointer garbage(std::uintptr_t bits) {
    return reinterpret_cast<Pointer>(bits);
}

constexpr std::int64_t beyond_32_bits = (std::int64_t{1} << 33) + 5;

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
            11,
            garbage<float*>(0x2000),
            12,
            &one,
            garbage<float*>(0x3000),
            13,
            {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
             {-123, 0, beyond_32_bits},
             7,
             CUBLAS_COMPUTE_32F,
             CUBLAS_GEMM_DEFAULT}};
}

/// By cublasSgemm, where one function stands for all.
cublasStatus_t send(const StandInCall& call) {
    return entry_points().front().send(call);
}

bool every_function(const EntryPoint&) {
    return true;
}
bool is_wide(const EntryPoint& entry) {
    return entry.wide;
}
bool takes_batch_count(const EntryPoint& entry) {
    return entry.extras.batch_count();
}
bool takes_strides(const EntryPoint& entry) {
    return entry.extras.strides;
}
bool takes_types(const EntryPoint& entry) {
    return entry.extras.types;
}
bool takes_compute_type(const EntryPoint& entry) {
    return entry.extras.compute_type;
}
bool takes_algorithm(const EntryPoint& entry) {
    return entry.extras.algorithm;
}
bool takes_groups(const EntryPoint& entry) {
    return entry.extras.groups;
}
bool takes_no_groups(const EntryPoint& entry) {
    return !entry.extras.groups;
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
        real.sgemm_calls = real.sgemm_64_calls = real.other_calls = real.queries = real.logger_calls = 0;
        real.last = {};
        real.last_groups = {};
        real.arrays_are_garbage = false;
        real.last_function = "";
        reset_shim();
    }

    /// Sends the call through each function that `wanted` names: it must arrive untouched at the function of
    /// the same name, its answer come back, and it be counted for that function under the reason.
    void check_forwarded(const StandInCall& call, const std::string& reason,
                         bool (*wanted)(const EntryPoint&) = every_function, int status = 13) {
        CAPTURE(reason);
        int sent = 0;
        for (const EntryPoint& entry : entry_points()) {
            if (!wanted(entry)) continue;
            CAPTURE(entry.name);
            ++sent;
            reset_shim();
            real.last = {};
            real.last_function = "";
            real.sgemm_calls = real.sgemm_64_calls = real.other_calls = 0;
            CHECK(entry.send(call) == status);
            CHECK(real.sgemm_calls + real.sgemm_64_calls + real.other_calls == 1);
            CHECK(std::string(real.last_function) == entry.name);
            CHECK((real.last == as_taken(entry, call)));
            const std::string summary = shim_summary();
            CAPTURE(summary);
            CHECK(contains(summary, ": 1 calls, 0 served, 1 forwarded"));
            CHECK(contains(summary, "  " + std::string(entry.name) + " "));
            CHECK(contains(summary, " forwarded: " + reason + "  "));
            CHECK(line_count(summary) == 2);
        }
        CHECK(sent > 0);
    }
};

}  // namespace

TEST_CASE("the table names each function once") {
    std::set<std::string> names;
    for (const EntryPoint& entry : entry_points()) CHECK(names.insert(entry.name).second);
    CHECK(names.size() == 18);
}

TEST_CASE_FIXTURE(Fixture, "a call that only lacks a GPU is forwarded for that reason") {
    check_forwarded(servable_call(handle), reason_without_context());
    CHECK(real.queries == 18 * 4);
}

TEST_CASE_FIXTURE(Fixture, "garbage arrives bit by bit, and is never followed") {
    const auto minimum = std::numeric_limits<int>::min();
    const auto maximum = std::numeric_limits<int>::max();
    constexpr long long least = std::numeric_limits<long long>::min();
    StandInCall call = {handle,
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
                        maximum,
                        {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
                         {least, -1, ~least},
                         -3,
                         CUBLAS_COMPUTE_32F_PEDANTIC,
                         CUBLAS_GEMM_ALGO15_TENSOR_OP}};
    check_forwarded(call, "invalid argument");
    call.extras.algorithm = minimum;
    check_forwarded(call, "algo", takes_algorithm);
    call.extras.compute_type = maximum;
    check_forwarded(call, "compute type", takes_compute_type);
    call.extras.types = {minimum, maximum, -1};
    check_forwarded(call, "type", takes_types);

    call = servable_call(handle);
    call.handle = garbage<void*>(0x1);
    real.stream_status = 1;  // as the real library answers for what is no handle
    check_forwarded(call, "handle");
}

TEST_CASE_FIXTURE(Fixture, "device scalars are not followed either") {
    real.pointer_mode = CUBLAS_POINTER_MODE_DEVICE;
    StandInCall call = servable_call(handle);
    call.alpha = garbage<float*>(0xdead0001);
    call.beta = garbage<float*>(0xdead0002);
    check_forwarded(call, reason_without_context(), takes_no_groups);
    check_forwarded(call, "invalid argument", takes_groups);  // cuBLAS refuses it
}

TEST_CASE_FIXTURE(Fixture, "64-bit sizes, leading dimensions and counts keep all their bits") {
    constexpr std::int64_t large = 0x123456789abcdef;
    StandInCall call = servable_call(handle);
    call.m = large;
    call.n = large + 1;
    call.k = large + 2;
    call.lda = large + 3;
    call.ldb = large + 4;
    call.ldc = large + 5;
    call.extras.batch_count = large + 6;
    check_forwarded(call, reason_without_context(), is_wide);
    call.m = std::numeric_limits<std::int64_t>::min();
    call.ldc = -1;
    call.extras.batch_count = std::numeric_limits<std::int64_t>::min();
    check_forwarded(call, "invalid argument", is_wide);
}

TEST_CASE_FIXTURE(Fixture, "strides of any sign and size") {
    constexpr long long most = std::numeric_limits<long long>::max();
    for (const long long stride :
         {0ll, 1ll, -1ll, 1ll << 31, -(1ll << 31), -(1ll << 40) - 7, most, -most - 1}) {
        for (const std::size_t operand : {0, 1, 2}) {
            StandInCall call = servable_call(handle);
            call.extras.strides[operand] = stride;
            const bool overlaps = stride == 0 && operand == 2;
            check_forwarded(call, overlaps ? "stride of C" : reason_without_context(), takes_strides);
            call.extras.batch_count = 1;
            check_forwarded(call, reason_without_context(), takes_strides);
        }
    }
}

TEST_CASE_FIXTURE(Fixture, "batch counts") {
    StandInCall call = servable_call(handle);
    for (const std::int64_t count : {1, 2, 65536, 70000, std::numeric_limits<int>::max()}) {
        call.extras.batch_count = count;
        check_forwarded(call, reason_without_context(), takes_batch_count);
    }
    call.extras.batch_count = 0;
    check_forwarded(call, "empty", takes_batch_count);
    call.extras.batch_count = -1;
    check_forwarded(call, "invalid argument", takes_batch_count);
}

TEST_CASE_FIXTURE(Fixture, "a matrix of another type is cuBLAS's business, scalars and all") {
    for (const std::size_t operand : {0, 1, 2}) {
        for (const int type : {int{CUDA_R_16F}, int{CUDA_R_64F}, int{CUDA_C_32F}, int{CUDA_R_16BF}, 77, -1}) {
            StandInCall call = servable_call(handle);
            call.extras.types[operand] = type;
            call.alpha = garbage<float*>(0xdead0001);
            check_forwarded(call, "type", takes_types);
        }
    }
}

TEST_CASE_FIXTURE(Fixture, "compute types and algorithms") {
    StandInCall call = servable_call(handle);
    call.extras.compute_type = CUBLAS_COMPUTE_32F_PEDANTIC;
    check_forwarded(call, reason_without_context(), takes_compute_type);
    for (const int type : {0, 64, 65, 70, 71, 72, 73, 74, 75, 77, 78, -1}) {
        call.extras.compute_type = type;
        call.alpha = garbage<float*>(0xdead0001);
        check_forwarded(call, "compute type", takes_compute_type);
    }
    call = servable_call(handle);
    for (const int algorithm : {-1, 0, 23, 99, 100, 115}) {
        call.extras.algorithm = algorithm;
        check_forwarded(call, reason_without_context(), takes_algorithm);
    }
    for (const int algorithm : {-2, 24, 98, 116, 1000}) {
        call.extras.algorithm = algorithm;
        check_forwarded(call, "algo", takes_algorithm);
    }
}

TEST_CASE_FIXTURE(Fixture, "every status comes back as it was given") {
    for (const int status : {0, 1, 3, 7, 8, 11, 13, 14, 15, 16, -1, 12345678}) {
        real.sgemm_status = status;
        check_forwarded(servable_call(handle), reason_without_context(), every_function, status);
    }
}

TEST_CASE_FIXTURE(Fixture, "a NULL handle is forwarded, and asked nothing") {
    check_forwarded(servable_call(nullptr), "handle", every_function, CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(real.queries == 0);
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
    check_forwarded(servable_call(nullptr), "cublas logging", every_function, CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(real.queries == 0);
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
