// What reaches the real library through sgemm_shim_sgemm.
#include <limits>

#include "fixture.hpp"

using namespace sgemm_shim::testing;

namespace {

/// The call whose column-major form is `call`, written by a row-major caller.
StandInCall row_major_form(const StandInCall& call) {
    return {call.handle, call.transb, call.transa, call.n,   call.m,    call.k, call.alpha,
            call.b,      call.ldb,    call.a,      call.lda, call.beta, call.c, call.ldc};
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a column-major call arrives as it was sent, and the status comes back") {
    CHECK(sgemm_shim_choose_kernel("auto") == 0);
    const StandInCall call = column_major_call(handle);
    for (const int status : {0, 1, 7, 13, 14, 15, 12345}) {
        real.sgemm_status = status;
        real.last = {};
        CHECK(send(call) == status);
        CHECK((real.last == call));
    }
    CHECK(real.sgemm_calls == 7);
    CHECK(real.sgemm_64_calls == 0);
}

TEST_CASE_FIXTURE(Fixture, "a row-major call arrives with operands, sizes and transpositions changed over") {
    for (const char* kernel : {"auto", "cublas"}) {
        CHECK(sgemm_shim_choose_kernel(kernel) == 0);
        for (const int transa : {0, 1, 2}) {
            for (const int transb : {0, 1, 2}) {
                StandInCall call = column_major_call(handle);
                call.transa = transa;
                call.transb = transb;
                real.last = {};
                CHECK(send(row_major_form(call), SGEMM_SHIM_ROW_MAJOR) == 13);
                CHECK((real.last == call));
            }
        }
    }
    // Spelt out once, for a reader and against a mistake in row_major_form().
    CHECK(sgemm_shim_sgemm(handle, SGEMM_SHIM_ROW_MAJOR, 0, 1, 2, 3, 4, &one, nowhere(0xa), 5, nowhere(0xb),
                           6, &one, nowhere(0xc), 7) == 13);
    const StandInCall arrived = {handle,       1, 0, 3, 2, 4, &one, nowhere(0xb), 6, nowhere(0xa), 5, &one,
                                 nowhere(0xc), 7};
    CHECK((real.last == arrived));
}

TEST_CASE_FIXTURE(Fixture, "the 64-bit function gets the calls that need it, each argument alone") {
    const std::int64_t large = std::int64_t{std::numeric_limits<int>::max()} + 1;
    int expected = 0;
    for (std::int64_t StandInCall::*size : {&StandInCall::m, &StandInCall::n, &StandInCall::k,
                                            &StandInCall::lda, &StandInCall::ldb, &StandInCall::ldc}) {
        for (const std::int64_t value : {large, -large - 1, std::numeric_limits<std::int64_t>::max()}) {
            StandInCall call = column_major_call(handle);
            call.*size = value;
            CHECK(send(call) == 13);
            CHECK((real.last == call));
            ++expected;
        }
    }
    CHECK(real.sgemm_64_calls == expected);
    CHECK(real.sgemm_calls == 0);
    StandInCall call = column_major_call(handle);
    call.lda = large - 1;
    CHECK(send(call) == 13);
    CHECK(real.sgemm_calls == 1);
}

TEST_CASE_FIXTURE(Fixture, "garbage is cuBLAS's business, and is never followed") {
    CHECK(sgemm_shim_choose_kernel("auto") == 0);
    StandInCall call = column_major_call(handle);
    call.transa = 77;
    call.m = -1;
    call.alpha = nowhere(0xdead0001);
    real.sgemm_status = 7;
    CHECK(send(call) == 7);
    CHECK((real.last == call));
    CHECK(only_reason() == "invalid argument");
}

TEST_CASE_FIXTURE(Fixture, "a NULL handle is status 1, and an unknown order is status 7 and no call") {
    CHECK(send(column_major_call(nullptr)) == 1);
    CHECK(send(column_major_call(nullptr), SGEMM_SHIM_ROW_MAJOR) == 1);
    CHECK(real.sgemm_calls == 2);
    sgemm_shim_reset_counters();
    for (const int order : {2, -1, 101, 102}) {
        CHECK(send(column_major_call(handle), order) == 7);
        CHECK(send(column_major_call(nullptr), order) == 1);
    }
    CHECK(real.sgemm_calls == 2);
    CHECK(counters().empty());
}
