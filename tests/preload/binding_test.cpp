// Programs of several kinds under LD_PRELOAD of the shim: who answers them, and what is printed. The programs
// and the stand-in libraries lie beside this one.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "preload_run.hpp"

using namespace sgemm_shim::testing;

namespace {

/// What the stand-in of major version 13 makes a caller print, under the shim or not.
const std::string answers_of_13 = "create=0 logger=13 null=1 null_64=1 sgemm=13 sgemm_64=13 destroy=0\n";
const std::string answers_of_12 = "create=0 logger=12 null=1 null_64=1 sgemm=12 sgemm_64=12 destroy=0\n";

void check_caller(const ChildResult& result, const std::string& answers) {
    CHECK(result.exit_status == 0);
    CHECK(result.output == answers);
    CHECK(contains(result.errors, ": 4 calls, 0 served, 4 forwarded"));
    CHECK(contains(result.errors, "forwarded: handle "));
    CHECK(contains(result.errors, "forwarded: " + reason_without_context() + " "));
    CHECK(line_count(result.errors) == 5);
}

}  // namespace

TEST_CASE("the stand-in answers callers alone as the cases below expect") {
    for (const char* caller : {"caller_lazy", "caller_now", "caller_no_plt"}) {
        const ChildResult result = run_program({built(caller), "handle"});
        CHECK(result.exit_status == 0);
        CHECK(result.output == answers_of_13);
        CHECK(result.errors.empty());
    }
}

TEST_CASE("programs linked lazily, with -z now and with -fno-plt are caught, and get their own cuBLAS") {
    for (const char* caller : {"caller_lazy", "caller_now", "caller_no_plt"}) {
        CAPTURE(caller);
        check_caller(run_shimmed({caller, "handle"}), answers_of_13);
    }
}

TEST_CASE("nothing is printed unless asked for") {
    const ChildResult result = run_shimmed({"caller_lazy", "handle"}, {{"SGEMM_SHIM_LOG", ""}});
    CHECK(result.output == answers_of_13);
    CHECK(result.errors.empty());
}

TEST_CASE("the real cuBLAS answers through the shim as without it") {
    const ChildResult plain = run_program({built("caller_real")});
    const ChildResult shimmed = run_shimmed({"caller_real"});
    CHECK(plain.exit_status == 0);
    CHECK(shimmed.exit_status == 0);
    CHECK(contains(plain.output, " logger=0 null=1 null_64=1 destroy="));
    CHECK(plain.output == shimmed.output);
    CHECK(contains(shimmed.errors, ": 2 calls, 0 served, 2 forwarded"));
    CHECK(contains(shimmed.errors, "cublasSgemm_v2 "));
    CHECK(contains(shimmed.errors, "cublasSgemm_v2_64 "));
    CHECK(contains(shimmed.errors, "forwarded: handle "));
    CHECK(run_shimmed({"caller_real"}, {{"SGEMM_SHIM_LOG", ""}}).errors == plain.errors);
}

TEST_CASE("settings that forward everything, each under its own reason") {
    const auto check_reason = [](const Environment& environment, const std::string& reason) {
        const ChildResult result = run_shimmed({"caller_lazy", "handle"}, environment);
        CHECK(result.output == answers_of_13);
        CHECK(contains(result.errors, "forwarded: " + reason + " "));
    };
    check_reason({{"SGEMM_SHIM_DISABLE", "on"}}, "disabled");
    check_reason({{"SGEMM_SHIM_KERNEL", "cublas"}}, "kernel cublas");
    check_reason({{"SGEMM_SHIM_KERNEL", "0"}}, "kernel cublas");
    check_reason({{"CUBLAS_LOGINFO_DBG", "1"}}, "cublas logging");
    check_reason({{"NVIDIA_TF32_OVERRIDE", "1"}}, "environment");
}

