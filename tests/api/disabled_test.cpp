// Runs with SGEMM_SHIM_DISABLE=on.
#include <string>

#include "fixture.hpp"

using namespace sgemm_shim::testing;

TEST_CASE_FIXTURE(Fixture, "switched off, no choice has an effect") {
    const StandInCall call = column_major_call(handle);
    for (const auto choose : {sgemm_shim_choose_kernel, sgemm_shim_choose_kernel_for_thread}) {
        CHECK(choose("naive") == 0);
        sgemm_shim_explanation explanation;
        CHECK(explain(call, explanation) == 0);
        CHECK(std::string(explanation.reason_name) == "disabled");
        CHECK(std::string(explanation.candidate_name) == "naive");
        CHECK(send(call) == 13);
        CHECK((real.last == call));
        CHECK(send_intercepted(call) == 13);
        CHECK(only_reason() == "disabled");
    }
    CHECK(real.queries == 0);
}
