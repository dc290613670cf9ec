// The launcher as a program: what reaches the program that it starts, and what comes back.
#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "child_process.hpp"
#include "path_of.hpp"

using sgemm_shim::testing::ChildResult;
using sgemm_shim::testing::contains;
using sgemm_shim::testing::run_program;
namespace fs = std::filesystem;

namespace {

ChildResult launch(std::vector<std::string> arguments,
                   const std::map<std::string, std::string>& environment = {}) {
    arguments.insert(arguments.begin(), path_of("LAUNCHER"));
    return run_program(arguments, environment);
}

std::string soname_path() {
    return (fs::path(path_of("SHIM")).parent_path() / "libsgemm_shim.so.0").string();
}

}  // namespace

TEST_CASE("the program gets the library and the settings, and its output is its own") {
    const ChildResult result =
        launch({"--kernel", "1", "--log=summary", "--", path_of("EXIT_PROGRAM"), "print", "LD_PRELOAD",
                "SGEMM_SHIM_KERNEL", "SGEMM_SHIM_LOG", "SGEMM_SHIM_TF32"});
    CHECK(result.exit_status == 0);
    CHECK(result.output == "LD_PRELOAD=" + soname_path() +
                               "\nSGEMM_SHIM_KERNEL=1\nSGEMM_SHIM_LOG=summary\nSGEMM_SHIM_TF32=(unset)\n");
    CHECK(result.errors == "");
}

TEST_CASE("what is preloaded already stays, behind the library") {
    const ChildResult result =
        launch({path_of("EXIT_PROGRAM"), "print", "LD_PRELOAD"}, {{"LD_PRELOAD", "libm.so.6"}});
    CHECK(result.output == "LD_PRELOAD=" + soname_path() + ":libm.so.6\n");
}

TEST_CASE("exit status and signals are the program's") {
    CHECK(launch({path_of("EXIT_PROGRAM"), "exit", "0"}).exit_status == 0);
    CHECK(launch({path_of("EXIT_PROGRAM"), "exit", "42"}).exit_status == 42);
    CHECK(launch({path_of("EXIT_PROGRAM"), "kill", std::to_string(SIGTERM)}).exit_status == 128 + SIGTERM);
}

TEST_CASE("programs that cannot be started") {
    // run_program() takes 127 for a failure of its own, so a shell stands between.
    for (const std::string program : {"/nowhere/program", "no-such-program-on-the-path"}) {
        const ChildResult missing =
            run_program({"/bin/sh", "-c", "PATH=/bin:/usr/bin; \"$0\" \"$@\"; echo status $?",
                         path_of("LAUNCHER"), program});
        CHECK(missing.output == "status 127\n");
        CHECK(contains(missing.errors, program));
    }
    CHECK(launch({"/etc/passwd"}).exit_status == 126);
    CHECK(launch({"/"}).exit_status == 126);
}

TEST_CASE("relative paths are meant from where the launcher was called") {
    const ChildResult result =
        launch({"--log-file", "calls-%p.csv", "/bin/sh", "-c", "cd / && echo $SGEMM_SHIM_LOG_FILE"});
    CHECK(result.output.starts_with("/"));
    CHECK(result.output.ends_with("/calls-%p.csv\n"));
    CHECK(result.output != "/calls-%p.csv\n");
}

TEST_CASE("a cuBLAS without a slash is left to the loader") {
    const ChildResult result =
        launch({"--cublas", "libcublas.so.12", path_of("EXIT_PROGRAM"), "print", "SGEMM_SHIM_CUBLAS"});
    CHECK(result.exit_status == 0);
    CHECK(result.output == "SGEMM_SHIM_CUBLAS=libcublas.so.12\n");
}

TEST_CASE("mistakes never start the program") {
    for (const std::vector<std::string>& mistake :
         std::vector<std::vector<std::string>>{{"--kernel", "nonsense"},
                                               {"--log", "loud"},
                                               {"--cublas", "/nowhere/libcublas.so"},
                                               {"--cublas", "/"},
                                               {"--cublas", "./libcublas.so.13"},
                                               {"--list", "--doctor"},
                                               {"--bogus\n\033[2J"},
                                               {"--bogus"}}) {
        std::vector<std::string> arguments = mistake;
        arguments.insert(arguments.end(), {path_of("EXIT_PROGRAM"), "print", "LD_PRELOAD"});
        const ChildResult result = launch(arguments);
        CHECK(result.exit_status == 2);
        CHECK(result.output == "");
        CHECK(sgemm_shim::testing::line_count(result.errors) == 1);
        CHECK_FALSE(contains(result.errors, "\033"));
    }
    CHECK(launch({}).exit_status == 2);
}

TEST_CASE("lists, version and help") {
    const ChildResult kernels = launch({"--list"});
    CHECK(kernels.exit_status == 0);
    CHECK(contains(kernels.output, "  0  cublas "));
    CHECK(contains(kernels.output, "  7  double_buffer "));
    CHECK(launch({"--version"}).output.starts_with("sgemm-shim "));
    const ChildResult help = launch({"--help"});
    CHECK(help.exit_status == 0);
    CHECK(contains(help.output, "examples:"));
    CHECK(contains(help.output, "SGEMM_SHIM_LOG_FILE"));
}

TEST_CASE("an installation that was moved, and a launcher without its library") {
    const fs::path root = fs::temp_directory_path() / ("launcher-" + std::to_string(getpid()));
    fs::create_directories(root / "bin");
    fs::create_directories(root / "lib");
    fs::copy_file(path_of("LAUNCHER"), root / "bin" / "sgemm-shim");
    const std::string moved = (root / "bin" / "sgemm-shim").string();
    const std::vector<std::string> command{moved, path_of("EXIT_PROGRAM"), "print", "LD_PRELOAD"};

    const std::string installed = SGEMM_SHIM_LIBRARY_DIRECTORY "/" SGEMM_SHIM_LIBRARY_NAME;
    if (!fs::exists(installed)) {
        const ChildResult alone = run_program(command);
        CHECK(alone.exit_status == 126);
        CHECK(alone.output == "");
    }
    fs::copy_file(path_of("SHIM"), root / "lib" / SGEMM_SHIM_LIBRARY_NAME);
    const ChildResult found = run_program(command);
    CHECK(found.exit_status == 0);
    CHECK(found.output == "LD_PRELOAD=" + (root / "lib" / SGEMM_SHIM_LIBRARY_NAME).string() + "\n");

    // LD_PRELOAD has no way to name a path with a colon.
    fs::rename(root, root.string() + ":colon");
    std::vector<std::string> colon = command;
    colon.front() = root.string() + ":colon/bin/sgemm-shim";
    CHECK(run_program(colon).exit_status == 126);
    fs::remove_all(root.string() + ":colon");
}
