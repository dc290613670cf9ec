// The real cuBLAS 12 under this build of the shim, alone and beside the cuBLAS of this build. Without a GPU
// there is no handle, but cuBLAS's own log tells which version was called, and with which arguments.
// CUBLAS_12 names the library, which `./bootstrap.sh cuda12` fetches.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "preload_run.hpp"
#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    const char* library = std::getenv("CUBLAS_12");
    return library != nullptr && std::filesystem::exists(library)
               ? nullptr
               : "no real libcublas.so.12; ./bootstrap.sh cuda12 fetches it";
}

namespace sgemm_shim::testing {
namespace {

namespace fs = std::filesystem;

std::string cuda12_built(const std::string& name) {
    return variable("CUDA12_PROGRAMS") + "/" + name;
}

std::string folder_of(const std::string& path) {
    return fs::path(path).parent_path().string();
}

/// A file for cuBLAS's log, gone with the object.
struct LogFile {
    fs::path path;
    explicit LogFile(const std::string& name)
        : path(fs::temp_directory_path() / (std::to_string(getpid()) + "-" + name)) {
        fs::remove(path);
    }
    ~LogFile() { fs::remove(path); }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// The calls and their arguments, without what differs from run to run: addresses, times, processes.
    std::vector<std::string> lines() const {
        std::ifstream stream(path);
        std::vector<std::string> lines;
        for (std::string line; std::getline(stream, line);) {
            const bool is_call = line.starts_with("I! ") || line.starts_with("i!  ");
            if (is_call && !contains(line, "POINTER") && !contains(line, "Time:")) lines.push_back(line);
        }
        return lines;
    }

    /// How many calls of this version are in it.
    std::ptrdiff_t calls(const std::string& major) const {
        return std::ranges::count_if(lines(), [&](const std::string& line) {
            return line.starts_with("I! cuBLAS (v" + major + ".") && contains(line, ") called:");
        });
    }
};

/// The folders of both real libraries.
std::string both_libraries() {
    return folder_of(variable("CUBLAS_12")) + ":" + folder_of(variable("REAL_CUBLAS"));
}

/// Notes that the test case is skipped where there is only one: a build with CUDA 12 would find the same
/// major twice, and whatever were mixed up would look right.
bool has_two_majors() {
    if (variable("MAJOR_OF_THE_BUILD") != "12") return true;
    note_skipped_case("built with CUDA 12: no other major to set beside the real cuBLAS 12");
    return false;
}

constexpr int product_count = 18;

TEST_CASE("a CUDA 12 program: every product arrives at its own cuBLAS as without the shim") {
    const LogFile plain_log("plain-12.log"), log("shimmed-12.log");
    const std::string caller = cuda12_built("entry_caller_12");
    const auto environment = [&](const LogFile& file) {
        return Environment{{"LD_LIBRARY_PATH", folder_of(variable("CUBLAS_12"))},
                           {"CUBLAS_LOGINFO_DBG", "1"},
                           {"CUBLAS_LOGDEST_DBG", file.path.string()}};
    };
    const ChildResult plain = run_program({caller, "null"}, environment(plain_log));
    const ChildResult shimmed = run_shimmed({caller, "null"}, environment(log));
    CHECK(plain.exit_status == 0);
    CHECK(line_count(plain.output) == product_count);
    CHECK(shimmed.output == plain.output);
    CHECK(contains(shimmed.errors, ": 18 calls, 0 served, 18 forwarded"));
    CHECK_FALSE(contains(shimmed.errors, "no cublas"));
    CHECK(plain_log.calls("12") == product_count);
    CHECK(log.calls("12") == product_count);
    CHECK(log.lines() == plain_log.lines());
}

TEST_CASE("two real majors in one process, each linked to by a plugin of its own") {
    if (!has_two_majors()) return;
    const LogFile twelve("linked-12.log"), other("linked-other.log");
    const ChildResult result =
        run_shimmed({"plugin_host", cuda12_built("log_plugin_12.so"), cuda12_built("log_plugin.so")},
                    {{"LD_LIBRARY_PATH", both_libraries()},
                     {"LOG_FILE_12", twelve.path.string()},
                     {"LOG_FILE_OF_THE_BUILD", other.path.string()}});
    CHECK(result.output == "1 1 1 1 \n");
    CHECK(contains(result.errors, ": 4 calls, 0 served, 4 forwarded"));
    CHECK(twelve.calls("12") == 2);
    CHECK(other.calls(variable("MAJOR_OF_THE_BUILD")) == 2);
    CHECK(std::ranges::count(twelve.lines(), "i!  m: type=int; val=12") == 2);
    CHECK(std::ranges::count(other.lines(), "i!  m: type=int; val=" + variable("MAJOR_OF_THE_BUILD")) == 2);
}

TEST_CASE("two real majors in one process, looked up by ctypes") {
    if (!has_two_majors()) return;
    const std::string script =
        "import ctypes, sys\n"
        "libraries = [ctypes.CDLL(path) for path in sys.argv[1::2]]\n"
        "one = ctypes.byref(ctypes.c_float(1)); nowhere = ctypes.c_void_p(4096)\n"
        "for library, log in zip(libraries, sys.argv[2::2]):\n"
        "    print(library.cublasLoggerConfigure(1, 0, 0, log.encode()))\n"
        "for library in libraries * 2:\n"
        "    print(library.cublasSgemm_v2(None, 0, 0, 8, 8, 8, one, nowhere, 8, nowhere, 8, one, nowhere, "
        "8))\n";
    const LogFile twelve("looked-up-12.log"), other("looked-up-other.log");
    const ChildResult result =
        run_shimmed({"python3", "-c", script, variable("CUBLAS_12"), twelve.path.string(),
                     variable("REAL_CUBLAS"), other.path.string()});
    CHECK(result.output == "0\n0\n1\n1\n1\n1\n");
    CHECK(contains(result.errors, ": 4 calls, 0 served, 4 forwarded"));
    CHECK(twelve.calls("12") == 2);
    CHECK(other.calls(variable("MAJOR_OF_THE_BUILD")) == 2);
}

TEST_CASE("the doctor knows it for what it is") {
    const ChildResult result =
        run_program({variable("LAUNCHER"), "--doctor", cuda12_built("entry_caller_12")},
                    {{"LD_LIBRARY_PATH", folder_of(variable("CUBLAS_12"))},
                     {"SGEMM_SHIM_CUBLAS", variable("CUBLAS_12")}});
    CHECK(contains(result.output, "ok    SGEMM_SHIM_CUBLAS names " + variable("CUBLAS_12") + ": used"));
    CHECK(contains(
        result.output,
        "linked to libcublas.so.12 through entry_caller_12: forwarded calls go to " + variable("CUBLAS_12")));
}

}  // namespace
}  // namespace sgemm_shim::testing
