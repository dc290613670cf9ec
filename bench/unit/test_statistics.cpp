#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "statistics.hpp"
#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    return nullptr;
}

using namespace sgemm_bench;

TEST_CASE("median") {
    CHECK(median({3}) == 3);
    CHECK(median({9, 1, 2}) == 2);
    CHECK(median({9, 1, 2, 4}) == 3);
    CHECK(std::isnan(median({})));
}

TEST_CASE("geometric mean") {
    const std::vector<double> values{0.5, 2, 8};
    CHECK(geometric_mean(values, std::vector<double>{1, 1, 1}) == doctest::Approx(2));
    CHECK(geometric_mean(values, std::vector<double>{3, 0, 1}) == doctest::Approx(1));
    CHECK(std::isnan(geometric_mean({}, {})));
}

TEST_CASE("the roofline takes the slower of operations and bytes") {
    const Roofline roofline{50, 2};
    CHECK(roofline.least_us(50e6, 1) == doctest::Approx(1));
    CHECK(roofline.least_us(1, 6e6) == doctest::Approx(3));
}

TEST_CASE("a row of the recorded cuBLAS baseline comes out as it was recorded") {
    // deepbench_train_1760x16x1760_NN: 15.312 us, 6.474 TFLOP/s, 0.198 of the roofline.
    const double flops = 2.0 * 1760 * 16 * 1760;
    const double bytes = 4.0 * (1760.0 * 1760 + 2.0 * 1760 * 16);
    const Figures result = figures(15.312, flops, bytes, Roofline{});
    CHECK(result.tflops == doctest::Approx(6.474).epsilon(1e-3));
    CHECK(result.roofline_fraction == doctest::Approx(0.198).epsilon(5e-3));
    CHECK(result.gbps == doctest::Approx(bytes / 15.312e-6 / 1e9));
}

TEST_CASE("the worst difference finds every fault") {
    const std::vector<float> reference{1, 2, 3};
    CHECK(worst_difference(reference, reference, 1) == 0);
    CHECK(worst_difference(std::vector<float>{1, 2.5f, 3}, reference, 0.25) == doctest::Approx(2));
    constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float fault : {not_a_number, infinity}) {
        CHECK_FALSE(worst_difference(std::vector<float>{fault, 2, 3}, reference, 1) <= 1);
        CHECK_FALSE(worst_difference(std::vector<float>{1, 2, fault}, reference, 1) <= 1);
        CHECK_FALSE(worst_difference(std::vector<float>{fault}, std::vector<float>{fault}, 1) <= 1);
    }
    CHECK_FALSE(worst_difference(std::vector<float>{1, 2}, reference, 1) <= 1);
}
