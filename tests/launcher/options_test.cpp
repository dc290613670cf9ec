#include "options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace sgemm_shim::launcher;

namespace {

Options parse(const std::vector<std::string_view>& arguments) {
    return parse_options(arguments);
}

std::string value_of(const Options& options, const std::string& variable) {
    std::string value = "(unset)";
    int found = 0;
    for (const Assignment& assignment : options.settings) {
        if (assignment.variable == variable) {
            value = assignment.value;
            ++found;
        }
    }
    CHECK(found <= 1);
    return value;
}

}  // namespace

TEST_CASE("a program and its arguments are left as they are") {
    const Options options = parse({"program", "--kernel", "1", "--", "-x", ""});
    CHECK(options.action == Action::run);
    CHECK(options.settings.empty());
    CHECK(options.program == std::vector<std::string>{"program", "--kernel", "1", "--", "-x", ""});
}

TEST_CASE("each option sets its variable, in both spellings") {
    const Options spaced = parse({"--kernel", "1", "--tf32", "fp32", "--log", "calls", "--log-file",
                                  "a b=c%p", "--cublas", "/x/libcublas.so.13", "program"});
    CHECK(spaced.action == Action::run);
    CHECK(value_of(spaced, "SGEMM_SHIM_KERNEL") == "1");
    CHECK(value_of(spaced, "SGEMM_SHIM_TF32") == "fp32");
    CHECK(value_of(spaced, "SGEMM_SHIM_LOG") == "calls");
    CHECK(value_of(spaced, "SGEMM_SHIM_LOG_FILE") == "a b=c%p");
    CHECK(value_of(spaced, "SGEMM_SHIM_CUBLAS") == "/x/libcublas.so.13");
    CHECK(spaced.program == std::vector<std::string>{"program"});

    const Options joined = parse({"--kernel=naive", "--log-file=a=b", "program"});
    CHECK(joined.action == Action::run);
    CHECK(value_of(joined, "SGEMM_SHIM_KERNEL") == "naive");
    CHECK(value_of(joined, "SGEMM_SHIM_LOG_FILE") == "a=b");
}

TEST_CASE("the last value of an option counts") {
    const Options options = parse({"--kernel", "1", "--log", "calls", "--kernel=auto", "program"});
    CHECK(options.action == Action::run);
    CHECK(value_of(options, "SGEMM_SHIM_KERNEL") == "auto");
    CHECK(options.settings.size() == 2);
}

TEST_CASE("an earlier bad value is not forgiven because of a later good one") {
    CHECK(parse({"--kernel", "nonsense", "--kernel", "1", "program"}).action == Action::usage_error);
}

TEST_CASE("-- ends the options") {
    const Options options = parse({"--log", "off", "--", "--kernel", "1"});
    CHECK(options.action == Action::run);
    CHECK(options.program == std::vector<std::string>{"--kernel", "1"});
    CHECK(value_of(options, "SGEMM_SHIM_KERNEL") == "(unset)");
}

TEST_CASE("an unknown kernel is refused with the list of kernels") {
    for (const std::string_view name : {"99", "nonsense", "-1", " 1", "1 ", "naive\n"}) {
        const Options options = parse({"--kernel", name, "program"});
        CHECK(options.action == Action::usage_error);
        CHECK(options.error.find("--kernel") != std::string::npos);
        CHECK(options.error.find("naive") != std::string::npos);
        CHECK(options.error.find("double_buffer") != std::string::npos);
    }
}

TEST_CASE("other bad values are refused with the valid ones") {
    CHECK(parse({"--tf32", "yes", "program"}).error.find("forward, fp32") != std::string::npos);
    CHECK(parse({"--log", "loud", "program"}).error.find("summary, shapes, calls") != std::string::npos);
    CHECK(parse({"--log-file", std::string(5000, 'x'), "program"}).action == Action::usage_error);
    CHECK(parse({"--cublas", std::string(5000, 'x'), "program"}).action == Action::usage_error);
    using namespace std::string_view_literals;
    CHECK(parse({"--log-file", "a\0b"sv, "program"}).action == Action::usage_error);
}

TEST_CASE("what is missing is named") {
    for (const OptionDescription& option : option_descriptions()) {
        CHECK(parse({option.name}).error == std::string(option.name) + " needs a value");
        CHECK(parse({option.name, "", "program"}).error == std::string(option.name) + " needs a value");
        const std::string joined = std::string(option.name) + "=";
        CHECK(parse({joined, "program"}).error == std::string(option.name) + " needs a value");
    }
    CHECK(parse({}).error == "no program given");
    CHECK(parse({"--"}).error == "no program given");
    CHECK(parse({"--kernel", "1"}).error == "no program given");
    CHECK(parse({""}).action == Action::usage_error);
}

TEST_CASE("unknown options are refused, without their value") {
    CHECK(parse({"--verbose", "program"}).error == "unknown option --verbose");
    CHECK(parse({"--kernels=1", "program"}).error == "unknown option --kernels");
    CHECK(parse({"-k", "1", "program"}).error == "unknown option -k");
    CHECK(parse({"-", "program"}).error == "unknown option -");
    CHECK(parse({"--a\n\033[2Jb", "program"}).error == "unknown option --a??[2Jb");
    CHECK(parse({"--" + std::string(100000, 'x'), "program"}).error.size() < 1000);
    CHECK(parse({"--list=1"}).action == Action::usage_error);
    CHECK(parse({"--a\nb\x1b[31m", "program"}).error == "unknown option --a?b?[31m");
}

TEST_CASE("actions") {
    CHECK(parse({"--list"}).action == Action::list);
    CHECK(parse({"--version"}).action == Action::version);
    CHECK(parse({"--help"}).action == Action::help);
    CHECK(parse({"-h"}).action == Action::help);
    CHECK(parse({"--list", "--help"}).action == Action::help);
    CHECK(parse({"--doctor"}).action == Action::doctor);
    const Options doctor = parse({"--doctor", "program", "--list"});
    CHECK(doctor.action == Action::doctor);
    CHECK(doctor.program == std::vector<std::string>{"program", "--list"});
    const Options with_settings = parse({"--kernel", "1", "--doctor", "program"});
    CHECK(with_settings.action == Action::doctor);
    CHECK(value_of(with_settings, "SGEMM_SHIM_KERNEL") == "1");
    CHECK(parse({"--doctor", "--doctor"}).action == Action::doctor);
    CHECK(parse({"--list", "--doctor"}).error == "--list and --doctor do not go together");
    CHECK(parse({"--help", "--list"}).action == Action::help);
    CHECK(parse({"--kernel", "1", "--list"}).error == "--list takes no other option");
    CHECK(parse({"--version", "--log", "off"}).error == "--version takes no other option");
    CHECK(parse({"--list", "program"}).error == "--list takes no program");
    CHECK(parse({"--version", "--", "program"}).error == "--version takes no program");
}
