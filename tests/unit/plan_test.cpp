#include "plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "kernel_table.hpp"
#include "sample_calls.hpp"
#include "settings.hpp"

using namespace sgemm_shim;
using sgemm_shim::testing::legal_call;

namespace sgemm_shim {
std::ostream& operator<<(std::ostream& out, ForwardReason reason) {
    return out << to_string(reason);
}
}  // namespace sgemm_shim

namespace {

DeviceFigures ready_device() {
    DeviceFigures device;
    device.compute_capability_major = 9;
    device.multiprocessor_count = 132;
    device.ready_kernels = ~std::uint64_t{0};
    return device;
}

/// Everything that plan() looks at; as made, a call that is served.
struct Situation {
    GemmCall call = legal_call();
    DeviceFigures device = ready_device();
    Settings settings;

    Plan decide() const { return plan(call, device, settings); }
};

/// More tiles than a grid has blocks, whatever the tile.
void make_too_large(GemmCall& call) {
    call.m = call.n = std::int64_t{1} << 40;
    call.a.leading_dimension = call.c.leading_dimension = call.m;
}

/// The obstacles that plan() can meet, in the order in which it is to find them.
struct Obstacle {
    ForwardReason reason;
    std::function<void(Situation&)> raise;
};
const std::vector<Obstacle> obstacles = {
    {ForwardReason::disabled, [](Situation& s) { s.settings.disabled = true; }},
    {ForwardReason::chosen, [](Situation& s) { s.settings.kernel = find_kernel("cublas"); }},
    {ForwardReason::logging, [](Situation& s) { s.settings.cublas_logs = true; }},
    {ForwardReason::environment, [](Situation& s) { s.settings.arithmetic_overridden = true; }},
    {ForwardReason::data_type, [](Situation& s) { s.call.demand = Demand::data_type; }},
    {ForwardReason::compute_type, [](Situation& s) { s.call.demand = Demand::compute_type; }},
    {ForwardReason::algorithm, [](Situation& s) { s.call.demand = Demand::algorithm; }},
    {ForwardReason::invalid, [](Situation& s) { s.call.n = -1; }},
    {ForwardReason::empty, [](Situation& s) { s.call.k = 0; }},
    {ForwardReason::pointer, [](Situation& s) { s.call.alpha = nullptr; }},
    {ForwardReason::overlapping_c, [](Situation& s) { s.call.batch_count = 2; }},
    {ForwardReason::tf32, [](Situation& s) { s.call.precision = Precision::tf32; }},
    {ForwardReason::driver, [](Situation& s) { s.device.obstacle = ForwardReason::driver; }},
    {ForwardReason::architecture, [](Situation& s) { s.device.ready_kernels = 0; }},
    {ForwardReason::unsupported, [](Situation& s) { make_too_large(s.call); }},
    {ForwardReason::slower,
     [](Situation& s) {
         s.call.m = std::max(s.call.m, std::int64_t{1201});
         s.call.n = std::max(s.call.n, std::int64_t{103});
         s.call.k = s.call.b.leading_dimension = 77;
         s.call.a.leading_dimension = s.call.c.leading_dimension = s.call.m + 1 - s.call.m % 2;
     }},
};

/// Whether plan() may choose the kernel by itself.
bool is_automatic(const Kernel* kernel) {
    return kernel != nullptr && kernel->cost.kind != CostFigures::Kind::none;
}

}  // namespace

TEST_CASE("a legal call on a ready device is served by a kernel of the production family") {
    const Plan decided = Situation{}.decide();
    CHECK(is_automatic(decided.kernel));
    CHECK(decided.reason == ForwardReason::none);
}

TEST_CASE("below compute capability 8.0 the last rung of the ladder serves") {
    Situation situation;
    situation.device.compute_capability_major = 7;
    situation.device.compute_capability_minor = 5;
    CHECK(situation.decide().kernel == &last_rung());
}

TEST_CASE("each obstacle alone forwards the call under its own reason") {
    for (const Obstacle& obstacle : obstacles) {
        Situation situation;
        obstacle.raise(situation);
        CHECK(situation.decide().reason == obstacle.reason);
        CHECK(situation.decide().kernel == nullptr);
    }
}

