// Faults in how threads wait for each other are found, and correct uses are not.
#include <numeric>

#include "detector_test.hpp"

namespace sgemm_shim::broken {

namespace {

std::vector<float> result(const char* kernel, std::vector<float> values, unsigned blocks = 1) {
    CAPTURE(kernel);
    Memory memory;
    memory.buffer.upload(values);
    CHECK(findings(kernel, memory, 64, blocks) == "");
    memory.buffer.download(values);
    return values;
}

std::vector<float> counting() {
    std::vector<float> values(64);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

}  // namespace

TEST_CASE("named barriers") {
    CHECK(result("named_barrier", counting())[40] == 8.0f);
    check_finding("wrong_named_barrier", "deadlock", {"32 threads (first: 32) waiting for named barrier 2"});
    check_finding("named_barrier_of_one_warp", "race on shared memory");
    check_finding("named_barrier_counts", "one named barrier with different numbers of threads",
                  {"barrier 1", "synchronisation_kernels.cu:"});
}

TEST_CASE("a warp's barrier") {
    CHECK(result("warp_barrier", counting())[40] == 41.0f);
    check_finding("missing_warp_barrier", "race on shared memory");
    check_finding("warp_barrier_for_block", "race on shared memory");
    check_finding("half_a_warp_waits", "deadlock", {"32 threads (first: 0) waiting for the warp's barrier"});
}

TEST_CASE("shuffles") {
    const std::vector<float> sums = result("sum_by_shuffles", counting());
    CHECK(sums[5] == 31.0f * 16 + 100);
    CHECK(sums[63] == 31.0f * 16 + 32 * 32 + 100);
    check_finding("shuffle_out_of_range", "shuffle from a lane that does not exist",
                  {"lane 32 of 32", "synchronisation_kernels.cu:"});
    check_finding("shuffle_not_by_all", "deadlock", {"31 threads (first: 0) waiting for the other lanes"});
}

TEST_CASE("mbarriers") {
    CHECK(result("mbarrier_ring", counting())[33] == 3.0f * 30 + 3);
    check_finding("ring_without_full", "race on shared memory");
    check_finding("ring_without_empty", "race on shared memory");
    check_finding("mbarrier_never_arrives", "deadlock", {"64 threads (first: 0) waiting for an mbarrier"});
    check_finding("mbarrier_not_initialised", "an mbarrier that is not initialised");
    check_finding("too_many_arrivals", "more arrivals at an mbarrier than it expects", {"by thread 0"});
    Memory memory;
    CHECK(findings("mbarrier_used_too_early", memory) != "");
}

TEST_CASE("clusters and distributed shared memory") {
    CHECK(result("cluster_exchange", counting(), 2)[40] == 41.0f);
    CHECK(result("cluster_halves", counting(), 2)[40] == 40.0f);
    check_finding("cluster_without_first_barrier", "shared memory of a block that may not have started", {},
                  64, 2);
    check_finding("cluster_without_last_barrier", "shared memory of a block that has ended", {}, 64, 2);
    check_finding("write_between_cluster_halves", "race on shared memory", {}, 64, 2);
}

TEST_CASE("the last block of a grid reduces") {
    CHECK(result("last_block", std::vector<float>(64, 0.0f), 4)[35] == 1.0f + 2 + 3 + 4);
    check_finding("last_block_without_barrier", "race on global memory", {}, 64, 4);
    check_finding("last_block_without_counter", "race on global memory", {}, 64, 4);
    CHECK(result("last_warp", std::vector<float>(64, 0.0f), 4)[35] == 1.0f + 2 + 3 + 4);
    check_finding("last_warp_without_barrier", "race on global memory", {}, 64, 4);
}

TEST_CASE("launches that the hardware refuses") {
    Memory memory;
    for (const unsigned threads : {0u, 1025u})
        CHECK_THROWS_AS(launch_by_name("with_barrier", memory.buffer.data(), threads), std::runtime_error);
    CHECK_THROWS_AS(launch_by_name("with_barrier", memory.buffer.data(), 64, 0), std::runtime_error);
    CHECK_THROWS_AS(launch_by_name("cluster_exchange", memory.buffer.data(), 64, 3), std::runtime_error);
    CHECK_THROWS_AS(launch_by_name("dynamic_of_64_kib", memory.buffer.data()), std::runtime_error);
    allow_shared_memory_by_name("dynamic_of_64_kib");
    CHECK(result("dynamic_of_64_kib", counting())[9] == 10.0f);
}

TEST_CASE("dynamic shared memory ends where the launch says") {
    check_finding("dynamic_past_end", "access outside shared memory",
                  {"of the block's 240 bytes of shared memory", "write of 4 bytes by thread 6"});
}

}  // namespace sgemm_shim::broken
