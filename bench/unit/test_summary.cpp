#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "summary.hpp"

using namespace sgemm_bench;

namespace {

/// A call of 1 MFLOP and hardly any bytes: 0.01 us at the roofline below.
Result timed(const std::string& name, double us, double cublas_us) {
    const Roofline roofline{100, 1};
    Result result;
    result.shape.name = name;
    result.asked = "auto";
    result.kernel = "double_buffer";
    result.ours = figures(us, 1e6, 1, roofline);
    result.cublas = figures(cublas_us, 1e6, 1, roofline);
    return result;
}

std::string text_of(const std::vector<Summary>& summaries) {
    std::ostringstream out;
    write_summary(out, "# ", summaries);
    return out.str();
}

}  // namespace

TEST_CASE("means, the lowest ratio and its shape, forwarded calls") {
    std::vector<Result> results{timed("fast", 0.02, 0.08), timed("slow", 0.04, 0.02),
                                timed("forwarded", 0.05, 0.05)};
    results[2].kernel = "cublas";
    const auto summaries = summarize(results);
    REQUIRE(summaries.size() == 1);
    const Summary& summary = summaries[0];
    CHECK(summary.shapes == 3);
    CHECK(summary.calls == 3);
    CHECK(summary.forwarded == 1);
    CHECK(summary.at_least_one == 2);
    CHECK(summary.ratio == doctest::Approx(std::cbrt(4 * 0.5 * 1)));
    CHECK(summary.lowest_ratio == doctest::Approx(0.5));
    CHECK(summary.lowest_shape == "slow");
    CHECK(summary.roofline_fraction == doctest::Approx(std::cbrt(0.5 * 0.25 * 0.2)));
    CHECK(summary.cublas_roofline_fraction == doctest::Approx(std::cbrt(0.125 * 0.5 * 0.2)));
    CHECK(summary.us == doctest::Approx(0.11));
    CHECK(summary.cublas_us == doctest::Approx(0.15));
    CHECK(summary.roofline_us == doctest::Approx(0.03));
    CHECK(text_of(summaries) ==
          "# summary of auto, warm, batch = 1: 3 shapes; ratio to cuBLAS: geometric mean 1.260, lowest 0.500 "
          "(slow), at least 1 in 2; forwarded 1 (33.3 %); of the roofline, geometric mean: ours 29.2 %, "
          "cuBLAS 23.2 %; in all: ours 0.000 ms, cuBLAS 0.000 ms, roofline 0.000 ms\n");
}

TEST_CASE("the row of cuBLAS itself is not forwarded") {
    Result result = timed("x", 1, 1);
    result.asked = result.kernel = "cublas";
    CHECK(summarize(std::vector{result})[0].forwarded == 0);
}

TEST_CASE("calls weigh as often as they are made") {
    std::vector<Result> results{timed("rare", 1, 16), timed("common", 2, 1)};
    results[1].shape.count = 3;
    results[1].kernel = "cublas";
    const auto summaries = summarize(results);
    const Summary& summary = summaries[0];
    CHECK(summary.shapes == 2);
    CHECK(summary.calls == 4);
    CHECK(summary.forwarded == 3);
    CHECK(summary.at_least_one == 1);
    CHECK(summary.ratio == doctest::Approx(std::pow(16 * 0.5 * 0.5 * 0.5, 0.25)));
    CHECK(summary.us == doctest::Approx(7));
    CHECK(summary.cublas_us == doctest::Approx(19));
    CHECK(text_of(summaries).find("2 shapes in 4 calls") != std::string::npos);
    CHECK(text_of(summaries).find("forwarded 3 (75.0 %)") != std::string::npos);
}

TEST_CASE("kernels, warm and cold, single products and batches stand apart") {
    std::vector<Result> results(6, timed("x", 1, 1));
    results[0].shape.batch = 2;
    results[1].cold = true;
    results[2].asked = "naive";
    results[3].shape.batch = 2;
    results[3].cold = true;
    const auto summaries = summarize(results);
    REQUIRE(summaries.size() == 5);
    const auto is = [&](std::size_t i, const char* asked, bool cold, bool batched, std::size_t shapes) {
        return summaries[i].asked == asked && summaries[i].cold == cold && summaries[i].batched == batched &&
               summaries[i].shapes == shapes;
    };
    CHECK(is(0, "auto", false, false, 2));
    CHECK(is(1, "auto", false, true, 1));
    CHECK(is(2, "auto", true, false, 1));
    CHECK(is(3, "auto", true, true, 1));
    CHECK(is(4, "naive", false, false, 1));
    CHECK(text_of(summaries).find("# summary of auto, cold, batch > 1: 1 shapes;") != std::string::npos);
}

TEST_CASE("what was not timed is counted and in no mean") {
    std::vector<Result> results{timed("good", 1, 2), timed("bad", 1000, 1)};
    results[1].status = "WRONG";
    CHECK(summarize(results)[0].ratio == doctest::Approx(2));
    CHECK(summarize(results)[0].untimed == 1);
    CHECK(text_of(summarize(results)).find("; 1 shapes without times\n") != std::string::npos);
    results.erase(results.begin());
    CHECK(text_of(summarize(results)) == "# summary of auto, warm, batch = 1: none of 1 shapes was timed\n");
    CHECK(summarize({}).empty());
}