TEST_CASE("a bad setting costs one line in a process that calls, and none in others") {
    const Environment bad = {{"SGEMM_SHIM_LOG", ""}, {"SGEMM_SHIM_KERNEL", "fastest"}};
    const ChildResult caller = run_shimmed({"caller_lazy", "handle"}, bad);
    CHECK(caller.output == answers_of_13);
    CHECK(line_count(caller.errors) == 1);
    CHECK(contains(caller.errors, "SGEMM_SHIM_KERNEL=fastest is not valid; valid values: auto"));
    CHECK(run_shimmed({"true"}, bad).errors.empty());
}

TEST_CASE("an RTLD_LOCAL plugin is caught, and gets the cuBLAS it is linked to") {
    const ChildResult result = run_shimmed({"plugin_host", built("plugin_13.so")});
    CHECK(result.exit_status == 0);
    CHECK(result.output == "13 13 \n");
    CHECK(contains(result.errors, ": 2 calls"));
}

TEST_CASE("two cuBLAS majors in one process: each plugin gets its own") {
    const std::string thirteen = built("plugin_13.so");
    const std::string twelve = built("plugin_12.so");
    CHECK(run_program({built("plugin_host"), thirteen, twelve}).output == "13 12 13 12 \n");
    CHECK(run_shimmed({"plugin_host", thirteen, twelve}).output == "13 12 13 12 \n");
    CHECK(run_shimmed({"plugin_host", twelve, thirteen}).output == "12 13 12 13 \n");
    CHECK(
        contains(run_shimmed({"plugin_host", twelve, thirteen}).errors, ": 4 calls, 0 served, 4 forwarded"));
}

TEST_CASE("a plugin that takes the place of one that was closed gets its own cuBLAS") {
    const std::string thirteen = built("plugin_13.so");
    const std::string twelve = built("plugin_12.so");
    const ChildResult result = run_shimmed({"plugin_host", "--close", thirteen, twelve, thirteen});
    // The addresses of its calls are those of the closed one's, or this would prove nothing.
    CHECK(result.output == "13 13 12 12 13 13 \none address\n");
    CHECK(contains(result.errors, ": 6 calls, 0 served, 6 forwarded"));
}

TEST_CASE("a plugin whose dynamic section the loader leaves as it is gets its own, too") {
    const std::string read_only = built("plugin_12_read_only.so");
    CHECK(run_shimmed({"plugin_host", built("plugin_13.so"), read_only}).output == "13 12 13 12 \n");
}

TEST_CASE("SGEMM_SHIM_CUBLAS comes before what the program is linked to") {
    check_caller(run_shimmed({"caller_lazy", "handle"}, {{"SGEMM_SHIM_CUBLAS", stand_in_file("12")}}),
                 answers_of_12);
}

TEST_CASE("an SGEMM_SHIM_CUBLAS that is no cuBLAS costs one line, and the search goes on") {
    for (const std::string& path : {std::string("/no/such/libcublas.so.13"), std::string("libm.so.6"),
                                    source("no_cublas/libcublas.so.13"), shim()}) {
        CAPTURE(path);
        const ChildResult result =
            run_shimmed({"caller_lazy", "handle"}, {{"SGEMM_SHIM_CUBLAS", path}, {"SGEMM_SHIM_LOG", ""}});
        CHECK(result.exit_status == 0);
        CHECK(result.output == answers_of_13);
        CHECK(line_count(result.errors) == 1);
        CHECK(contains(result.errors, "SGEMM_SHIM_CUBLAS"));
        CHECK(contains(result.errors, path));
    }
}

TEST_CASE("without any cuBLAS a call says so once and gets status 1") {
    const Environment none = {{"LD_LIBRARY_PATH", source("no_cublas")}, {"SGEMM_SHIM_LOG", ""}};
    CHECK(run_program({built("weak_caller")}, none).output == "absent\n");
    const ChildResult result = run_shimmed({"weak_caller"}, none);
    CHECK(result.exit_status == 0);
    CHECK(result.output == "create=1 sgemm=1 sgemm=1\n");
    CHECK(line_count(result.errors) == 1);
    CHECK(contains(result.errors, "no cuBLAS found"));
    const ChildResult counted = run_shimmed({"weak_caller"}, {{"LD_LIBRARY_PATH", source("no_cublas")}});
    CHECK(contains(counted.errors, ": 2 calls, 0 served, 2 forwarded"));
    CHECK(contains(counted.errors, "forwarded: no cublas "));
}

