// The doctor, on programs whose illness is known.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "child_process.hpp"
#include "path_of.hpp"

using sgemm_shim::testing::ChildResult;
using sgemm_shim::testing::contains;
using sgemm_shim::testing::run_program;
namespace fs = std::filesystem;

namespace {

/// The report, from the program's heading on if there is one.
std::string doctor(const std::string& program = {},
                   const std::map<std::string, std::string>& environment = {}) {
    std::vector<std::string> command{path_of("LAUNCHER"), "--doctor"};
    if (!program.empty()) command.push_back(program);
    const ChildResult result = run_program(command, environment);
    CHECK(result.errors == "");
    CHECK(result.exit_status == (contains(result.output, "  FAIL  ") ? 1 : 0));
    const std::size_t heading = program.empty() ? 0 : result.output.find("program ");
    REQUIRE(heading != std::string::npos);
    return result.output.substr(heading);
}

/// A directory of this test's own, removed at its end.
struct ScratchDirectory {
    fs::path path = fs::temp_directory_path() / ("doctor-" + std::to_string(getpid()));
    ScratchDirectory() { fs::create_directories(path); }
    ~ScratchDirectory() { fs::remove_all(path); }

    std::string file(const std::string& name, const std::string& text, mode_t mode = 0755) const {
        const std::string result = (path / name).string();
        std::ofstream(result) << text;
        chmod(result.c_str(), mode);
        return result;
    }
};

}  // namespace

TEST_CASE("the library and what it needs") {
    const std::string report = doctor();
    CHECK(contains(report, "libsgemm_shim.so.0, version "));
    CHECK(contains(report, "  ok    glibc "));
    CHECK(contains(report, "LD_PRELOAD is free"));
}

TEST_CASE("settings that keep every call away") {
    CHECK(contains(doctor({}, {{"SGEMM_SHIM_DISABLE", "on"}}), "FAIL  SGEMM_SHIM_DISABLE is on"));
    CHECK(contains(doctor({}, {{"SGEMM_SHIM_DLSYM", "off"}}), "FAIL  SGEMM_SHIM_DLSYM is off"));
    CHECK(
        contains(doctor({}, {{"SGEMM_SHIM_KERNEL", "nonsense"}}), "SGEMM_SHIM_KERNEL=nonsense is not valid"));
    CHECK(contains(doctor({}, {{"NVIDIA_TF32_OVERRIDE", "1"}}), "FAIL  NVIDIA_TF32_OVERRIDE"));
    CHECK(contains(doctor({}, {{"CUBLAS_LOGINFO_DBG", "1"}}), "FAIL  CUBLAS_LOGINFO_DBG"));
    CHECK(contains(doctor({}, {{"SGEMM_SHIM_CUBLAS", "/nowhere/x.so"}}),
                   "/nowhere/x.so, which cannot be read"));
}

TEST_CASE("an SGEMM_SHIM_CUBLAS that is one, and files that are none") {
    const auto report_of = [](const std::string& named) {
        return doctor({}, {{"SGEMM_SHIM_CUBLAS", named}});
    };
    const std::string stand_in = path_of("STAND_IN");
    CHECK(contains(report_of(stand_in), "ok    SGEMM_SHIM_CUBLAS names " + stand_in + ": used"));
    const ScratchDirectory scratch;
    for (const std::string& none : {path_of("EXIT_PROGRAM"), path_of("PLAIN_CUBLAS"), path_of("SHIM"),
                                    scratch.file("text", "cublasSgemm_v2")})
        CHECK(contains(report_of(none), "FAIL  SGEMM_SHIM_CUBLAS names " + none + ", which is no cuBLAS"));
    CHECK(contains(report_of("libcublas.so.4711"),
                   "FAIL  SGEMM_SHIM_CUBLAS names libcublas.so.4711, which is "
                   "not on the loader's path"));
    const std::string folder = fs::path(stand_in).parent_path().string();
    CHECK(contains(doctor({}, {{"SGEMM_SHIM_CUBLAS", "libcublas.so.13"}, {"LD_LIBRARY_PATH", folder}}),
                   "ok    SGEMM_SHIM_CUBLAS names libcublas.so.13 (" + stand_in + ")"));
}

