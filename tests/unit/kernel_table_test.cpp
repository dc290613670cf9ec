#include "kernel_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>

using namespace sgemm_shim;

TEST_CASE("row 0 is cuBLAS, and every other row has a whole implementation") {
    REQUIRE(!kernel_table().empty());
    CHECK(kernel_table().front().number == 0);
    CHECK(std::string(kernel_table().front().name) == "cublas");
    CHECK(kernel_table().front().implementation == nullptr);
    for (const Kernel& kernel : kernel_table().subspan(1)) {
        CAPTURE(kernel.name);
        REQUIRE(kernel.implementation != nullptr);
        CHECK(bool(kernel.implementation->launch));
        CHECK(bool(kernel.implementation->supports));
        CHECK(!kernel.implementation->functions.empty());
        for (const void* function : kernel.implementation->functions) CHECK(function != nullptr);
    }
}

TEST_CASE("every number, name and alias finds its own row, and stands there once") {
    std::set<std::string> names;
    std::set<int> numbers;
    for (const Kernel& kernel : kernel_table()) {
        CAPTURE(kernel.name);
        CHECK(names.insert(kernel.name).second);
        CHECK(find_kernel(kernel.name) == &kernel);
        for (const char* alias : kernel.aliases) {
            if (alias == nullptr) continue;
            CHECK(names.insert(alias).second);
            CHECK(find_kernel(alias) == &kernel);
        }
        if (kernel.number == Kernel::unnumbered) continue;
        CHECK(numbers.insert(kernel.number).second);
        CHECK(find_kernel(std::to_string(kernel.number)) == &kernel);
    }
}

TEST_CASE("numbers ascend along the table, where a row has one") {
    int last = -1;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.number == Kernel::unnumbered) continue;
        CHECK(kernel.number > last);
        last = kernel.number;
    }
}

TEST_CASE("rows and indices belong together") {
    REQUIRE(kernel_table().size() <= kernel_limit);
    for (std::size_t i = 0; i < kernel_table().size(); ++i) CHECK(kernel_index(kernel_table()[i]) == i);
}

TEST_CASE("names are words: not numbers, not a setting's own value, safe in a CSV field") {
    const auto check = [](const std::string& name) {
        CAPTURE(name);
        REQUIRE(!name.empty());
        CHECK(std::isalpha(static_cast<unsigned char>(name.front())));
        CHECK(std::all_of(name.begin(), name.end(),
                          [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; }));
        CHECK(name != "auto");
    };
    for (const Kernel& kernel : kernel_table()) {
        check(kernel.name);
        for (const char* alias : kernel.aliases) {
            if (alias != nullptr) check(alias);
        }
        CHECK(std::string(kernel.idea).size() > 10);
        CHECK(std::string(kernel.idea).find('\n') == std::string::npos);
    }
}

TEST_CASE("the ladder has the numbers, names and aliases of the work it follows") {
    const std::map<std::string, std::pair<int, std::string>> ladder = {
        {"cublas", {0, ""}},
        {"uncoalesced", {Kernel::unnumbered, ""}},
        {"naive", {1, "global_memory_coalescing"}},
        {"shared_memory", {2, ""}},
        {"thread_tile_1d", {3, "blocktiling_1d"}},
        {"thread_tile_2d", {4, "blocktiling_2d"}},
        {"register_cache", {5, ""}},
        {"float4", {6, ""}},
        {"double_buffer", {7, ""}},
    };
    for (const Kernel& kernel : kernel_table()) {
        CAPTURE(kernel.name);
        const auto rung = ladder.find(kernel.name);
        if (rung == ladder.end()) {
            CHECK((kernel.number == Kernel::unnumbered || kernel.number >= 8));  // the production family
            continue;
        }
        CHECK(kernel.number == rung->second.first);
        if (const std::string& alias = rung->second.second; !alias.empty())
            CHECK(find_kernel(alias) == &kernel);
    }
    for (const char* present : {"cublas", "naive", "double_buffer"}) CHECK(find_kernel(present) != nullptr);
}

TEST_CASE("what is no number and no name finds nothing") {
    for (const char* text : {"", " ", "auto", "99", "-1", "+1", "1 ", " 1", "1x", "0x1", "1.0", "NAIVE",
                             "naive ", "naiv", "naive2", "99999999999999999999", "cublas\n"}) {
        CAPTURE(text);
        CHECK(find_kernel(text) == nullptr);
    }
    CHECK(find_kernel({}) == nullptr);
}

TEST_CASE("find_kernel reads no further than the view") {
    const std::string_view text = "17naive_and_more";
    CHECK(find_kernel(text.substr(0, 1)) == find_kernel("naive"));
    CHECK(find_kernel(text.substr(1, 1)) == find_kernel("double_buffer"));
    CHECK(find_kernel(text.substr(2, 5)) == find_kernel("naive"));
}

TEST_CASE("the last rung is one of ours, and beside it only the production family has cost figures") {
    CHECK(last_rung().implementation != nullptr);
    CHECK(last_rung().cost.kind == CostFigures::Kind::none);
    for (const Kernel& kernel : kernel_table()) {
        CAPTURE(kernel.name);
        CHECK(is_production(kernel) ==
              (kernel.number == Kernel::unnumbered && kernel.name != std::string("uncoalesced")));
        CHECK((kernel.cost.kind != CostFigures::Kind::none) == is_production(kernel));
        if (!is_production(kernel)) continue;
        const TileFigures& tiles = kernel.implementation->tiles;
        CHECK(tiles.m > 0);
        CHECK(tiles.n > 0);
        CHECK(tiles.k > 0);
        CHECK(tiles.blocks_per_multiprocessor > 0);
    }
}