TEST_CASE("a bad SGEMM_SHIM_CUBLAS and no other cuBLAS: one line for each") {
    const ChildResult result = run_shimmed({"weak_caller"}, {{"LD_LIBRARY_PATH", source("no_cublas")},
                                                             {"SGEMM_SHIM_LOG", ""},
                                                             {"SGEMM_SHIM_CUBLAS", "/no/such/file"}});
    CHECK(result.output == "create=1 sgemm=1 sgemm=1\n");
    CHECK(line_count(result.errors) == 2);
}

TEST_CASE("a program without cuBLAS gets the one on the search path, the newest first") {
    const auto answers = [](const std::string& path) {
        const ChildResult result =
            run_shimmed({"weak_caller"}, {{"LD_LIBRARY_PATH", path}, {"SGEMM_SHIM_LOG", ""}});
        CHECK(result.errors.empty());
        return result.output;
    };
    const std::string thirteen = built("stand_in_13");
    const std::string twelve = built("stand_in_12");
    CHECK(answers(twelve + ":" + thirteen) == "create=0 sgemm=13 sgemm=13\n");
    CHECK(answers(twelve + ":" + source("no_cublas")) == "create=0 sgemm=12 sgemm=12\n");
}

TEST_CASE("a constructor that calls cuBLAS while the shim is loading its library is answered") {
    const ChildResult result = run_shimmed(
        {"weak_caller"}, {{"SGEMM_SHIM_CUBLAS", built("plugin_13_constructor.so")}, {"SGEMM_SHIM_LOG", ""}});
    CHECK(result.exit_status == 0);
    CHECK(result.output == "create=0 sgemm=13 sgemm=13\n");
    CHECK(result.errors.empty());
}

TEST_CASE("a cuBLAS without the newer functions: what it has works, what it lacks is status 1") {
    const ChildResult result =
        run_shimmed({"caller_lazy", "handle"}, {{"LD_LIBRARY_PATH", built("stand_in_13_old")}});
    CHECK(result.exit_status == 0);
    CHECK(result.output == "create=0 logger=13 null=1 null_64=1 sgemm=13 sgemm_64=1 destroy=0\n");
    CHECK(contains(result.errors, ": 4 calls, 0 served, 4 forwarded"));
    CHECK(contains(result.errors, "forwarded: no cublas "));
    CHECK(contains(result.errors, "forwarded: " + reason_without_context() + " "));
}

/// What entry_caller prints if cublasSgemm_v2 answers `first`, and every other product `rest`.
std::string answers_of_all(const std::string& first, const std::string& rest) {
    std::string result;
    for (const char* name :
         {"Sgemm_v2", "SgemmStridedBatched", "SgemmBatched", "SgemmEx", "GemmEx", "GemmStridedBatchedEx",
          "GemmBatchedEx", "SgemmGroupedBatched", "GemmGroupedBatchedEx"}) {
        result += std::string("cublas") + name + "=" + (result.empty() ? first : rest) + "\n";
        result += std::string("cublas") + name + "_64=" + rest + "\n";
    }
    return result;
}

TEST_CASE("every product is caught, and answered by the program's own cuBLAS") {
    CHECK(run_program({built("entry_caller")}).output == answers_of_all("13", "13"));
    const ChildResult result = run_shimmed({"entry_caller"});
    CHECK(result.exit_status == 0);
    CHECK(result.output == answers_of_all("13", "13"));
    CHECK(contains(result.errors, ": 18 calls, 0 served, 18 forwarded"));
    CHECK(line_count(result.errors) == 19);
    const ChildResult redirected =
        run_shimmed({"entry_caller"}, {{"SGEMM_SHIM_CUBLAS", stand_in_file("12")}});
    CHECK(redirected.output == answers_of_all("12", "12"));
}