TEST_CASE("of several obstacles the first in the documented order is named") {
    for (std::size_t first = 0; first < obstacles.size(); ++first) {
        Situation situation;
        // Backwards, because an earlier obstacle may undo what a later one did to the same field.
        for (std::size_t i = obstacles.size(); i-- > first;) obstacles[i].raise(situation);
        CHECK(situation.decide().reason == obstacles[first].reason);
    }
    for (std::size_t i = 1; i < obstacles.size(); ++i)
        CHECK(static_cast<int>(obstacles[i - 1].reason) < static_cast<int>(obstacles[i].reason));
}

TEST_CASE("every reason is reached here, or belongs to what happens around plan()") {
    std::set<ForwardReason> covered;
    for (const Obstacle& obstacle : obstacles) covered.insert(obstacle.reason);
    covered.insert({ForwardReason::math_mode, ForwardReason::context, ForwardReason::capture});  // below
    // From the real library, the handle and the launch: interpose/.
    covered.insert({ForwardReason::none, ForwardReason::missing, ForwardReason::handle,
                    ForwardReason::sm_target, ForwardReason::launch});
    CHECK(covered.size() == static_cast<std::size_t>(ForwardReason::count));
}

TEST_CASE("what the device says stands in the way is passed on") {
    for (const ForwardReason reason :
         {ForwardReason::driver, ForwardReason::context, ForwardReason::capture}) {
        Situation situation;
        situation.device.obstacle = reason;
        CHECK(situation.decide().reason == reason);
    }
}

TEST_CASE(
    "TF32 is forwarded or computed in FP32, as the policy says; other precisions are always forwarded") {
    Situation situation;
    situation.call.precision = Precision::tf32;
    CHECK(situation.decide().reason == ForwardReason::tf32);
    situation.settings.tf32 = Tf32Policy::fp32;
    CHECK(is_automatic(situation.decide().kernel));
    situation.call.precision = Precision::other;
    CHECK(situation.decide().reason == ForwardReason::math_mode);
    situation.settings.tf32 = Tf32Policy::forward;
    CHECK(situation.decide().reason == ForwardReason::math_mode);
}

TEST_CASE("a named kernel is the one that serves, and only its own readiness counts") {
    for (const Kernel& kernel : kernel_table().subspan(1)) {
        CAPTURE(kernel.name);
        Situation situation;
        situation.settings.kernel = &kernel;
        CHECK(situation.decide().kernel == &kernel);
        situation.device.ready_kernels = std::uint64_t{1} << kernel_index(kernel);
        CHECK(situation.decide().kernel == &kernel);
        situation.device.ready_kernels = ~situation.device.ready_kernels;
        CHECK(situation.decide().kernel == nullptr);
        CHECK(situation.decide().reason == ForwardReason::architecture);
    }
}

TEST_CASE("a stride of C is needed only by a batch without an array of pointers") {
    Situation situation;
    situation.call.batch_count = 2;
    CHECK(situation.decide().reason == ForwardReason::overlapping_c);
    situation.call.c.stride = -30;
    CHECK(situation.decide().reason == ForwardReason::none);
    situation.call.c = {nullptr, reinterpret_cast<float* const*>(0x100), 5, 0};
    CHECK(situation.decide().reason == ForwardReason::none);
    situation = {};
    situation.call.a.stride = situation.call.b.stride = 0;
    CHECK(situation.decide().reason == ForwardReason::none);
}

TEST_CASE("a stride of C of 0 is undefined from the second matrix on, and only for strided batches") {
    Situation situation;
    for (const std::int64_t count : {0, 1, 2, 7}) {
        situation.call.batch_count = count;
        situation.call.c.stride = 0;
        CHECK(situation.decide().reason == (count == 0   ? ForwardReason::empty
                                            : count == 1 ? ForwardReason::none
                                                         : ForwardReason::overlapping_c));
        for (const std::int64_t stride : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{1} << 40}) {
            situation.call.c.stride = stride;
            CHECK(situation.decide().reason == (count == 0 ? ForwardReason::empty : ForwardReason::none));
        }
    }
    situation.call.batch_count = -1;
    situation.call.c.stride = 0;
    CHECK(situation.decide().reason == ForwardReason::invalid);
}

