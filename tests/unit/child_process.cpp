#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace sgemm_shim::testing {
namespace {

std::map<std::string, std::string> environment_for_child(const std::map<std::string, std::string>& changes) {
    std::map<std::string, std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos || text.starts_with("SGEMM_SHIM_")) continue;
        result.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    result.erase("LD_PRELOAD");
    result.erase("LD_LIBRARY_PATH");
    for (const auto& [name, value] : changes) {
        if (value.empty())
            result.erase(name);
        else
            result[name] = value;
    }
    return result;
}

/// A program for another processor, in an emulator of which it must not be told what to preload itself.
void emulate(const std::string& emulator, std::vector<std::string>& command,
             std::map<std::string, std::string>& environment) {
    std::vector<std::string> prefix = {emulator};
    if (const auto preload = environment.find("LD_PRELOAD"); preload != environment.end()) {
        prefix.insert(prefix.end(), {"-E", "LD_PRELOAD=" + preload->second});
        environment.erase(preload);
    }
    command.insert(command.begin(), prefix.begin(), prefix.end());
}

bool is_of_the_system(const std::string& program) {
    return program.find('/') == std::string::npos || program.starts_with("/bin/") ||
           program.starts_with("/usr/bin/");
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& text : strings) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

struct Pipe {
    std::array<int, 2> ends{};
    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    ~Pipe() {
        close_writer();
        close(ends[0]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    int reader() const { return ends[0]; }
    int writer() const { return ends[1]; }
    void close_writer() {
        if (ends[1] >= 0) close(ends[1]);
        ends[1] = -1;
    }
};

/// Reads both to their ends, in whatever order the child writes.
void read_all(int first, std::string& first_text, int second, std::string& second_text) {
    std::array<pollfd, 2> open = {pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
    std::array<std::string*, 2> texts = {&first_text, &second_text};
    while (open[0].fd >= 0 || open[1].fd >= 0) {
        if (poll(open.data(), open.size(), -1) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (open[i].fd < 0 || open[i].revents == 0) continue;
            char buffer[4096];
            const ssize_t length = read(open[i].fd, buffer, sizeof buffer);
            if (length > 0)
                texts[i]->append(buffer, static_cast<std::size_t>(length));
            else
                open[i].fd = -1;
        }
    }
}

}  // namespace

ChildResult run_program(const std::vector<std::string>& command,
                        const std::map<std::string, std::string>& environment) {
    constexpr unsigned seconds_allowed = 20;
    constexpr int cannot_start = 127;
    std::vector<std::string> arguments = command;
    std::map<std::string, std::string> of_child = environment_for_child(environment);
    if (const char* emulator = std::getenv("SGEMM_TEST_EMULATOR");
        emulator != nullptr && !is_of_the_system(command.front()))
        emulate(emulator, arguments, of_child);
    std::vector<std::string> variables;
    for (const auto& [name, value] : of_child) variables.push_back(name + "=" + value);
    const std::vector<char*> argv = pointers_to(arguments);
    const std::vector<char*> envp = pointers_to(variables);

    Pipe output;
    Pipe errors;
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
        dup2(output.writer(), STDOUT_FILENO);
        dup2(errors.writer(), STDERR_FILENO);
        alarm(seconds_allowed);
        execvpe(argv[0], argv.data(), envp.data());
        _exit(cannot_start);
    }
    output.close_writer();
    errors.close_writer();
    ChildResult result;
    read_all(output.reader(), result.output, errors.reader(), result.errors);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (result.exit_status == cannot_start)
        throw std::runtime_error("cannot start " + command.front() + ": " + result.errors);
    return result;
}

int line_count(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace sgemm_shim::testing
