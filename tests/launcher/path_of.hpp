// The files that Meson names to the launcher's tests.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

/// The value of an environment variable that must be set.
inline std::string path_of(const char* variable) {
    const char* path = std::getenv(variable);
    REQUIRE(path != nullptr);
    return path;
}
