#include <doctest/doctest.h>

#include <sstream>

#include "report.hpp"
#include "summary.hpp"
#include "text.hpp"

using namespace sgemm_bench;

namespace {

Result sample_result() {
    Result result;
    result.shape = parse_shapes("4,5,6,TN,2", {}).front();
    result.asked = "auto";
    result.kernel = "double_buffer";
    result.note = "a \"note\", with a comma";
    result.ours = figures(10, 1e6, 1e4, {});
    result.cublas = figures(12, 1e6, 1e4, {});
    result.ratio_low = 1.1;
    result.ratio_high = 1.3;
    return result;
}

std::vector<std::vector<std::string>> csv_of(const Result& result) {
    std::ostringstream out;
    write_csv_header(out, {{"gpu", "made up"}});
    write_csv_row(out, result);
    std::vector<std::vector<std::string>> lines;
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);) lines.push_back(csv_fields(line));
    return lines;
}

std::string field(const Result& result, const std::string& name) {
    const auto lines = csv_of(result);
    for (std::size_t i = 0; i < lines[1].size(); ++i) {
        if (lines[1][i] == name) return lines[2][i];
    }
    return "no such column";
}

}  // namespace

TEST_CASE("CSV: provenance, header, one field for each column") {
    const auto lines = csv_of(sample_result());
    REQUIRE(lines.size() == 3);
    CHECK(lines[0][0] == "# gpu: made up");
    CHECK(lines[1].size() == lines[2].size());
    CHECK(field(sample_result(), "name") == "4x5x6_TN_b2");
    CHECK(field(sample_result(), "ratio") == "1.2");
    CHECK(field(sample_result(), "note") == "a \"note\", with a comma");
    CHECK(field(sample_result(), "event_us").empty());
}

TEST_CASE("a wrong result has no times") {
    Result result = sample_result();
    result.status = "WRONG";
    for (const char* name : {"us", "ratio", "tflops", "roofline_fraction"})
        CHECK(field(result, name).empty());

    std::ostringstream table;
    write_table_row(table, result);
    CHECK(table.str().find("WRONG") != std::string::npos);
    CHECK(table.str().find("10.00") == std::string::npos);
}

TEST_CASE("JSON escapes") {
    CHECK(json_quote("a\"b\\c\n") == "\"a\\\"b\\\\c\\u000a\"");
    CHECK(csv_quote("plain") == "plain");
}

TEST_CASE("JSON: nothing measured is null") {
    Result result = sample_result();
    result.status = "failed";
    std::ostringstream out;
    const std::vector<Result> results{result};
    write_json(out, {{"gpu", "made up"}}, results, std::vector<std::string>{"x warm"}, summarize(results));
    CHECK(out.str().find("\"us\": null") != std::string::npos);
    CHECK(out.str().find("\"left_out\": [\"x warm\"]") != std::string::npos);
    CHECK(out.str().find("\"summary\": [\n  {\"asked\": \"auto\"") != std::string::npos);
    for (const char* absent : {"\"ratio\": null", "\"lowest_ratio\": null", "\"roofline_fraction\": null"})
        CHECK(out.str().find(absent, out.str().find("\"summary\"")) != std::string::npos);
    CHECK(out.str().find("\"note\": \"a \\\"note\\\", with a comma\"") != std::string::npos);
}
