#include "settings.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "text_buffer.hpp"

namespace sgemm_shim {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view prefix = "SGEMM_SHIM_";

struct Option {
    SettingDescription description;
    /// Stores the value; false if it is not one of the valid ones.
    bool (*parse)(Settings& settings, std::string_view value);
};

bool parse_kernel(Settings& settings, std::string_view value) {
    if (value == "auto") {
        settings.kernel = nullptr;
        return true;
    }
    const Kernel* kernel = find_kernel(value);
    if (kernel == nullptr) return false;
    settings.kernel = kernel;
    return true;
}

bool parse_log(Settings& settings, std::string_view value) {
    constexpr std::string_view names[] = {"off", "summary", "shapes", "calls"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        if (value == names[i]) {
            settings.log = static_cast<LogLevel>(i);
            return true;
        }
    }
    return false;
}

bool parse_tf32(Settings& settings, std::string_view value) {
    if (value != "forward" && value != "fp32") return false;
    settings.tf32 = value == "fp32" ? Tf32Policy::fp32 : Tf32Policy::forward;
    return true;
}

bool parse_switch(bool& setting, std::string_view value) {
    const bool on = value == "on" || value == "1";
    if (!on && value != "off" && value != "0") return false;
    setting = on;
    return true;
}

bool copy_path(char (&path)[Settings::path_limit], std::string_view value) {
    if (value.size() >= Settings::path_limit) return false;
    std::memcpy(path, value.data(), value.size());
    path[value.size()] = '\0';
    return true;
}

constexpr Option options[] = {
    {{"SGEMM_SHIM_KERNEL", "auto, a kernel's number or a kernel's name",
      "auto: the fastest known kernel that supports the call. A named kernel: that one for every call it "
      "supports, cuBLAS otherwise"},
     parse_kernel},
    {{"SGEMM_SHIM_TF32", "forward, fp32",
      "a call for which the program allowed TF32 goes to the real cuBLAS, or is computed in FP32"},
     parse_tf32},
    {{"SGEMM_SHIM_LOG", "off, summary, shapes, calls",
      "summary: a table at exit. shapes: one line for each new kind of call as well. calls: CSV, a row a "
      "call "
      "and no table"},
     parse_log},
    {{"SGEMM_SHIM_LOG_FILE", "(stderr), a path", "where the log goes; %p stands for the process id"},
     [](Settings& settings, std::string_view value) { return copy_path(settings.log_file, value); }},
    {{"SGEMM_SHIM_CUBLAS", "(search), a path or a file name",
      "the real cuBLAS library, if the search should be skipped; a name without a slash is the loader's to "
      "find"},
     [](Settings& settings, std::string_view value) { return copy_path(settings.cublas_path, value); }},
    {{"SGEMM_SHIM_DLSYM", "on, off", "catch programs that look cuBLAS up with dlsym"},
     [](Settings& settings, std::string_view value) { return parse_switch(settings.dlsym, value); }},
    {{"SGEMM_SHIM_DISABLE", "off, on", "on: forward everything"},
     [](Settings& settings, std::string_view value) { return parse_switch(settings.disabled, value); }},
};

constexpr auto descriptions = [] {
    std::array<SettingDescription, std::size(options)> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = options[i].description;
    return result;
}();

/// Longest line that parse_settings() hands to warn().
constexpr std::size_t line_limit = 2048;

void warn_bad_value(const Option& option, std::string_view value, void (*warn)(const char*)) {
    char storage[line_limit];
    TextBuffer line(storage);
    line.append("sgemm-shim: %s=", option.description.variable);
    line.append_foreign(value);
    line.append(" is not valid; valid values: %s", option.description.values);
    if (option.parse == parse_kernel) {
        const char* separator = " (";
        for (const Kernel& kernel : kernel_table()) {
            line.append("%s", separator);
            if (kernel.number != Kernel::unnumbered) line.append("%d ", kernel.number);
            line.append("%s", kernel.name);
            separator = ", ";
        }
        line.append(")");
    }
    warn(line.data());
}

void warn_unknown_name(std::string_view name, void (*warn)(const char*)) {
    char storage[line_limit];
    TextBuffer line(storage);
    line.append("sgemm-shim: ");
    line.append_foreign(name);
    line.append(" is not a setting; settings:");
    for (const Option& option : options) line.append(" %s", option.description.variable);
    warn(line.data());
}

void write_line_to_stderr(const char* line) {
    char with_newline[line_limit + 1];
    const int length = std::snprintf(with_newline, sizeof with_newline, "%s\n", line);
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, with_newline, std::min<std::size_t>(length, sizeof with_newline - 1));
}

pthread_once_t once = PTHREAD_ONCE_INIT;
constinit Settings settings_of_process;

}  // namespace

std::span<const SettingDescription> setting_descriptions() {
    return descriptions;
}

Settings parse_settings(const char* const* environment, void (*warn)(const char* line)) {
    Settings settings;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const std::string_view entry = *environment;
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view name(entry.data(), equals);
        const std::string_view value(entry.data() + equals + 1, entry.size() - equals - 1);

        if (name == "NVIDIA_TF32_OVERRIDE"sv || name == "CUBLAS_EMULATE_SINGLE_PRECISION"sv) {
            // NVIDIA_TF32_OVERRIDE=0 forbids TF32, which FP32 kernels obey by nature.
            if (value != "0"sv && !value.empty()) settings.arithmetic_overridden = true;
        } else if (name == "CUBLAS_LOGINFO_DBG"sv) {
            if (value != "0"sv && !value.empty()) settings.cublas_logs = true;
        }
        if (!name.starts_with(prefix)) continue;

        const Option* found = nullptr;
        for (const Option& option : options) {
            if (name == option.description.variable) found = &option;
        }
        if (found == nullptr) {
            warn_unknown_name(name, warn);
        } else if (!value.empty() && !found->parse(settings, value)) {  // empty counts as unset
            warn_bad_value(*found, value, warn);
        }
    }
    return settings;
}

const Settings& process_settings() {
    pthread_once(&once, [] { settings_of_process = parse_settings(environ, write_line_to_stderr); });
    return settings_of_process;
}

}  // namespace sgemm_shim