TEST_CASE("the real cuBLAS has every product, and answers through the shim as without it") {
    CHECK(run_program({built("entry_caller_real"), "null"}).output == answers_of_all("1", "1"));
    const ChildResult shimmed = run_shimmed({"entry_caller_real", "null"});
    CHECK(shimmed.output == answers_of_all("1", "1"));
    CHECK(contains(shimmed.errors, ": 18 calls, 0 served, 18 forwarded"));
    CHECK(!contains(shimmed.errors, "no cublas"));
}

TEST_CASE("a cuBLAS with one product only: the others are status 1") {
    const ChildResult result = run_shimmed({"entry_caller"}, {{"LD_LIBRARY_PATH", built("stand_in_13_old")}});
    CHECK(result.exit_status == 0);
    CHECK(result.output == answers_of_all("13", "1"));
    CHECK(contains(result.errors, ": 18 calls, 0 served, 18 forwarded"));
    CHECK(contains(result.errors, "cublasGemmBatchedEx_64 "));
    CHECK(contains(result.errors, "forwarded: no cublas "));
    CHECK(line_count(result.errors) == 19);
}

TEST_CASE("a program that loads the shim itself gets the cuBLAS on the search path") {
    const ChildResult result =
        run_program({built("shim_opener"), shim()}, {{"LD_LIBRARY_PATH", built("stand_in_13")}});
    CHECK(result.output == "create=0 sgemm=13\n");
    CHECK(result.errors.empty());
}

TEST_CASE("a program that loads the shim behind its own cuBLAS gets that one") {
    const ChildResult result =
        run_program({built("shim_opener_linked"), shim()}, {{"SGEMM_SHIM_LOG", "summary"}});
    CHECK(result.output == "create=0 sgemm=13\n");
    CHECK(contains(result.errors, ": 1 calls, 0 served, 1 forwarded"));
}

TEST_CASE("linked before cuBLAS the shim serves without a preload; behind it, it is never asked") {
    const Environment log = {{"SGEMM_SHIM_LOG", "summary"}};
    check_caller(run_program({built("caller_shim_first"), "handle"}, log), answers_of_13);
    const ChildResult behind = run_program({built("caller_shim_last"), "handle"}, log);
    CHECK(behind.output == answers_of_13);
    CHECK(behind.errors.empty());
    check_caller(run_shimmed({"caller_shim_last", "handle"}), answers_of_13);  // a preload mends it
}

TEST_CASE("programs that have nothing to do with cuBLAS run as ever") {
    const std::vector<std::vector<std::string>> commands = {
        {"true"},
        {"sh", "-c", "exit 7"},
        {"sh", "-c", "echo text; kill -9 $$"},
        {"python3", "-c", "pass"},
        {"python3", "-c", "import sys, threading; print(len(sys.argv)); sys.exit(3)"}};
    for (const std::vector<std::string>& command : commands) {
        CAPTURE(command.back());
        const ChildResult plain = run_program(command);
        const ChildResult shimmed = run_shimmed(command);
        CHECK(plain.exit_status == shimmed.exit_status);
        CHECK(plain.output == shimmed.output);
        CHECK(plain.errors.empty());
        CHECK(shimmed.errors.empty());
    }
    CHECK(run_shimmed({"sh", "-c", "exit 7"}).exit_status == 7);
    CHECK(run_shimmed({"sh", "-c", "kill -9 $$"}).exit_status == 128 + 9);
}

TEST_CASE("the preload is really there in such programs") {
    const ChildResult result =
        run_shimmed({"python3", "-c", "print('sgemm_shim' in open('/proc/self/maps').read())"});
    CHECK(result.output == "True\n");
}
