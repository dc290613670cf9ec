// The launcher's command line, parsed without looking at the system: no file, no environment, no output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sgemm_shim::launcher {

enum class Action : std::uint8_t {
    run,          ///< start `program` with `settings` in its environment
    list,         ///< print the kernels
    doctor,       ///< report on the system with `settings`, and on `program` if it is not empty
    version,      ///< print the version
    help,         ///< print the help
    usage_error,  ///< print `error`, start nothing
};

/// One variable for the program's environment.
struct Assignment {
    std::string variable;
    std::string value;
};

struct Options {
    Action action = Action::usage_error;
    std::string error;                 ///< one line without a newline; only with usage_error
    std::vector<Assignment> settings;  ///< valid values only, each variable at most once
    std::vector<std::string> program;  ///< the program and its arguments
};

/// Parses what follows the launcher's own name. Options end at "--" or at the first word that is none, which
/// is the program; everything after it belongs to the program.
Options parse_options(std::span<const std::string_view> arguments);

/// One option with a value, for the help.
struct OptionDescription {
    std::string_view name;        ///< "--kernel"
    std::string_view value_name;  ///< "K"
    const char* variable;         ///< the setting that it sets
};

std::span<const OptionDescription> option_descriptions();

}  // namespace sgemm_shim::launcher
