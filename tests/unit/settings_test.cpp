#include "settings.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kernel_table.hpp"

using namespace sgemm_shim;

namespace {

std::vector<std::string> warnings;

/// The settings of an environment; what was said about it stands in `warnings`.
Settings parse(const std::vector<std::string>& environment) {
    warnings.clear();
    std::vector<const char*> entries;
    for (const std::string& entry : environment) entries.push_back(entry.c_str());
    entries.push_back(nullptr);
    return parse_settings(entries.data(), [](const char* line) { warnings.emplace_back(line); });
}

/// The same for one variable, with nothing to complain about.
Settings parse_good(const std::string& entry) {
    CAPTURE(entry);
    const Settings settings = parse({entry});
    for (const std::string& line : warnings) FAIL_CHECK("unexpected: ", line);
    return settings;
}

bool is_default(const Settings& s) {
    return s.kernel == nullptr && s.tf32 == Tf32Policy::forward && s.log == LogLevel::off &&
           std::string(s.log_file).empty() && std::string(s.cublas_path).empty() && s.dlsym && !s.disabled &&
           !s.arithmetic_overridden && !s.cublas_logs;
}

bool says(const std::string& line, const std::string& part) {
    return line.find(part) != std::string::npos;
}

/// One line, no newline in it, naming the variable, the value and all of `valid`; and the default stays.
void check_bad(const std::string& variable, const std::string& value, const std::vector<std::string>& valid) {
    CAPTURE(variable);
    CAPTURE(value);
    CHECK(is_default(parse({variable + "=" + value})));
    REQUIRE(warnings.size() == 1);
    const std::string& line = warnings.front();
    CAPTURE(line);
    CHECK(says(line, variable));
    CHECK(says(line, value.substr(0, 100)));
    CHECK(!says(line, "\n"));
    for (const std::string& name : valid) CHECK(says(line, name));
}

}  // namespace

TEST_CASE("nothing set, or nothing of ours: the defaults and no word") {
    CHECK(is_default(parse({})));
    CHECK(is_default(parse({"PATH=/bin", "HOME=", "no equals sign", "=", "", "SGEMM_SHIMMER=1"})));
    CHECK(warnings.empty());
    CHECK(is_default(parse_settings(nullptr, [](const char* line) { FAIL(line); })));
}

TEST_CASE("SGEMM_SHIM_KERNEL takes auto, every number, every name and every alias") {
    CHECK(parse_good("SGEMM_SHIM_KERNEL=auto").kernel == nullptr);
    for (const Kernel& kernel : kernel_table()) {
        const std::string prefix = "SGEMM_SHIM_KERNEL=";
        CHECK(parse_good(prefix + kernel.name).kernel == &kernel);
        if (kernel.number != Kernel::unnumbered)
            CHECK(parse_good(prefix + std::to_string(kernel.number)).kernel == &kernel);
        for (const char* alias : kernel.aliases) {
            if (alias != nullptr) CHECK(parse_good(prefix + alias).kernel == &kernel);
        }
    }
}

TEST_CASE("SGEMM_SHIM_TF32") {
    CHECK(parse_good("SGEMM_SHIM_TF32=forward").tf32 == Tf32Policy::forward);
    CHECK(parse_good("SGEMM_SHIM_TF32=fp32").tf32 == Tf32Policy::fp32);
}

TEST_CASE("SGEMM_SHIM_LOG") {
    CHECK(parse_good("SGEMM_SHIM_LOG=off").log == LogLevel::off);
    CHECK(parse_good("SGEMM_SHIM_LOG=summary").log == LogLevel::summary);
    CHECK(parse_good("SGEMM_SHIM_LOG=shapes").log == LogLevel::shapes);
    CHECK(parse_good("SGEMM_SHIM_LOG=calls").log == LogLevel::calls);
}

TEST_CASE("SGEMM_SHIM_DLSYM") {
    CHECK(parse_good("SGEMM_SHIM_DLSYM=on").dlsym);
    CHECK(!parse_good("SGEMM_SHIM_DLSYM=off").dlsym);
    CHECK(!parse_good("SGEMM_SHIM_DLSYM=0").dlsym);
}

TEST_CASE("SGEMM_SHIM_DISABLE") {
    CHECK(parse_good("SGEMM_SHIM_DISABLE=on").disabled);
    CHECK(parse_good("SGEMM_SHIM_DISABLE=1").disabled);
    CHECK(!parse_good("SGEMM_SHIM_DISABLE=off").disabled);
    CHECK(!parse_good("SGEMM_SHIM_DISABLE=0").disabled);
}

TEST_CASE("paths are taken as they are, up to the limit") {
    const std::string longest(Settings::path_limit - 1, 'x');
    for (const std::string& path : {std::string("a"), std::string("/tmp/with space=%p,\"x\".log"), longest}) {
        CHECK(std::string(parse_good("SGEMM_SHIM_LOG_FILE=" + path).log_file) == path);
        CHECK(std::string(parse_good("SGEMM_SHIM_CUBLAS=" + path).cublas_path) == path);
    }
    const std::string too_long(Settings::path_limit, 'x');
    check_bad("SGEMM_SHIM_LOG_FILE", too_long, {"path"});
    check_bad("SGEMM_SHIM_CUBLAS", too_long, {"path"});
    check_bad("SGEMM_SHIM_CUBLAS", std::string(1 << 20, 'y'), {"path"});
}

