#include "library_location.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace sgemm_shim::launcher;

TEST_CASE("the library is looked for beside the launcher first, then in an installation's directories") {
    const std::vector<std::string> candidates = library_candidates("/opt/shim/bin/sgemm-shim");
    REQUIRE(candidates.size() == 5);
    CHECK(candidates.front() == "/opt/shim/bin/libsgemm_shim.so.0");
    CHECK(std::ranges::count(candidates, "/opt/shim/lib/libsgemm_shim.so.0") == 1);
    CHECK(std::ranges::count(candidates, "/opt/shim/lib64/libsgemm_shim.so.0") == 1);
    CHECK(candidates.back() == SGEMM_SHIM_LIBRARY_DIRECTORY "/" SGEMM_SHIM_LIBRARY_NAME);
}

TEST_CASE("the library goes in front of what is preloaded already, once") {
    CHECK(with_preload("/x/a.so", nullptr) == "/x/a.so");
    CHECK(with_preload("/x/a.so", "") == "/x/a.so");
    CHECK(with_preload("/x/a.so", "/y/b.so") == "/x/a.so:/y/b.so");
    CHECK(with_preload("/x/a.so", "/y/b.so /z/c.so") == "/x/a.so:/y/b.so /z/c.so");
    CHECK(with_preload("/x/a.so", "/x/a.so") == "/x/a.so");
    CHECK(with_preload("/x/a.so", "/y/b.so /x/a.so") == "/y/b.so /x/a.so");
    CHECK(with_preload("/x/a.so", "/x/a.so.0") == "/x/a.so:/x/a.so.0");
    CHECK(with_preload("/x/a.so", "y/x/a.so") == "/x/a.so:y/x/a.so");
}
