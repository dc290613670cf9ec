#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    return nullptr;
}
