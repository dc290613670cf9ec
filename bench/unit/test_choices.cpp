#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "choices.hpp"
#include "stand_in_device.hpp"

using namespace sgemm_bench;
using sgemm_shim::CostFigures;
using sgemm_shim::Kernel;
using sgemm_shim::KernelImplementation;
using sgemm_shim::Partition;

namespace {

constexpr int multiprocessors = 10;

constexpr KernelImplementation tiled{.functions = {}, .most_k_parts = 8, .tiles = {128, 64, 16, 2}};
constexpr Kernel tiled_row{.implementation = &tiled, .cost = {.kind = CostFigures::Kind::pipeline}};

std::vector<std::string> choices_of(const std::string& shape, float beta = 0, const Kernel& row = tiled_row) {
    Shape parsed = parse_shapes(shape, {}).front();
    parsed.beta = beta;
    std::vector<std::string> texts;
    for (const Partition& partition : partitions(to_problem(parsed), row, multiprocessors))
        texts.push_back(to_string(partition));
    return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("names of partitions") {
    CHECK(to_string(Partition{}).empty());
    CHECK(to_string(Partition{.k_parts = 4}) == "k_parts=4");
    CHECK(to_string(Partition{.tail_tiles = 7, .tail_k_parts = 2}) == "tail_tiles=7;tail_k_parts=2");
    CHECK(to_string(Partition{.k_parts = 2, .resident_blocks = 9, .tail_tiles = 7, .tail_k_parts = 4}) ==
          "k_parts=2;resident_blocks=9;tail_tiles=7;tail_k_parts=4");
    CHECK(to_string(Partition{.resident_blocks = 9, .shares_tiles = true}) ==
          "resident_blocks=9;shares_tiles=1");
}

TEST_CASE("k is cut into no more parts than the kernel takes and than have a whole slice each") {
    CHECK(choices_of("128,64,1000,NN") ==
          Texts{"", "k_parts=2", "k_parts=3", "k_parts=4", "k_parts=6", "k_parts=8"});
    CHECK(choices_of("128,64,49,NN") == Texts{"", "k_parts=2", "k_parts=3"});
    CHECK(choices_of("128,64,31,NN") == Texts{""});
}

TEST_CASE("more than a wave: blocks that stay, and the last tiles in parts of their own") {
    // 20 blocks at a time; 23 tiles leave 3.
    CHECK(choices_of("2944,64,32,NN") == Texts{"", "resident_blocks=20", "tail_tiles=3;tail_k_parts=2",
                                               "resident_blocks=20;tail_tiles=3;tail_k_parts=2"});
    const Texts deep = choices_of("2944,64,1000,NN");
    REQUIRE(deep.size() == 2 + 2 * 4);  // 2, 3, 4 and 6 parts; 8 would be 24 blocks
    CHECK(deep[deep.size() - 2] == "tail_tiles=3;tail_k_parts=6");
    CHECK(choices_of("128,64,32,NN,23") == choices_of("2944,64,32,NN"));
    CHECK(choices_of("2560,128,32,NN") == Texts{"", "resident_blocks=20"});    // two full waves
    CHECK(choices_of("2432,64,32,NN") == Texts{"", "k_parts=2"});              // not one
    CHECK(choices_of("2944,64,32,NN", 1) == Texts{"", "resident_blocks=20"});  // a second launch would need C
}

TEST_CASE("tiles are shared where some blocks would have one more than others") {
    KernelImplementation sharing = tiled;
    sharing.shares_tiles = true;
    const Kernel kernel{.implementation = &sharing, .cost = {.kind = CostFigures::Kind::pipeline}};
    const auto shares = [&](const std::string& shape) {
        const Problem problem = to_problem(parse_shapes(shape, {}).front());
        return std::ranges::any_of(partitions(problem, kernel, multiprocessors),
                                   [](const Partition& partition) {
                                       if (partition.shares_tiles) CHECK(partition.resident_blocks == 20);
                                       return partition.shares_tiles;
                                   });
    };
    CHECK(shares("2944,64,1000,NN"));         // 23 tiles for 20 blocks
    CHECK(shares("1664,64,1000,NN"));         // 13
    CHECK_FALSE(shares("2560,64,1000,NN"));   // 20
    CHECK_FALSE(shares("256,64,1000,NN"));    // 2, of 10 blocks each, which no cluster has
    CHECK_FALSE(shares("128,64,16,NN"));      // one slice
    CHECK_FALSE(shares("20608,64,1000,NN"));  // 161: eight waves
}

TEST_CASE("parts that meet in a workspace, doubled as long as there are slices and places") {
    KernelImplementation meeting = tiled;
    meeting.most_k_parts = 1;
    meeting.most_meeting_parts = 64;
    const Kernel kernel{.implementation = &meeting};
    CHECK(choices_of("128,64,16000,NN", 0, kernel) ==
          Texts{"", "meeting_parts=4", "meeting_parts=8", "meeting_parts=16", "meeting_parts=32"});
    CHECK(choices_of("128,64,100,NN", 0, kernel) == Texts{"", "meeting_parts=4"});
}

TEST_CASE("a kernel that has to know the GPU's size is told it in every way") {
    const Kernel kernel{.implementation = &tiled, .cost = {.kind = CostFigures::Kind::fetch}};
    // Its parts are worth their while from 64 steps on, whatever a tile's slice has.
    CHECK(choices_of("128,64,200,NN", 0, kernel) ==
          Texts{"resident_blocks=20", "k_parts=2;resident_blocks=20", "k_parts=3;resident_blocks=20"});
    CHECK(choices_of("128,64,127,NN", 0, kernel) == Texts{"resident_blocks=20"});
    CHECK(choices_of("2944,64,32,NN", 0, kernel) == Texts{"resident_blocks=20"});
}

TEST_CASE("k is not cut where that gives more than two waves of blocks") {
    CHECK(choices_of("1280,64,1000,NN") == Texts{"", "k_parts=2", "k_parts=3", "k_parts=4"});
    CHECK(choices_of("2560,64,1000,NN") == Texts{"", "k_parts=2"});
}

TEST_CASE("every choice of every kernel, and those that choose for themselves once") {
    const Problem problem = to_problem(parse_shapes("3000,4000,500,NT", {}).front());
    const auto contestants = with_every_choice(find_contestants({"cublas", "auto", "all"}), problem, 132);
    CHECK(contestants[0].asked == "cublas");
    CHECK(contestants[1].asked == "auto");
    CHECK_FALSE(contestants[1].partition);
    std::set<std::pair<std::string, std::string>> different;
    for (std::size_t i = 2; i < contestants.size(); ++i) {
        REQUIRE(contestants[i].partition);
        const KernelImplementation& kernel = *contestants[i].kernel->implementation;
        CHECK(contestants[i].partition->k_parts <= kernel.most_k_parts);
        CHECK(contestants[i].partition->tail_k_parts <= kernel.most_k_parts);
        CHECK(different.emplace(contestants[i].asked, to_string(*contestants[i].partition)).second);
    }
    for (const sgemm_shim::Kernel& kernel : sgemm_shim::kernel_table()) {
        const bool knows_gpu = kernel.cost.kind == CostFigures::Kind::fetch;
        if (kernel.implementation != nullptr)
            CHECK(different.contains({kernel.name, knows_gpu ? "resident_blocks=264" : ""}));
    }
}

TEST_CASE("a contestant's own partition takes the place of plan()'s") {
    const Shape shape = parse_shapes("300,400,500,NT", {}).front();
    Contestant contestant = find_contestants({"naive"}).front();
    contestant.partition = Partition{.tail_tiles = 5, .tail_k_parts = 3};
    const auto plans = list_plans({shape}, {contestant}, h200_figures());
    CHECK(plans.front().choice == "tail_tiles=5;tail_k_parts=3");
    CHECK(list_plans({shape}, find_contestants({"naive"}), h200_figures()).front().choice.empty());
}

TEST_CASE("the figures are a table: as many fields in every line, and the tiled kernels alone") {
    std::stringstream table;
    write_figures(table);
    std::size_t lines = 0;
    for (std::string line; std::getline(table, line); ++lines) {
        std::istringstream fields(line);
        std::size_t count = 0;
        for (std::string field; fields >> field;) ++count;
        CHECK(count == 6);
    }
    std::size_t tiled_kernels = 0;
    for (const sgemm_shim::Kernel& kernel : sgemm_shim::kernel_table())
        tiled_kernels += kernel.implementation != nullptr && kernel.implementation->tiles.m != 0 ? 1 : 0;
    CHECK(lines == tiled_kernels + 1);
}
