#include <doctest/doctest.h>

#include <sstream>

#include "options.hpp"
#include "text.hpp"

using namespace sgemm_bench;

namespace {

Options parse(std::vector<const char*> arguments) {
    return parse_options(arguments);
}

}  // namespace

TEST_CASE("nothing named means the squares in four transpositions") {
    const Options options = parse({});
    CHECK(options.squares);
    CHECK(options.kernels == std::vector<std::string>{"auto"});
    CHECK(select_shapes(options).shapes.size() == 8 * 4);
    CHECK(select_shapes(parse({"--squares", "--ops", "NT"})).shapes.size() == 8);
    CHECK(select_shapes(parse({"--host-cost"})).shapes.empty());
}

TEST_CASE("kinds of shapes add up") {
    const Options options =
        parse({"--sizes", "128,256", "--shapes", "1,2,3", "--second-source", "--beta", "0.5"});
    CHECK_FALSE(options.squares);
    const auto shapes = select_shapes(options).shapes;
    REQUIRE(shapes.size() == 2 + 1 + 6);
    for (const Shape& shape : shapes) CHECK(shape.beta == 0.5f);
    CHECK_FALSE(shapes.front().row_major);
    CHECK(shapes.back().row_major);
    CHECK(select_shapes(parse({"--sizes", "128", "--row-major"})).shapes.front().row_major);
}

TEST_CASE("values") {
    const Options options = parse({"--kernels", "1,7,auto", "--misalign", "1,2,3", "--ld-pad", "5",
                                   "--rounds", "9", "--min-time-ms", "2.5", "--time-budget", "60",
                                   "--peak-tflops", "10", "--bandwidth-tbs", "0.5", "--cold"});
    CHECK(options.kernels == std::vector<std::string>{"1", "7", "auto"});
    CHECK(options.variation.misalignment == std::array<std::int64_t, 3>{1, 2, 3});
    CHECK(options.variation.leading_dimension_pad == 5);
    const auto varied = select_shapes(parse({"--sizes", "8", "--ld-pad", "2", "--with-unaligned"})).shapes;
    REQUIRE(varied.size() == 3);
    CHECK(varied[0].variation.leading_dimension_pad == 2);
    CHECK(varied[2].variation.leading_dimension_pad == 3);
    CHECK(options.rounds == 9);
    CHECK(options.min_time_ms == 2.5);
    CHECK(options.time_budget_s == 60);
    CHECK(options.roofline.peak_tflops == 10);
    CHECK(options.roofline.bandwidth_tbs == 0.5);
    CHECK(options.cold);
}

TEST_CASE("every choice is measured beside cuBLAS and beside what plan() chooses") {
    CHECK(parse({"--every-choice"}).kernels == std::vector<std::string>{"cublas", "auto", "production"});
    CHECK(parse({"--kernels", "6,7", "--every-choice"}).kernels ==
          std::vector<std::string>{"cublas", "auto", "6", "7"});
}

TEST_CASE("mistakes") {
    for (const std::vector<const char*>& bad : {std::vector<const char*>{"--nonsense"},
                                                {"extra"},
                                                {"--sizes"},
                                                {"--sizes", "12a"},
                                                {"--sizes", "0"},
                                                {"--sizes", "2147483648"},
                                                {"--sizes", "128:1920"},
                                                {"--sizes", "128:64:1"},
                                                {"--sizes", "128:256:0"},
                                                {"--random", "0"},
                                                {"--seed", "1"},
                                                {"--random", "3", "--seed", "-1"},
                                                {"--misalign", "9999999999,0,0"},
                                                {"--time-budget", "inf"},
                                                {"--min-time-ms", "nan"},
                                                {"--peak-tflops", "inf"},
                                                {"--beta", "-inf"},
                                                {"--csv", ""},
                                                {"--misalign", "1,2"},
                                                {"--misalign", "1,2,-1"},
                                                {"--rounds", "0"},
                                                {"--ops", "XX"},
                                                {"--beta", "nan"},
                                                {"--peak-tflops", "0"},
                                                {"--min-time-ms", ""}})
        CHECK_THROWS_AS(parse(bad), InputError);
    CHECK_THROWS_AS(select_shapes(parse({"--shapes-file", "/no/such/file"})), InputError);
    for (const char* shapes : {"", ";;;", "1,2,3;"})
        CHECK_THROWS_AS(select_shapes(parse({"--shapes", shapes})), InputError);
}

TEST_CASE("random shapes have a seed, a new one unless it is given, and tell it") {
    const auto seed_of = [](const Options& options) {
        for (const auto& [name, value] : select_shapes(options).facts) {
            if (name == "seed") return value;
        }
        return std::string("none");
    };
    const Options options = parse({"--random", "50"});
    CHECK(select_shapes(options).shapes.size() == 50);
    CHECK(seed_of(options) == std::to_string(*options.seed));
    CHECK(*options.seed != *parse({"--random", "50"}).seed);
    CHECK(seed_of(parse({"--random", "1", "--seed", "18446744073709551615"})) == "18446744073709551615");
    CHECK(seed_of(parse({})) == "none");
}

TEST_CASE("the help names every option") {
    const std::string help = help_text();
    for (const char* name :
         {"--kernels", "--cold", "--shapes-file", "--random", "--time-budget", "--host-cost"})
        CHECK(help.find(name) != std::string::npos);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 110);
    CHECK(help.find("each transposition as\n" + std::string(26, ' ') + "likely") != std::string::npos);
}
