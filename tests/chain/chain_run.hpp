// Programs under the library that runs on the software GPU.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "child_process.hpp"

namespace sgemm_shim::testing {

inline std::string variable(const char* name) {
    const char* value = std::getenv(name);
    REQUIRE_MESSAGE(value != nullptr, name);
    return value;
}

/// For run_program(): the preload, the stand-ins, a summary on stderr, and more.
inline std::map<std::string, std::string> environment(std::map<std::string, std::string> more = {}) {
    more.emplace("LD_PRELOAD", variable("CHAIN_SHIM"));
    more.emplace("LD_LIBRARY_PATH", variable("CHAIN_LIBRARIES"));
    more.emplace("SGEMM_SHIM_LOG", "summary");
    return more;
}

}  // namespace sgemm_shim::testing