TEST_CASE("a bad value keeps the default and is told in one line with the valid ones") {
    std::vector<std::string> kernels = {"auto"};
    for (const Kernel& kernel : kernel_table()) {
        kernels.push_back(kernel.name);
        if (kernel.number != Kernel::unnumbered) kernels.push_back(std::to_string(kernel.number));
    }
    for (const char* value : {"fastest", "99", "-1", "Auto", "naive ", "7.0"})
        check_bad("SGEMM_SHIM_KERNEL", value, kernels);
    for (const char* value : {"on", "FP32", "tf32", "fp32 "})
        check_bad("SGEMM_SHIM_TF32", value, {"forward", "fp32"});
    for (const char* value : {"on", "1", "Summary", "call", "summary,calls"})
        check_bad("SGEMM_SHIM_LOG", value, {"off", "summary", "shapes", "calls"});
    for (const char* value : {"yes", "true", "ON", "2", "no"})
        for (const char* variable : {"SGEMM_SHIM_DLSYM", "SGEMM_SHIM_DISABLE"})
            check_bad(variable, value, {"off", "on"});
    check_bad("SGEMM_SHIM_LOG", std::string(100000, 'z'), {"off", "summary", "shapes", "calls"});
}

TEST_CASE("a bad value or name is repeated without control characters, and not at any length") {
    parse({"SGEMM_SHIM_LOG=\033[31mred\nnext line"});
    REQUIRE(warnings.size() == 1);
    CHECK(says(warnings.front(), "SGEMM_SHIM_LOG=?[31mred?next line is not valid"));
    parse({"SGEMM_SHIM_\a\n=1"});
    REQUIRE(warnings.size() == 1);
    CHECK(says(warnings.front(), "SGEMM_SHIM_?? is not a setting"));
    for (const std::string entry : {"SGEMM_SHIM_LOG=", "SGEMM_SHIM_"}) {
        parse({entry + std::string(100000, 'z') + (entry.ends_with('=') ? "" : "=1")});
        REQUIRE(warnings.size() == 1);
        CHECK(warnings.front().size() < 1000);
        CHECK(says(warnings.front(), "zzz..."));
    }
}

TEST_CASE("a bad value does not disturb the variables beside it") {
    const Settings settings =
        parse({"SGEMM_SHIM_LOG=calls", "SGEMM_SHIM_KERNEL=none such", "SGEMM_SHIM_TF32=fp32"});
    CHECK(warnings.size() == 1);
    CHECK(settings.log == LogLevel::calls);
    CHECK(settings.kernel == nullptr);
    CHECK(settings.tf32 == Tf32Policy::fp32);
}

TEST_CASE("an empty value counts as not set") {
    for (const SettingDescription& setting : setting_descriptions())
        CHECK(is_default(parse_good(std::string(setting.variable) + "=")));
    CHECK(is_default(parse_good("NVIDIA_TF32_OVERRIDE=")));
    CHECK(is_default(parse_good("CUBLAS_LOGINFO_DBG=")));
}

TEST_CASE("an unknown name is told in one line with every known one") {
    for (const std::string name :
         {"SGEMM_SHIM_KERNELS", "SGEMM_SHIM_", "SGEMM_SHIM_kernel", "SGEMM_SHIM_DEBUG"}) {
        CAPTURE(name);
        CHECK(is_default(parse({name + "=1"})));
        REQUIRE(warnings.size() == 1);
        CHECK(says(warnings.front(), name));
        CHECK(!says(warnings.front(), "\n"));
        for (const SettingDescription& setting : setting_descriptions())
            CHECK(says(warnings.front(), setting.variable));
    }
    CHECK(is_default(parse({"SGEMM_SHIM_" + std::string(5000, 'A') + "=1"})));
    REQUIRE(warnings.size() == 1);
    CHECK(says(warnings.front(), setting_descriptions().back().variable));
}

TEST_CASE("variables that force another arithmetic on cuBLAS") {
    CHECK(parse_good("NVIDIA_TF32_OVERRIDE=1").arithmetic_overridden);
    CHECK(!parse_good("NVIDIA_TF32_OVERRIDE=0").arithmetic_overridden);
    CHECK(parse_good("CUBLAS_EMULATE_SINGLE_PRECISION=1").arithmetic_overridden);
    CHECK(!parse_good("CUBLAS_EMULATE_SINGLE_PRECISION=0").arithmetic_overridden);
    CHECK(parse({"NVIDIA_TF32_OVERRIDE=1", "CUBLAS_EMULATE_SINGLE_PRECISION=0"}).arithmetic_overridden);
    CHECK(!parse_good("NVIDIA_TF32_OVERRIDES=1").arithmetic_overridden);
}

TEST_CASE("variables that switch cuBLAS's own log on") {
    CHECK(parse_good("CUBLAS_LOGINFO_DBG=1").cublas_logs);
    CHECK(!parse_good("CUBLAS_LOGINFO_DBG=0").cublas_logs);
    CHECK(!parse_good("CUBLAS_LOGINFO_DBG_=1").cublas_logs);
}

TEST_CASE("the descriptions are fit for a table, and each variable is known to the parser") {
    for (const SettingDescription& setting : setting_descriptions()) {
        CAPTURE(setting.variable);
        CHECK(std::string(setting.variable).starts_with("SGEMM_SHIM_"));
        CHECK(std::string(setting.values).size() > 3);
        CHECK(std::string(setting.meaning).size() > 10);
        parse({std::string(setting.variable) + "=" + std::string(Settings::path_limit, '?')});
        REQUIRE(warnings.size() == 1);
        CHECK(says(warnings.front(), "is not valid"));
    }
}
