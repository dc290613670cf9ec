// Every way in which a program can come to cuBLAS, with a product that a kernel computes: which ways are
// served, and what becomes of the others. tests/preload has the same ways with a stand-in that notes each
// argument.
#include <doctest/doctest.h>

#include "chain_run.hpp"

namespace sgemm_shim::testing {
namespace {

std::string program(const std::string& name) {
    return variable("CHAIN_LIBRARIES") + "/" + name;
}

std::string host_of_plugins() {
    return variable("PRELOAD_PROGRAMS") + "/plugin_host";
}

std::string cublas() {
    return variable("CHAIN_CUBLAS");
}

using Command = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

/// Two products, right and by a kernel.
void check_served(const Command& command, const Environment& more = {}) {
    CAPTURE(command.front());
    const ChildResult result = run_program(command, environment(more));
    CHECK(result.exit_status == 0);
    CHECK(result.output == "1 1 \n");
    CHECK(contains(result.errors, "2 calls, 2 served, 0 forwarded"));
    // It is the library that did it.
    Environment without = more;
    without.emplace("LD_LIBRARY_PATH", variable("CHAIN_LIBRARIES"));
    without["LD_PRELOAD"] = "";
    const ChildResult plain = run_program(command, without);
    CHECK(plain.output == "1 1 \n");
    CHECK(plain.errors.empty());
}

/// Two products, right and by the stand-in for cuBLAS: nobody asked the library.
void check_not_caught(const Command& command, const Environment& more = {}) {
    CAPTURE(command.front());
    const ChildResult result = run_program(command, environment(more));
    CHECK(result.exit_status == 0);
    CHECK(result.output == "1 1 \n");
    CHECK(result.errors.empty());
}

TEST_CASE("linked lazily, with -z now, with -fno-plt") {
    for (const char* name : {"product_lazy", "product_now", "product_no_plt"}) check_served({program(name)});
}

TEST_CASE("an RTLD_LOCAL plugin that is linked to cuBLAS, or looks it up") {
    check_served({host_of_plugins(), program("product_plugin.so")});
    check_served({host_of_plugins(), program("product_plugin_lookup.so")}, {{"LOOKUP_LIBRARY", cublas()}});
}

TEST_CASE("an RTLD_DEEPBIND plugin is not caught") {
    check_not_caught({host_of_plugins(), "--deepbind", program("product_plugin.so")});
    check_not_caught({host_of_plugins(), "--deepbind", program("product_plugin_lookup.so")},
                     {{"LOOKUP_LIBRARY", cublas()}});
}

TEST_CASE("dlopen and dlsym, by absolute path, by soname, with RTLD_DEEPBIND") {
    const std::string soname = cublas().substr(cublas().rfind('/') + 1);
    check_served({program("product_lookup")}, {{"LOOKUP_LIBRARY", cublas()}});
    check_served({program("product_lookup")}, {{"LOOKUP_LIBRARY", soname}});
    check_served({program("product_lookup")}, {{"LOOKUP_LIBRARY", cublas()}, {"LOOKUP_DEEPBIND", "1"}});
}

TEST_CASE("ctypes") {
    check_served({"python3", variable("CHAIN_SOURCES") + "/programs/ctypes_product.py",
                  variable("CHAIN_CUDART"), cublas()});
}

TEST_CASE("another dlsym hook before and behind") {
    const std::string other = variable("OTHER_HOOK"), own = variable("CHAIN_SHIM");
    for (const std::string& preload : {other + ":" + own, own + ":" + other}) {
        const ChildResult result =
            run_program({program("product_lookup")},
                        environment({{"LD_PRELOAD", preload}, {"LOOKUP_LIBRARY", cublas()}}));
        CHECK(result.output == "1 1 \n");
        CHECK(contains(result.errors, "2 calls, 2 served, 0 forwarded"));
    }
}

TEST_CASE("linked before cuBLAS it serves without a preload; behind it, it is never asked") {
    const Environment no_preload = {{"LD_PRELOAD", ""}};
    const ChildResult before = run_program({program("product_shim_first")}, environment(no_preload));
    CHECK(before.output == "1 1 \n");
    CHECK(contains(before.errors, "2 calls, 2 served, 0 forwarded"));
    check_not_caught({program("product_shim_last")}, no_preload);
    // A preload mends it.
    check_served({program("product_shim_last")});
}

TEST_CASE("a program with a statically linked cuBLAS is not caught") {
    check_not_caught({program("product_static")});
}

}  // namespace
}  // namespace sgemm_shim::testing
