// Programs under the library that was built for the software GPU: what it does where nothing goes as it
// should.
#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>

#include "chain_run.hpp"

namespace sgemm_shim::testing {
namespace {

TEST_CASE("a plain cuBLAS program as it was built is served") {
    const std::string program = variable("PLAIN_CUBLAS");
    const ChildResult result = run_program({program, "100"}, environment());
    CHECK(result.exit_status == 0);
    CHECK(contains(result.output, "(right)"));
    CHECK(contains(result.errors, "12 calls, 12 served, 0 forwarded"));
    const ChildResult chosen = run_program({program, "100"}, environment({{"SGEMM_SHIM_KERNEL", "naive"}}));
    CHECK(chosen.exit_status == 0);
    CHECK(contains(chosen.errors, " naive "));
}

/// The functions that were made to fail. The library's own word about it is that it forwarded.
std::multiset<std::string> failed_functions(const ChildResult& result) {
    std::multiset<std::string> functions;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
        CHECK_FALSE(contains(line, "WRONG"));
        if (const std::size_t end = line.find(": status "); end != std::string::npos) {
            functions.insert(line.substr(0, end));
            // Forwarded or served: the real library, which is well, has the last word.
            CHECK(line.substr(end) == ": status 0");
        }
    }
    return functions;
}

constexpr const char* statuses[] = {"2", "999"};  // cudaErrorMemoryAllocation, cudaErrorUnknown

TEST_CASE("each runtime call before and in the first product of a process fails once") {
    for (const char* status : statuses) {
        std::multiset<std::string> all;
        for (int call = 1; call <= 12; ++call) {
            CAPTURE(call);
            const ChildResult result = run_program(
                {variable("FAULT_PROGRAM"), "first", std::to_string(call), status}, environment());
            CHECK(result.exit_status == 0);
            all.merge(failed_functions(result));
        }
        CHECK(all.size() == 12);
        for (const char* once :
             {"cudaDriverGetVersion", "cudaGetDriverEntryPointByVersion", "cuCtxGetCurrent", "cuCtxGetId",
              "cuCtxGetDevice", "cudaDeviceGetAttribute"}) {
            CAPTURE(once);
            CHECK(all.contains(once));
        }
    }
}

TEST_CASE("each runtime call of the first product in a context fails once") {
    for (const char* status : statuses) {
        for (const char* how : {"plain", "captured"}) {
            CAPTURE(how);
            std::multiset<std::string> all;
            bool is_left = true;
            for (int first = 1; is_left && first < 10000; first += 200) {
                const ChildResult result = run_program(
                    {variable("FAULT_PROGRAM"), how, std::to_string(first), status}, environment());
                CHECK(result.exit_status == 0);
                all.merge(failed_functions(result));
                is_left = !contains(result.output, "no more");
            }
            CHECK_FALSE(is_left);
            // Every kernel is asked about, when the handle is made.
            CHECK(all.count("cudaFuncGetAttributes") >= 20);
            for (const char* function :
                 {"cuCtxGetCurrent", "cuCtxGetId", "cuCtxGetDevice", "cudaDeviceGetAttribute",
                  "cudaStreamIsCapturing", "cudaThreadExchangeStreamCaptureMode", "cudaLaunchKernelExC"}) {
                CAPTURE(function);
                CHECK(all.contains(function));
            }
        }
    }
}

}  // namespace
}  // namespace sgemm_shim::testing
