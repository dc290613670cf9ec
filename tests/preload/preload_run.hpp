// Programs of this folder, and of the system, run under LD_PRELOAD of the shim.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "child_process.hpp"
#include "shim_view.hpp"

namespace sgemm_shim::testing {

using Environment = std::map<std::string, std::string>;

inline std::string variable(const char* name) {
    const char* value = std::getenv(name);
    REQUIRE_MESSAGE(value != nullptr, name);
    return value;
}

inline std::string shim() {
    return variable("SHIM");
}
inline std::string built(const std::string& name) {
    return variable("PRELOAD_PROGRAMS") + "/" + name;
}
inline std::string source(const std::string& name) {
    return variable("PRELOAD_SOURCES") + "/" + name;
}
inline std::string stand_in_file(const std::string& major) {
    return built("stand_in_" + major + "/libcublas.so." + major);
}

/// Under the shim, with the summary on stderr.
inline ChildResult run_shimmed(std::vector<std::string> command, Environment environment = {}) {
    environment.emplace("LD_PRELOAD", shim());
    environment.emplace("SGEMM_SHIM_LOG", "summary");
    if (command.front().find('/') == std::string::npos && command.front() != "python3" &&
        command.front() != "sh" && command.front() != "true")
        command.front() = built(command.front());
    return run_program(command, environment);
}

}  // namespace sgemm_shim::testing
