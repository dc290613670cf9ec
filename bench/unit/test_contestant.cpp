#include <doctest/doctest.h>

#include "contestant.hpp"
#include "stand_in_device.hpp"
#include "text.hpp"

using namespace sgemm_bench;

namespace {

std::vector<Result> plans_of(const std::vector<Shape>& shapes, const std::vector<std::string>& kernels) {
    return list_plans(shapes, find_contestants(kernels), h200_figures());
}

}  // namespace

TEST_CASE("kernels by number, name and alias; all are the table without cuBLAS") {
    const auto contestants = find_contestants({"auto", "1", "blocktiling_2d", "cublas", "all"});
    REQUIRE(contestants.size() == 4 + sgemm_shim::kernel_table().size() - 1);
    CHECK(contestants[0].kernel == nullptr);
    CHECK(contestants[1].asked == "naive");
    CHECK(contestants[2].asked == "thread_tile_2d");
    CHECK(contestants[3].kernel->implementation == nullptr);
    for (std::size_t i = 4; i < contestants.size(); ++i)
        CHECK(contestants[i].kernel->implementation != nullptr);
    const auto production = find_contestants({"production"});
    CHECK(production.front().asked == "direct_tall");
    CHECK(production.size() == sgemm_shim::kernel_table().size() - kernel_index(*production.front().kernel));
    CHECK_THROWS_AS(find_contestants({"no_such_kernel"}), InputError);
}

TEST_CASE("the call of a problem") {
    Shape shape = parse_shapes("5,6,7,TN,3", {}).front();
    shape.beta = 0.5f;
    const Problem problem = to_problem(shape);
    float memory[1];
    float* const pointer = memory;
    const OperandAddresses addresses{memory, memory, memory, &pointer, &pointer, &pointer};
    const sgemm_shim::GemmCall strided = make_call(problem, addresses);
    CHECK(strided.operation_a == sgemm_shim::Operation::transpose);
    CHECK(strided.operation_b == sgemm_shim::Operation::none);
    CHECK(strided.m == 5);
    CHECK(strided.n == 6);
    CHECK(strided.k == 7);
    CHECK(strided.batch_count == 3);
    CHECK(*strided.beta == 0.5f);
    CHECK(strided.a.first == memory);
    CHECK(strided.a.leading_dimension == 7);
    CHECK(strided.a.stride == 35);
    CHECK(strided.c.stride == 30);
    CHECK(validate(strided) == sgemm_shim::Validity::computes);

    Problem by_pointers = problem;
    by_pointers.pointer_arrays = true;
    const sgemm_shim::GemmCall batched = make_call(by_pointers, addresses);
    CHECK(batched.a.first == nullptr);
    CHECK(batched.a.array == &pointer);
    CHECK(batched.c.array == &pointer);
    CHECK(batched.b.leading_dimension == 7);
    CHECK(validate(batched) == sgemm_shim::Validity::computes);
}

TEST_CASE("plans are listed without a GPU: of every shape by every contestant, with reasons") {
    std::vector<Shape> shapes = parse_shapes("5,6,7,TN;64,64,64,NN,3", {});
    shapes[1].pointer_arrays = true;
    const auto plans = plans_of(shapes, {"naive", "cublas", "auto"});
    REQUIRE(plans.size() == 6);
    for (const Result& plan : plans) CHECK_FALSE(plan.is_timed());
    CHECK(plans[3].shape.name == "64x64x64_NN_b3");
    CHECK(plans[3].asked == "naive");
    CHECK(plans[3].kernel == "naive");
    CHECK(plans[3].note.empty());
    CHECK(plans[4].kernel == "cublas");
    CHECK(plans[4].note == "forwarded: kernel cublas");
    for (const std::size_t i : {2, 5}) CHECK(plans[i].is_forwarded() == !plans[i].note.empty());
}
