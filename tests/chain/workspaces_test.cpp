// The memory in which blocks meet, on the stand-in runtime: whose it is, and what is left of it when a call
// fails.
#include "stream_workspaces.hpp"

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/chain/device/device.hpp"

using namespace sgemm_shim;

namespace {

constexpr Partition shared{.shares_tiles = true};
constexpr Partition meeting{.meeting_parts = 8};
constexpr std::size_t shared_slots = 4, meeting_slots = 64;

DeviceFigures device_of(int compute_capability_major) {
    DeviceFigures device;
    device.compute_capability_major = compute_capability_major;
    device.multiprocessor_count = 4;
    device.ready_kernels = ~std::uint64_t{1};  // all but row 0, which is cuBLAS
    return device;
}

class Streams {
  public:
    explicit Streams(std::size_t count) : streams_(count) {
        for (cudaStream_t& stream : streams_) REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    }
    ~Streams() {
        for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    }
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;
    cudaStream_t operator[](std::size_t i) const { return streams_[i]; }

  private:
    std::vector<cudaStream_t> streams_;
};

/// The slab is the context's for good, as the class has it; a test gives its context back.
struct Context {
    std::unique_ptr<StreamWorkspaces> workspaces = std::make_unique<StreamWorkspaces>();
    Context() { REQUIRE(cudaSetDevice(0) == cudaSuccess); }
    ~Context() { cudaDeviceReset(); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
};

bool is_empty(const Workspace& workspace) {
    return workspace.sums == nullptr && workspace.counters == nullptr && workspace.sum_count == 0 &&
           workspace.counter_count == 0;
}

bool is_same(const Workspace& one, const Workspace& other) {
    return one.sums == other.sums && one.counters == other.counters && one.sum_count == other.sum_count &&
           one.counter_count == other.counter_count;
}

std::size_t free_memory() {
    std::size_t free = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
    return free;
}

}  // namespace

TEST_CASE("without a slab there is no workspace") {
    const Context context;
    CHECK(is_empty(context.workspaces->of(nullptr, shared)));
    CHECK(is_empty(context.workspaces->of(nullptr, meeting)));
}

TEST_CASE("a stream keeps its slot, and those that come when all are taken get none") {
    const Context context;
    context.workspaces->take(device_of(9));
    for (const auto& [partition, slots] :
         {std::pair(shared, shared_slots), std::pair(meeting, meeting_slots)}) {
        CAPTURE(slots);
        const Streams streams(slots + 1);
        std::vector<Workspace> first;
        for (std::size_t i = 0; i < slots; ++i)
            first.push_back(context.workspaces->of(streams[i], partition));
        CHECK(is_empty(context.workspaces->of(streams[slots], partition)));
        for (std::size_t i = 0; i < slots; ++i) {
            CHECK_FALSE(is_empty(first[i]));
            CHECK(is_same(context.workspaces->of(streams[i], partition), first[i]));
        }
    }
}

TEST_CASE("a new stream does not inherit from one that has gone: its work may still be under way") {
    const Context context;
    context.workspaces->take(device_of(9));
    std::vector<Workspace> slots;
    for (std::size_t i = 0; i <= shared_slots; ++i) {
        const Streams short_lived(1);
        slots.push_back(context.workspaces->of(short_lived[0], shared));
        for (std::size_t earlier = 0; earlier < i; ++earlier) CHECK(slots[i].sums != slots[earlier].sums);
    }
    CHECK(is_empty(slots.back()));
}

TEST_CASE("slots do not overlap, and their counters begin with 0") {
    const Context context;
    context.workspaces->take(device_of(9));
    const Streams streams(meeting_slots);
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
    const auto add = [&](const auto* first, std::size_t count) {
        ranges.emplace_back(reinterpret_cast<std::uintptr_t>(first),
                            reinterpret_cast<std::uintptr_t>(first + count));
    };
    for (const auto& [partition, slots] :
         {std::pair(shared, shared_slots), std::pair(meeting, meeting_slots)}) {
        for (std::size_t i = 0; i < slots; ++i) {
            const Workspace workspace = context.workspaces->of(streams[i], partition);
            CHECK(reinterpret_cast<std::uintptr_t>(workspace.sums) % 16 == 0);
            add(workspace.sums, workspace.sum_count);
            add(workspace.counters, workspace.counter_count);
            std::vector<unsigned> counters(workspace.counter_count, 1);
            REQUIRE(cudaMemcpy(counters.data(), workspace.counters, counters.size() * sizeof(unsigned),
                               cudaMemcpyDeviceToHost) == cudaSuccess);
            CHECK(counters == std::vector<unsigned>(workspace.counter_count, 0));
        }
    }
    std::ranges::sort(ranges);
    for (std::size_t i = 1; i < ranges.size(); ++i) CHECK(ranges[i - 1].second <= ranges[i].first);
}

TEST_CASE("slots are large enough for what every kernel may ask of them") {
    const Context context;
    const DeviceFigures device = device_of(9);
    context.workspaces->take(device);
    const Workspace sharing = context.workspaces->of(nullptr, shared);
    const Workspace parts = context.workspaces->of(nullptr, meeting);
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation == nullptr) continue;
        const KernelImplementation& implementation = *kernel.implementation;
        const TileFigures& tile = implementation.tiles;
        const auto blocks =
            static_cast<unsigned>(device.multiprocessor_count * tile.blocks_per_multiprocessor);
        if (implementation.shares_tiles) CHECK(sharing.sum_count >= shared_sum_count(tile.m, tile.n, blocks));
        if (implementation.most_meeting_parts != 0)
            CHECK(parts.sum_count >= std::size_t{blocks} * static_cast<std::size_t>(tile.m * tile.n));
    }
}

