#include <string>

#include "fixture.hpp"

using namespace sgemm_shim::testing;

TEST_CASE_FIXTURE(Fixture, "calls are counted under the symbol that was called") {
    const StandInCall call = column_major_call(handle);
    real.sgemm_status = 0;
    CHECK(counters().empty());
    send(call);
    send(call, SGEMM_SHIM_ROW_MAJOR);
    send_intercepted(call);
    const auto rows = counters();
    REQUIRE(rows.size() == 2);
    CHECK(std::string(rows[0].entry_point) == "cublasSgemm_v2_64");
    CHECK(rows[0].calls == 1);
    CHECK(rows[0].flops == 1440);
    CHECK(std::string(rows[1].entry_point) == "sgemm_shim_sgemm");
    CHECK(rows[1].calls == 2);
    for (const sgemm_shim_counter& row : rows) {
        CHECK(row.forwarded == 1);
        CHECK(row.kernel_number == 0);
        CHECK(std::string(row.kernel_name) == "cublas");
        CHECK(row.reason > 0);
        CHECK(std::string(row.reason_name) == "kernel cublas");
    }
}

TEST_CASE_FIXTURE(Fixture, "rows beyond the capacity are counted, not written") {
    send(column_major_call(handle));
    send_intercepted(column_major_call(handle));
    sgemm_shim_counter rows[2] = {};
    rows[1].calls = 4711;
    CHECK(sgemm_shim_read_counters(rows, 1) == 2);
    CHECK(rows[0].calls == 1);
    CHECK(rows[1].calls == 4711);
    CHECK(sgemm_shim_read_counters(nullptr, 0) == 2);
    CHECK(sgemm_shim_read_counters(nullptr, 2) == 2);
}

TEST_CASE_FIXTURE(Fixture, "what cuBLAS refused adds no FLOPs") {
    send(column_major_call(nullptr));
    real.sgemm_status = 14;
    send(column_major_call(handle));
    double flops = 0;
    for (const sgemm_shim_counter& row : counters()) flops += row.flops;
    CHECK(flops == 0);
    real.sgemm_status = 0;
    send(column_major_call(handle));
    for (const sgemm_shim_counter& row : counters()) flops += row.flops;
    CHECK(flops == 1440);
}

TEST_CASE_FIXTURE(Fixture, "the summary is the same as text, and both can be reset") {
    send(column_major_call(handle));
    char text[1024];
    const std::string summary(text, sgemm_shim_summary(text, sizeof text));
    CHECK(summary.find(": 1 calls, 0 served, 1 forwarded") != std::string::npos);
    CHECK(summary.find("sgemm_shim_sgemm") != std::string::npos);
    CHECK(summary.find("forwarded: kernel cublas ") != std::string::npos);
    sgemm_shim_reset_counters();
    CHECK(counters().empty());
    const std::string empty(text, sgemm_shim_summary(text, sizeof text));
    CHECK(empty.find(": 0 calls,") != std::string::npos);
}
