#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "tests/support/test_program.hpp"

namespace {
bool has_skipped_case = false;
}

void note_skipped_case(const char* why) {
    std::printf("skipped: %s\n", why);
    has_skipped_case = true;
}

int main(int argc, char** argv) {
    constexpr int skipped = 77;
    doctest::Context context(argc, argv);
    // Lists of test cases need no device.
    if (context.shouldExit()) return context.run();
    if (const char* reason = reason_to_skip()) {
        std::printf("skipped: %s\n", reason);
        return skipped;
    }
    const int status = context.run();
    return status == 0 && has_skipped_case ? skipped : status;
}
