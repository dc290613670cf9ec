#include "plan_memory.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "sample_calls.hpp"
#include "settings.hpp"

using namespace sgemm_shim;
using sgemm_shim::testing::legal_call;

namespace {

DeviceFigures device_of(int multiprocessors) {
    DeviceFigures device;
    device.compute_capability_major = 9;
    device.multiprocessor_count = multiprocessors;
    device.ready_kernels = ~std::uint64_t{0};
    return device;
}

bool is_same(const Plan& one, const Plan& other) {
    const auto values = [](const Plan& plan) {
        const Partition& p = plan.partition;
        return std::tuple(plan.kernel, plan.reason, p.k_parts, p.resident_blocks, p.tail_tiles,
                          p.tail_k_parts, p.shares_tiles, p.meeting_parts);
    };
    return values(one) == values(other);
}

alignas(16) float memory[8] = {};
const float zero = 0, one = 1;

/// Calls that differ in one thing that the choice depends on, and some random ones.
std::vector<GemmCall> different_calls() {
    std::vector<GemmCall> calls;
    GemmCall call = legal_call();
    call.m = call.n = call.k = 1408;
    call.a = {memory, nullptr, 1408, 0};
    call.b = {memory, nullptr, 1408, 0};
    call.c = {memory, nullptr, 1408, 0};
    call.alpha = &one;
    call.beta = &zero;
    call.pointer_mode = PointerMode::host;
    const auto add = [&](auto change) {
        calls.push_back(call);
        change(calls.back());
    };
    add([](GemmCall&) {});
    add([](GemmCall& c) { c.operation_a = Operation::transpose; });
    add([](GemmCall& c) { c.operation_b = Operation::conjugate_transpose; });
    add([](GemmCall& c) { c.a.first = memory + 1; });
    add([](GemmCall& c) { c.b.first = memory + 1; });
    add([](GemmCall& c) { c.c.first = memory + 1; });
    add([](GemmCall& c) { c.a.leading_dimension += 1; });
    add([](GemmCall& c) { c.b.leading_dimension += 1; });
    add([](GemmCall& c) { c.c.leading_dimension += 1; });
    add([](GemmCall& c) { c.pointer_mode = PointerMode::device; });
    add([](GemmCall& c) { c.batch_count = 3, c.c.stride = 1408 * 1408; });
    add([](GemmCall& c) {
        c.operation_a = Operation::transpose;
        c.m = 1, c.n = 2, c.k = 60000;
        c.a.leading_dimension = c.b.leading_dimension = c.k;
    });
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        const auto size = [&] { return std::int64_t{1} + random() % (random() % 2 == 0 ? 40 : 4000); };
        add([&](GemmCall& c) {
            c.m = size(), c.n = size(), c.k = size();
            c.operation_a = random() % 2 == 0 ? Operation::none : Operation::transpose;
            c.a.leading_dimension = c.b.leading_dimension = c.c.leading_dimension = 8000 + random() % 4;
        });
    }
    return calls;
}

TEST_CASE("what is remembered is what plan() says") {
    const auto remembered = std::make_unique<PlanMemory>();
    const Settings settings;
    const DeviceFigures devices[] = {device_of(132), device_of(40)};
    int shared = 0, in_two_launches = 0, meeting = 0, forwarded = 0;
    for (int round = 0; round < 3; ++round) {
        for (const GemmCall& call : different_calls()) {
            // The second answer comes from the table.
            for (int i = 0; i < 2; ++i) {
                for (const DeviceFigures& device : devices) {
                    const Plan expected = plan(call, device, settings);
                    CHECK(is_same(remembered->plan(call, device, settings), expected));
                    shared += expected.partition.shares_tiles ? 1 : 0;
                    meeting += expected.partition.meeting_parts != 0 ? 1 : 0;
                    forwarded += expected.kernel == nullptr ? 1 : 0;
                    in_two_launches += expected.partition.tail_tiles != 0 ? 1 : 0;
                }
            }
        }
    }
    CHECK(shared > 0);
    CHECK(meeting > 0);
    CHECK(forwarded > 0);
    CHECK(in_two_launches > 0);
}

TEST_CASE("a kernel that was asked for, and an obstacle of the device, are not forgotten") {
    const auto remembered = std::make_unique<PlanMemory>();
    const DeviceFigures device = device_of(132);
    DeviceFigures in_the_way = device;
    in_the_way.obstacle = ForwardReason::capture;
    const GemmCall call = different_calls().front();
    Settings automatic, naive;
    naive.kernel = find_kernel("naive");
    for (int i = 0; i < 2; ++i) {
        CHECK(remembered->plan(call, device, automatic).kernel != naive.kernel);
        CHECK(remembered->plan(call, device, naive).kernel == naive.kernel);
        CHECK(remembered->plan(call, in_the_way, automatic).reason == ForwardReason::capture);
    }
}

TEST_CASE("threads that fill the table at the same time") {
    const auto remembered = std::make_unique<PlanMemory>();
    const DeviceFigures device = device_of(132);
    const Settings settings;
    const std::vector<GemmCall> calls = different_calls();
    std::vector<Plan> expected;
    for (const GemmCall& call : calls) expected.push_back(plan(call, device, settings));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned first = 0; first < 4; ++first) {
        threads.emplace_back([&, first] {
            for (std::size_t i = 0; i < 4 * calls.size(); ++i) {
                const std::size_t at = (i * 7 + first * 500) % calls.size();
                if (!is_same(remembered->plan(calls[at], device, settings), expected[at])) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

}  // namespace
