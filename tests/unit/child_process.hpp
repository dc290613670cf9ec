// Runs a program with an environment of its own and collects what it said: settings are read once a process,
// and what LD_PRELOAD does is decided when a process starts.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sgemm_shim::testing {

struct ChildResult {
    int exit_status = -1;  ///< what the program returned, or 128 + the signal that ended it
    std::string output;    ///< standard output
    std::string errors;    ///< standard error
};

/// Runs `command` (the program's path first) with this process's environment changed by `environment`: an
/// empty value takes the variable out. LD_PRELOAD, LD_LIBRARY_PATH and every SGEMM_SHIM_* of this process are
/// left behind. With the variable SGEMM_TEST_EMULATOR (qemu-aarch64), programs that are not the system's run
/// in that emulator, which passes LD_PRELOAD on. A child that takes longer than 20 seconds is ended by
/// SIGALRM. Throws std::runtime_error if the program cannot be started.
ChildResult run_program(const std::vector<std::string>& command,
                        const std::map<std::string, std::string>& environment = {});

/// Lines in a text that ends with a newline or is empty.
int line_count(const std::string& text);

bool contains(const std::string& text, const std::string& part);

}  // namespace sgemm_shim::testing
