#include <set>
#include <string>

#include "fixture.hpp"

using namespace sgemm_shim::testing;

TEST_CASE("the version has three numbers") {
    int numbers[3];
    char rest;
    CHECK(std::sscanf(sgemm_shim_version(), "%d.%d.%d%c", &numbers[0], &numbers[1], &numbers[2], &rest) == 3);
}

TEST_CASE_FIXTURE(Fixture, "every kernel that is listed can be chosen by all that names it") {
    std::set<std::string> names;
    for (std::size_t index = 0; index < sgemm_shim_kernel_count(); ++index) {
        sgemm_shim_kernel kernel;
        REQUIRE(sgemm_shim_kernel_at(index, &kernel) == 0);
        CAPTURE(kernel.name);
        CHECK(names.insert(kernel.name).second);
        CHECK(std::string(kernel.idea).size() > 10);
        CHECK(std::string(kernel.requirements).size() > 10);
        const auto check = [&](const std::string& text) {
            CHECK(sgemm_shim_choose_kernel("auto") == 0);
            CHECK(sgemm_shim_choose_kernel(text.c_str()) == 0);
            CHECK(std::string(sgemm_shim_chosen_kernel()) == kernel.name);
        };
        check(kernel.name);
        if (kernel.number >= 0) check(std::to_string(kernel.number));
        for (const char* const* alias = kernel.aliases; *alias != nullptr; ++alias) {
            CHECK(names.insert(*alias).second);
            check(*alias);
        }
    }
    for (const char* name : {"cublas", "uncoalesced", "naive", "global_memory_coalescing", "double_buffer"})
        CHECK(names.count(name) == 1);
}

TEST_CASE("no kernel before the first or behind the last") {
    sgemm_shim_kernel kernel;
    kernel.number = 4711;
    CHECK(sgemm_shim_kernel_at(sgemm_shim_kernel_count(), &kernel) == -1);
    CHECK(sgemm_shim_kernel_at(static_cast<std::size_t>(-1), &kernel) == -1);
    CHECK(sgemm_shim_kernel_at(0, nullptr) == -1);
    CHECK(kernel.number == 4711);
}
