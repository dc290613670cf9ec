// The SGEMM_SHIM_* environment variables: one table, parsed once, at the first intercepted call or look-up.
#pragma once

#include <cstdint>
#include <span>

#include "kernel_table.hpp"

namespace sgemm_shim {

enum class LogLevel : std::uint8_t { off, summary, shapes, calls };

/// What to do with a call for which the program allowed TF32.
enum class Tf32Policy : std::uint8_t { forward, fp32 };

/// What of the settings decides about a call. Small, so that a call can have a copy with a choice of its own.
struct Policy {
    const Kernel* kernel = nullptr;  ///< nullptr: choose the fastest that supports the call
    Tf32Policy tf32 = Tf32Policy::forward;
    bool disabled = false;
    /// The environment forces another arithmetic on cuBLAS (NVIDIA_TF32_OVERRIDE=1,
    /// CUBLAS_EMULATE_SINGLE_PRECISION=1).
    bool arithmetic_overridden = false;
    /// cuBLAS's own call log is on, which would miss the calls that we serve.
    bool cublas_logs = false;
};

struct Settings : Policy {
    static constexpr int path_limit = 4096;

    LogLevel log = LogLevel::off;
    char log_file[path_limit] = "";     ///< empty: stderr; %p stands for the process id
    char cublas_path[path_limit] = "";  ///< empty: search
    bool dlsym = true;                  ///< catch programs that look cuBLAS up
};

/// One variable, for messages, the README and the launcher's help.
struct SettingDescription {
    const char* variable;
    const char* values;  ///< default first
    const char* meaning;
};

/// The variables in the order of the documentation.
std::span<const SettingDescription> setting_descriptions();

/// Parses an environment ("NAME=value" strings, ended by nullptr). A value that is not in the table keeps the
/// default and is reported through `warn`, one line without a newline that names the variable and the valid
/// values; so is an unknown name that begins with SGEMM_SHIM_.
Settings parse_settings(const char* const* environment, void (*warn)(const char* line));

/// The process's settings: parsed at the first call, from any thread; warnings go to stderr. Never changes
/// afterwards.
const Settings& process_settings();

}  // namespace sgemm_shim