TEST_CASE("what a variable holds is shown without control characters, and cut") {
    const std::string report = doctor({}, {{"SGEMM_SHIM_LOG_FILE", "\033[2J" + std::string(3000, 'x')}});
    CHECK_FALSE(contains(report, "\033"));
    CHECK(contains(report, "SGEMM_SHIM_LOG_FILE=?[2Jxxx"));
    CHECK(contains(report, "xxx...\n"));
    CHECK_FALSE(contains(report, std::string(1000, 'x')));
}

TEST_CASE("options stand for the environment that the program would have") {
    const ChildResult result = run_program({path_of("LAUNCHER"), "--kernel", "cublas", "--doctor"},
                                           {{"SGEMM_SHIM_KERNEL", "naive"}});
    CHECK(contains(result.output, "FAIL  SGEMM_SHIM_KERNEL=cublas: every call is forwarded"));
    CHECK(run_program({path_of("LAUNCHER"), "--cublas", "/nowhere/x.so", "--doctor"}).exit_status == 2);
}

TEST_CASE("a program that is linked to cuBLAS") {
    const std::string report = doctor(path_of("PLAIN_CUBLAS"));
    CHECK(contains(report, "  ok    linked to libcublas.so." CUBLAS_MAJOR " through plain_cublas"));
    CHECK_FALSE(contains(report, "FAIL"));
}

TEST_CASE("programs that no preload reaches") {
    CHECK(contains(doctor(path_of("STATIC_PROGRAM")), "FAIL  it is statically linked"));
    CHECK(contains(doctor("/nowhere/program"), "FAIL  not found"));

    const ScratchDirectory scratch;
    const fs::path copy = scratch.path / "copy";
    fs::copy_file(path_of("EXIT_PROGRAM"), copy);
    CHECK_FALSE(contains(doctor(copy.string()), "FAIL"));
    REQUIRE(chmod(copy.c_str(), 04755) == 0);
    CHECK(contains(doctor(copy.string()), "FAIL  it is setuid or setgid"));
    REQUIRE(chmod(copy.c_str(), 0755) == 0);

    // A stripped static cuBLAS leaves its strings behind.
    std::ofstream(copy, std::ios::app | std::ios::binary) << "CUBLAS_LOGINFO_DBG";
    CHECK(contains(doctor(copy.string()), "FAIL  a static copy of cuBLAS is inside the program"));
    CHECK(contains(doctor(scratch.file("text", "just text")), "FAIL  neither an ELF program nor a script"));
}

TEST_CASE("a program that is not linked to cuBLAS") {
    CHECK(contains(doctor(path_of("EXIT_PROGRAM")), "note  exit_program is not linked to cuBLAS"));
    CHECK(contains(doctor(path_of("LOOKUP_PROGRAM")), "with dlopen and dlsym"));
}

TEST_CASE("scripts are followed to their interpreter") {
    const ScratchDirectory scratch;
    const std::string program = path_of("EXIT_PROGRAM");
    const std::string direct = doctor(scratch.file("direct", "#!" + program + " -x\n"));
    CHECK(contains(direct, "a script, run by " + program));
    CHECK(contains(direct, "program " + program));

    const std::string by_env = doctor(scratch.file("by_env", "#!/usr/bin/env -S A=1 sh -e\necho\n"));
    CHECK(contains(by_env, "a script, run by sh"));
    CHECK(contains(by_env, "program sh"));

    const std::string loop = (scratch.path / "loop").string();
    scratch.file("loop", "#!" + loop + "\n");
    CHECK(contains(doctor(loop), "too many scripts"));
    CHECK(contains(doctor(scratch.file("bare", "#!\n")), "without an interpreter"));
    CHECK(contains(doctor(scratch.file("no_end", "#!" + program)), "run by " + program));
}
