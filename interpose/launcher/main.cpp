// sgemm-shim: starts a program with libsgemm_shim.so in front of its cuBLAS.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "doctor.hpp"
#include "kernel_table.hpp"
#include "library_location.hpp"
#include "options.hpp"
#include "settings.hpp"

namespace sgemm_shim::launcher {
namespace {

// As the shell and env(1) have them.
constexpr int exit_usage = 2;
constexpr int exit_not_executable = 126;
constexpr int exit_not_found = 127;

void complain(const std::string& message) {
    std::fprintf(stderr, "sgemm-shim: %s\n", printable(message).c_str());
}

void print_help() {
    std::puts(
        "usage: sgemm-shim [option]... [--] program [argument]...\n"
        "       sgemm-shim [option]... --doctor [program]\n"
        "       sgemm-shim --list | --version | --help\n"
        "\n"
        "Starts the program with libsgemm_shim.so preloaded, so that its FP32 matrix products run on this\n"
        "project's kernels where they can and on the real cuBLAS where they cannot. The program's signals,\n"
        "standard streams and exit status are its own.\n"
        "\n"
        "options:");
    for (const OptionDescription& option : option_descriptions()) {
        const std::string name = std::string(option.name) + " " + std::string(option.value_name);
        std::printf("  %-18s sets %s\n", name.c_str(), option.variable);
    }
    std::puts(
        "  --list             the kernels: number, name, idea\n"
        "  --doctor [program] what is found here, and whether the program can be served\n"
        "  --version          the version\n"
        "  --help             this text\n"
        "\n"
        "settings, which may also stand in the environment (first value: default):");
    for (const SettingDescription& setting : setting_descriptions())
        std::printf("  %-22s %s\n  %-22s   %s\n", setting.variable, setting.values, "", setting.meaning);
    std::puts(
        "\n"
        "examples:\n"
        "  sgemm-shim --log summary python3 train.py     who served how many calls, at exit\n"
        "  sgemm-shim --kernel naive ./program --size 8  one kernel of the ladder for every call\n"
        "  sgemm-shim --kernel cublas --log calls --log-file 'calls-%p.csv' ./program\n"
        "                                                record the calls, change nothing\n"
        "  sgemm-shim --doctor ./program                 why is my program not served?\n"
        "\n"
        "exit status: the program's; 2 for a mistake in the command line, 126 if the program cannot be\n"
        "executed, 127 if it is not found.");
}

void print_kernels() {
    for (const Kernel& kernel : kernel_table()) {
        const std::string number = kernel.number == Kernel::unnumbered ? "-" : std::to_string(kernel.number);
        std::printf("%3s  %-20s %s", number.c_str(), kernel.name, kernel.idea);
        const char* separator = " (also: ";
        bool has_alias = false;
        for (const char* alias : kernel.aliases) {
            if (alias == nullptr) continue;
            std::printf("%s%s", separator, alias);
            separator = ", ";
            has_alias = true;
        }
        std::puts(has_alias ? ")" : "");
    }
}

/// A cuBLAS without a slash is a name that the loader searches for.
bool is_path(const Assignment& setting) {
    return setting.variable == "SGEMM_SHIM_LOG_FILE" ||
           (setting.variable == "SGEMM_SHIM_CUBLAS" && setting.value.find('/') != std::string::npos);
}

bool is_readable_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && access(path.c_str(), R_OK) == 0;
}

/// Puts the settings into the environment. False, and a complaint, if one names no file.
bool apply(const std::vector<Assignment>& settings) {
    for (const Assignment& setting : settings) {
        std::string value = setting.value;
        if (is_path(setting)) {
            // Meant from here, wherever the program is by the time it reads it.
            std::error_code error;
            value = std::filesystem::absolute(value, error).string();
            if (setting.variable == "SGEMM_SHIM_CUBLAS" && !is_readable_file(value)) {
                complain("--cublas: " + shortened(setting.value) + " is not a file that can be read");
                return false;
            }
        }
        setenv(setting.variable.c_str(), value.c_str(), 1);
    }
    return true;
}

/// Replaces this process, and returns only if that fails.
int run(const Options& options) {
    const std::string library = find_library();
    if (library.empty()) {
        complain("libsgemm_shim.so is not beside this launcher, see sgemm-shim --doctor");
        return exit_not_executable;
    }
    if (library.find_first_of(": ") != std::string::npos) {
        complain("LD_PRELOAD cannot name " + library + ": its path holds a space or a colon");
        return exit_not_executable;
    }
    if (!apply(options.settings)) return exit_usage;
    setenv("LD_PRELOAD", with_preload(library, std::getenv("LD_PRELOAD")).c_str(), 1);

    std::vector<char*> arguments;
    for (const std::string& argument : options.program)
        arguments.push_back(const_cast<char*>(argument.c_str()));  // execvp() changes none of them
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    const int error = errno;
    complain(options.program.front() + ": " + std::strerror(error));
    return error == ENOENT ? exit_not_found : exit_not_executable;
}

int main(std::span<const std::string_view> arguments) {
    const Options options = parse_options(arguments);
    switch (options.action) {
        case Action::run:
            return run(options);
        case Action::list:
            print_kernels();
            return 0;
        case Action::doctor:
            if (!apply(options.settings)) return exit_usage;
            return examine(options.program.empty() ? std::string() : options.program.front()) ? 0 : 1;
        case Action::version:
            std::puts("sgemm-shim " SGEMM_SHIM_VERSION);
            return 0;
        case Action::help:
            print_help();
            return 0;
        case Action::usage_error:
            break;
    }
    complain(options.error + " (sgemm-shim --help tells more)");
    return exit_usage;
}

}  // namespace
}  // namespace sgemm_shim::launcher

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return sgemm_shim::launcher::main(arguments);
}
