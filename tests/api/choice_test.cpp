// Who decides about the kernel: the thread, the process, the environment (cublas, in this program).
#include <string>
#include <thread>

#include "fixture.hpp"

using namespace sgemm_shim::testing;

namespace {

/// What an explanation says of the next call's kernel and of who chose it.
std::string candidate(cublasHandle_t handle) {
    sgemm_shim_explanation explanation;
    CHECK(explain(column_major_call(handle), explanation) == 0);
    return std::string(explanation.candidate_name) + " by " + explanation.chosen_by;
}

/// What auto names where there is no GPU to choose for.
std::string fastest() {
    return "double_buffer";
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "thread beats process beats environment, and NULL goes one step back") {
    CHECK(candidate(handle) == "cublas by environment");
    CHECK(sgemm_shim_choose_kernel("naive") == 0);
    CHECK(candidate(handle) == "naive by process");
    CHECK(sgemm_shim_choose_kernel_for_thread("2") == 0);
    CHECK(candidate(handle) == "shared_memory by thread");
    CHECK(sgemm_shim_choose_kernel("float4") == 0);
    CHECK(candidate(handle) == "shared_memory by thread");
    CHECK(sgemm_shim_choose_kernel_for_thread(nullptr) == 0);
    CHECK(candidate(handle) == "float4 by process");
    CHECK(sgemm_shim_choose_kernel(nullptr) == 0);
    CHECK(candidate(handle) == "cublas by environment");
}

TEST_CASE_FIXTURE(Fixture, "an explicit auto is a choice, for the process and for the thread") {
    CHECK(std::string(sgemm_shim_chosen_kernel()) == "cublas");
    CHECK(sgemm_shim_choose_kernel("auto") == 0);
    CHECK(candidate(handle) == fastest() + " by process");
    CHECK(std::string(sgemm_shim_chosen_kernel()) == "auto");
    CHECK(sgemm_shim_choose_kernel("naive") == 0);
    CHECK(sgemm_shim_choose_kernel_for_thread("auto") == 0);
    CHECK(candidate(handle) == fastest() + " by thread");
    CHECK(std::string(sgemm_shim_chosen_kernel()) == "auto");
}

TEST_CASE_FIXTURE(Fixture, "what is no kernel is refused and changes nothing") {
    CHECK(sgemm_shim_choose_kernel("naive") == 0);
    CHECK(sgemm_shim_choose_kernel_for_thread("global_memory_coalescing") == 0);
    for (const char* name : {"", "nave", "NAIVE", "99", "-1", "1 ", "auto ", "Auto"}) {
        CAPTURE(name);
        CHECK(sgemm_shim_choose_kernel(name) == -1);
        CHECK(sgemm_shim_choose_kernel_for_thread(name) == -1);
        CHECK(candidate(handle) == "naive by thread");
    }
    CHECK(sgemm_shim_choose_kernel_for_thread(nullptr) == 0);
    CHECK(candidate(handle) == "naive by process");
}

TEST_CASE_FIXTURE(Fixture, "a thread's choice is its own, and the process's is everybody's") {
    CHECK(sgemm_shim_choose_kernel_for_thread("naive") == 0);
    CHECK(sgemm_shim_choose_kernel("float4") == 0);
    std::string others;
    std::thread([&] {
        others = sgemm_shim_chosen_kernel();
        sgemm_shim_choose_kernel_for_thread("2");
        others += std::string(" ") + sgemm_shim_chosen_kernel();
    }).join();
    CHECK(others == "float4 shared_memory");
    CHECK(std::string(sgemm_shim_chosen_kernel()) == "naive");
}

TEST_CASE_FIXTURE(Fixture, "a choice acts on intercepted calls and on the interface's own alike") {
    const StandInCall call = column_major_call(handle);
    const auto reason = [&](auto send_call) {
        CHECK(send_call(call) == 13);
        return only_reason();
    };
    for (int turn = 0; turn < 2; ++turn) {
        CHECK(reason(send_intercepted) == "kernel cublas");
        CHECK(reason([](const StandInCall& c) { return send(c); }) == "kernel cublas");
        CHECK(real.queries == 0);  // decided before the handle is asked
        CHECK((turn == 0 ? sgemm_shim_choose_kernel : sgemm_shim_choose_kernel_for_thread)("naive") == 0);
        CHECK(is_lack_of_gpu(reason(send_intercepted)));
        CHECK(is_lack_of_gpu(reason([](const StandInCall& c) { return send(c); })));
        CHECK(real.queries == 8);
        reset();
    }
    CHECK(sgemm_shim_choose_kernel("auto") == 0);
    CHECK(sgemm_shim_choose_kernel_for_thread("cublas") == 0);
    CHECK(reason(send_intercepted) == "kernel cublas");
}
