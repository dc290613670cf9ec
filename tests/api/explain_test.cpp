// Explanations: every field, the text, and that nothing happens.
#include <cstring>
#include <string>

#include "fixture.hpp"

using namespace sgemm_shim::testing;

namespace {

bool mentions(const sgemm_shim_explanation& explanation, const std::string& part) {
    return std::string(explanation.text).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a call that only lacks a GPU") {
    CHECK(sgemm_shim_choose_kernel("naive") == 0);
    sgemm_shim_explanation explanation;
    std::memset(&explanation, 0x5a, sizeof explanation);
    CHECK(explain(column_major_call(handle), explanation) == 0);
    CHECK(explanation.forwarded == 1);
    CHECK(explanation.kernel_number == 0);
    CHECK(std::string(explanation.kernel_name) == "cublas");
    CHECK(explanation.reason > 0);
    CHECK(is_lack_of_gpu(explanation.reason_name));
    CHECK(explanation.flops == 2.0 * 8 * 9 * 10);
    CHECK(std::string(explanation.candidate_name) == "naive");
    CHECK(std::string(explanation.chosen_by) == "process");
    CHECK(std::string(explanation.pointer_mode) == "host");
    CHECK(std::string(explanation.precision) == "fp32");
    CHECK(explanation.compute_capability_major == 0);
    CHECK(explanation.multiprocessor_count == 0);
    CHECK(mentions(explanation, "m=8 n=9 k=10"));
    CHECK(mentions(explanation, std::string("goes to the real cuBLAS (") + explanation.reason_name + "): "));
    CHECK(mentions(explanation, "Candidate: naive (chosen by: process)"));
    CHECK(!mentions(explanation, "unknown"));
}

TEST_CASE_FIXTURE(Fixture, "explaining is not calling") {
    for (const char* kernel : {"auto", "cublas"}) {
        CHECK(sgemm_shim_choose_kernel(kernel) == 0);
        sgemm_shim_explanation explanation;
        StandInCall call = column_major_call(handle);
        call.alpha = call.beta = nowhere(0xdead0001);
        CHECK(explain(call, explanation) == 0);
        CHECK(explain(call, explanation, SGEMM_SHIM_ROW_MAJOR) == 0);
    }
    CHECK(real.sgemm_calls == 0);
    CHECK(real.sgemm_64_calls == 0);
    CHECK(counters().empty());
}

TEST_CASE_FIXTURE(Fixture, "the explanation names the reason that the call is then counted under") {
    CHECK(sgemm_shim_choose_kernel("auto") == 0);
    real.sgemm_status = 0;  // FLOPs are counted when cuBLAS says that they are done
    const auto check = [&](const StandInCall& call, const char* reason) {
        CAPTURE(reason);
        sgemm_shim_explanation explanation;
        CHECK(explain(call, explanation) == (call.handle == nullptr ? 1 : 0));
        CHECK(std::string(explanation.reason_name) == reason);
        CHECK(!mentions(explanation, "): unknown"));
        send(call);
        REQUIRE(counters().size() == 1);
        CHECK(counters().front().reason == explanation.reason);
        CHECK(counters().front().flops == explanation.flops);
        CHECK(only_reason() == reason);
    };
    const StandInCall good = column_major_call(handle);
    StandInCall call = good;
    call.k = 0;
    check(call, "empty");
    call = good;
    call.lda = 7;
    check(call, "invalid argument");
    call = good;
    call.c = nullptr;
    check(call, "pointer");
    check(column_major_call(nullptr), "handle");
    real.math_mode = 3;
    check(good, "tf32");
    real.math_mode = 4;
    check(good, "math mode");
    real.sm_count_target = 66;
    check(good, "sm count target");
    real.stream_status = 1;
    check(good, "handle");
    CHECK(sgemm_shim_choose_kernel_for_thread("0") == 0);
    check(good, "kernel cublas");
    CHECK(sgemm_shim_choose_kernel_for_thread(nullptr) == 0);
    CHECK(cublasLoggerConfigure(1, 0, 0, nullptr) == 13);
    check(good, "cublas logging");
    CHECK(cublasLoggerConfigure(0, 0, 0, nullptr) == 13);
}

TEST_CASE_FIXTURE(Fixture, "modes of the handle are told") {
    CHECK(sgemm_shim_choose_kernel("auto") == 0);
    real.pointer_mode = CUBLAS_POINTER_MODE_DEVICE;
    real.math_mode = 3;
    sgemm_shim_explanation explanation;
    CHECK(explain(column_major_call(handle), explanation) == 0);
    CHECK(std::string(explanation.pointer_mode) == "device");
    CHECK(std::string(explanation.precision) == "tf32");
    CHECK(mentions(explanation, "scalars: device; precision: tf32"));
}

TEST_CASE_FIXTURE(Fixture, "a NULL handle is explained, with what can be known") {
    CHECK(sgemm_shim_choose_kernel("auto") == 0);
    sgemm_shim_explanation explanation;
    CHECK(explain(column_major_call(nullptr), explanation) == 1);
    CHECK(explanation.forwarded == 1);
    CHECK(std::string(explanation.reason_name) == "handle");
    CHECK(std::string(explanation.pointer_mode) == "unknown");
    CHECK(std::string(explanation.precision) == "unknown");
    CHECK(explanation.flops == 0);
    CHECK(mentions(explanation, "the handle is NULL"));
    CHECK(real.queries == 0);
}

TEST_CASE_FIXTURE(Fixture, "row-major calls are judged in their own terms") {
    CHECK(sgemm_shim_choose_kernel("auto") == 0);
    sgemm_shim_explanation explanation;
    // A (2 x 40) needs lda >= 40 in rows, and B (40 x 3) ldb >= 3: column-major wants 2 and 40.
    const StandInCall call = {handle,        0, 0, 2, 3, 40, &one, nowhere(0x10), 40, nowhere(0x20), 3, &one,
                              nowhere(0x30), 3};
    CHECK(explain(call, explanation, SGEMM_SHIM_ROW_MAJOR) == 0);
    CHECK(is_lack_of_gpu(explanation.reason_name));
    CHECK(explain(call, explanation, SGEMM_SHIM_COLUMN_MAJOR) == 0);
    CHECK(std::string(explanation.reason_name) == "invalid argument");
}

TEST_CASE_FIXTURE(Fixture, "no place for the answer, or an unknown order, is status 7") {
    sgemm_shim_explanation explanation;
    explanation.reason = 4711;
    CHECK(explain(column_major_call(handle), explanation, 2) == 7);
    CHECK(explanation.reason == 4711);
    CHECK(sgemm_shim_explain(handle, SGEMM_SHIM_ROW_MAJOR, 0, 0, 1, 1, 1, &one, &one, 1, &one, 1, &one,
                             nowhere(0x10), 1, nullptr) == 7);
}
