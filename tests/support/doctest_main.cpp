#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "tests/support/test_program.hpp"

int main(int argc, char** argv) {
    constexpr int skipped = 77;
    doctest::Context context(argc, argv);
    // Lists of test cases need no device.
    if (context.shouldExit()) return context.run();
    if (const char* reason = reason_to_skip()) {
        std::printf("skipped: %s\n", reason);
        return skipped;
    }
    return context.run();
}