TEST_CASE("a batch by pointers needs all three arrays, but none for an empty batch") {
    const auto array = reinterpret_cast<float* const*>(0x100);
    const auto with_arrays = [&] {
        Situation situation;
        situation.call.batch_count = 3;
        situation.call.a = {nullptr, array, situation.call.a.leading_dimension, 0};
        situation.call.b = {nullptr, array, situation.call.b.leading_dimension, 0};
        situation.call.c = {nullptr, array, situation.call.c.leading_dimension, 0};
        return situation;
    };
    CHECK(with_arrays().decide().reason == ForwardReason::none);
    for (const int missing : {0, 1, 2}) {
        Situation situation = with_arrays();
        if (missing == 0) situation.call.a.array = nullptr;
        if (missing == 1) situation.call.b.array = nullptr;
        if (missing == 2) situation.call.c.array = nullptr;
        CHECK(situation.decide().reason == ForwardReason::pointer);
        situation.call.batch_count = 0;
        CHECK(situation.decide().reason == ForwardReason::empty);
    }
}

TEST_CASE("operations, pointer modes and sizes of one are all served") {
    Situation situation;
    for (const int a : {0, 1, 2}) {
        for (const int b : {0, 1, 2}) {
            situation.call = legal_call(static_cast<Operation>(a), static_cast<Operation>(b));
            CHECK(is_automatic(situation.decide().kernel));
        }
    }
    situation.call.pointer_mode = PointerMode::device;
    situation.call.alpha = testing::address_of_nothing(0x10);  // device memory: must not be read
    situation.call.beta = testing::address_of_nothing(0x20);
    CHECK(is_automatic(situation.decide().kernel));
    situation.call = legal_call();
    situation.call.m = situation.call.n = situation.call.k = 1;
    CHECK(is_automatic(situation.decide().kernel));
}

TEST_CASE("no kernel claims a product of more tiles than a grid has blocks") {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t wide = std::int64_t{1} << 31;
    struct Size {
        std::int64_t m, n, batch_count;
    };
    for (const Size size :
         {Size{largest, 1, 1}, Size{1, largest, 1}, Size{largest, largest, 1}, Size{1, 1, wide},
          Size{1, 1, largest}, Size{wide * 256, 1, 1}, Size{largest, largest, largest},
          Size{wide * 64, 1 << 8, 2}, Size{largest - 126, 1, 1}}) {
        CAPTURE(size.m);
        CAPTURE(size.n);
        CAPTURE(size.batch_count);
        Situation situation;
        situation.call.m = size.m;
        situation.call.n = size.n;
        situation.call.batch_count = size.batch_count;
        situation.call.c.stride = 1;
        situation.call.a.leading_dimension = situation.call.c.leading_dimension = size.m;
        for (const Kernel& kernel : kernel_table().subspan(1)) {
            CAPTURE(kernel.name);
            situation.settings.kernel = &kernel;
            CHECK(situation.decide().reason == ForwardReason::unsupported);
        }
    }
}

TEST_CASE("sizes beyond 65535 tiles and long batches are served, and k has no limit") {
    const auto counts_in_int = [](const Kernel& kernel) {
        using enum CostFigures::Kind;
        return kernel.cost.kind == staged || kernel.cost.kind == fetch || kernel.cost.kind == tiny;
    };
    Situation situation;
    for (const Kernel& kernel : kernel_table().subspan(1)) {
        CAPTURE(kernel.name);
        situation = {};
        situation.settings.kernel = &kernel;
        situation.call.m = situation.call.a.leading_dimension = situation.call.c.leading_dimension =
            65537 * 128;
        CHECK(situation.decide().kernel == &kernel);
        situation.call = legal_call();
        situation.call.n = 65537 * 128;
        CHECK(situation.decide().kernel == &kernel);
        situation.call = legal_call();
        situation.call.batch_count = 200001;
        situation.call.c.stride = 30;
        CHECK(situation.decide().kernel == &kernel);
        situation.call = legal_call();
        situation.call.k = situation.call.b.leading_dimension = std::int64_t{1} << 33;
        if (counts_in_int(kernel))
            CHECK(situation.decide().reason == ForwardReason::unsupported);
        else
            CHECK(situation.decide().kernel == &kernel);
    }
}

