// Asynchronous copies bring the right data, late; whoever does not wait for them is found.
#include <numeric>

#include "detector_test.hpp"

namespace sgemm_shim::broken {

namespace {

std::vector<float> result(const char* kernel) {
    CAPTURE(kernel);
    std::vector<float> values(64);
    std::iota(values.begin(), values.end(), 0.0f);
    Memory memory;
    memory.buffer.upload(values);
    CHECK(findings(kernel, memory) == "");
    memory.buffer.download(values);
    return values;
}

}  // namespace

TEST_CASE("copies by threads") {
    const std::vector<float> values = result("copy_correct");
    CHECK(values[10] == 11.0f);
    CHECK(values[60] == 0.0f);  // past the valid bytes
    check_finding("copy_without_wait",
                  "shared memory read before the asynchronous copy into it is waited for",
                  {"earlier", "copy_kernels.cu:"});
    check_finding("copy_wrong_group",
                  "shared memory read before the asynchronous copy into it is waited for");
    check_finding("copy_overwrites_reader", "race on shared memory");
    check_finding("copy_misaligned", "misaligned access", {"by thread 2 of block 0", "copy_kernels.cu:"});
    check_finding("copy_past_end", "global read outside an operand", {"by thread 2 of block 0"});
    Memory memory;  // the neighbour's copy has not begun, is on its way, or is not ordered
    CHECK(findings("copy_without_barrier", memory).find("shared memory") != std::string::npos);
}

TEST_CASE("copies that complete on an mbarrier") {
    CHECK(result("barrier_copies")[10] == 11.0f);
    CHECK(result("both_copies")[10] == 21.0f);
    CHECK(result("bulk_copies")[10] == 11.0f);
    CHECK(result("bulk_copy_told_by_barrier")[10] == 53.0f);
    Memory memory;
    CHECK(findings("barrier_copies_without_wait", memory).find("shared memory") != std::string::npos);
    CHECK(findings("both_copies_without_barrier", memory).find("shared memory") != std::string::npos);
    check_finding("both_copies_without_group",
                  "shared memory read before the asynchronous copy into it is waited for");
    check_finding("bulk_copies_more_announced", "deadlock", {"waiting for an mbarrier"});
    check_finding("bulk_copy_not_published", "an mbarrier was not published to the copy engine");
    for (const char* kernel : {"bulk_copies_without_wait", "bulk_copy_behind_barrier"}) {
        CAPTURE(kernel);
        CHECK(findings(kernel, memory).find("shared memory") != std::string::npos);
    }
    CHECK(findings("bulk_copy_behind_barrier", memory).find("by the copy engine") != std::string::npos);
}

TEST_CASE("tiles of a matrix") {
    const std::vector<float> values = result("tile_copy");
    for (int outer = 0; outer < 4; ++outer) {
        for (int inner = 0; inner < 8; ++inner) {
            CAPTURE(outer);
            CAPTURE(inner);
            const bool exists = outer >= 1 && inner + 4 < 10;
            CHECK(values[static_cast<std::size_t>(outer * 8 + inner)] ==
                  (exists ? static_cast<float>((outer - 1) * 12 + inner + 4) : 0.0f));
        }
    }
    const std::vector<float> swizzled = result("swizzled_tile_copy");
    for (unsigned i = 0; i < 64; ++i) {
        CAPTURE(i);
        CHECK(swizzled[i] == static_cast<float>(i < 32 ? i : i ^ 4));
    }
}

}  // namespace sgemm_shim::broken