TEST_CASE("threads that come at once with one stream get one slot") {
    const Context context;
    context.workspaces->take(device_of(9));
    const Streams streams(1);
    std::vector<Workspace> found(8);
    std::vector<std::thread> threads;
    for (Workspace& workspace : found) {
        threads.emplace_back([&] {
            cudaSetDevice(0);
            workspace = context.workspaces->of(streams[0], meeting);
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Workspace& workspace : found) {
        CHECK_FALSE(is_empty(workspace));
        CHECK(is_same(workspace, found.front()));
    }
}

TEST_CASE("GPUs without clusters, or with too little memory, get on without; it is taken once") {
    const Context context;
    const std::size_t before = free_memory();
    context.workspaces->take(device_of(8));
    CHECK(free_memory() == before);
    CHECK(is_empty(context.workspaces->of(nullptr, shared)));

    // As much as a GPU of so many multiprocessors needs is more than an eighth of what is free.
    DeviceFigures large = device_of(9);
    large.multiprocessor_count = 100000;
    const Context of_large;
    of_large.workspaces->take(large);
    CHECK(free_memory() == before);
    CHECK(is_empty(of_large.workspaces->of(nullptr, shared)));

    context.workspaces->take(device_of(9));
    CHECK_FALSE(is_empty(context.workspaces->of(nullptr, shared)));
    const std::size_t taken = free_memory();
    CHECK(taken < before);
    context.workspaces->take(device_of(9));
    CHECK(free_memory() == taken);
}

TEST_CASE("whichever call fails, nothing is kept, and another time it goes well") {
    for (unsigned call = 1;; ++call) {
        const Context context;
        const std::size_t before = free_memory();
        software_gpu::inject_fault("libcudart", call, cudaErrorUnknown);
        context.workspaces->take(device_of(9));
        const bool has_failed = software_gpu::fault_injected() != nullptr;
        software_gpu::inject_fault("", 0, cudaSuccess);
        if (!has_failed) {
            CHECK(call > 5);  // at least those that ask, take and clear
            CHECK_FALSE(is_empty(context.workspaces->of(nullptr, shared)));
            break;
        }
        CAPTURE(call);
        CHECK(is_empty(context.workspaces->of(nullptr, shared)));
        CHECK(free_memory() == before);
        context.workspaces->take(device_of(9));
        CHECK_FALSE(is_empty(context.workspaces->of(nullptr, meeting)));
    }
}