TEST_CASE("blocks go from tile to tile where there are many") {
    Situation situation;
    situation.settings.kernel = find_kernel("tile_64x64");
    CHECK(situation.decide().partition.resident_blocks == 0);
    situation.call.m = situation.call.a.leading_dimension = situation.call.c.leading_dimension = 64 * 2000;
    const int each = situation.settings.kernel->implementation->tiles.blocks_per_multiprocessor;
    CHECK(situation.decide().partition.resident_blocks == static_cast<unsigned>(132 * each));
    CHECK(situation.decide().partition.k_parts == 1);
    situation.settings.kernel = find_kernel("naive");
    CHECK(situation.decide().partition.resident_blocks == 0);
}

TEST_CASE("what cuBLAS is faster at is forwarded, and its neighbours are served") {
    const auto served = [](Operation a, Operation b, std::int64_t m, std::int64_t n, std::int64_t k,
                           std::int64_t padding, std::int64_t batch_count) {
        Situation situation;
        GemmCall& call = situation.call;
        call.operation_a = a;
        call.operation_b = b;
        call.m = m, call.n = n, call.k = k, call.batch_count = batch_count;
        call.a.leading_dimension = (a == Operation::none ? m : k) + padding;
        call.b.leading_dimension = (b == Operation::none ? k : n) + padding;
        call.c.leading_dimension = m + padding;
        if (batch_count > 1) call.c.stride = call.c.leading_dimension * n;
        const Plan decided = situation.decide();
        CHECK((decided.kernel != nullptr || decided.reason == ForwardReason::slower));
        return decided.kernel != nullptr;
    };
    constexpr Operation n = Operation::none, t = Operation::transpose;
    for (const Operation a : {n, t}) {
        for (const Operation b : {n, t}) {
            CHECK_FALSE(served(a, b, 1201, 101, 77, 0, 1));
            CHECK_FALSE(served(a, b, 1200, 100, 76, 1, 1));
            CHECK(served(a, b, 1200, 100, 76, 0, 1));  // on its alignment
            CHECK_FALSE(served(a, b, 1201, 101, 37, 0, 1));
            CHECK(served(a, b, 1201, 101, 35, 0, 1));
            CHECK(served(a, b, 1201, 101, 257, 0, 1));
            CHECK(served(a, b, 9001, 23, 77, 0, 1));
            CHECK(served(a, b, 1201, 83, 77, 0, 1));
            CHECK(served(a, b, 8001, 1001, 77, 0, 1));
            CHECK(served(a, b, 1201, 101, 77, 0, 2));
        }
    }
    CHECK(served(n, t, 14, 3870, 4906, 0, 1));
}

TEST_CASE("what is decided without the device agrees with the whole decision") {
    Situation served;
    CHECK(plan_without_device(served.call, served.settings).reason == ForwardReason::none);
    CHECK(plan_without_device(served.call, served.settings).kernel == nullptr);
    for (const Obstacle& obstacle : obstacles) {
        Situation situation;
        obstacle.raise(situation);
        const ForwardReason early = plan_without_device(situation.call, situation.settings).reason;
        const bool needs_device = obstacle.reason >= ForwardReason::driver;
        CHECK(early == (needs_device ? ForwardReason::none : obstacle.reason));
    }
}

TEST_CASE("what needs no handle is decided before the handle is asked, and the rest is not") {
    for (const Obstacle& obstacle : obstacles) {
        Situation situation;
        obstacle.raise(situation);
        const bool by_policy = obstacle.reason < ForwardReason::handle;
        CHECK(reason_from_policy(situation.settings) == (by_policy ? obstacle.reason : ForwardReason::none));
    }
}

TEST_CASE("reasons have texts of their own, fit for a CSV field") {
    std::set<std::string> texts;
    for (int i = 0; i < static_cast<int>(ForwardReason::count); ++i) {
        const std::string text = to_string(static_cast<ForwardReason>(i));
        CHECK(texts.insert(text).second);
        CHECK(text.find_first_of(",\"\n") == std::string::npos);
        CHECK(text != "unknown");
    }
}
