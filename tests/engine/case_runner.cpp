#include "case_runner.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>

#include "random.hpp"
#include "settings.hpp"

namespace sgemm_shim::testing {
namespace {

std::span<const float> matrix_slice(const HostOperand& host, std::int64_t matrix) {
    return std::span(host.values)
        .subspan(static_cast<std::size_t>(host.layout.offset(matrix)),
                 static_cast<std::size_t>(host.layout.extent()));
}

/// Poisons the runs of padding in the part of an operand that one buffer holds.
void poison_padding(DeviceBuffer& buffer, const HostOperand& host, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count;) {
        std::size_t end = i;
        while (end < count && !host.is_element[first + end]) ++end;
        if (end != i) buffer.poison(i, end - i);
        i = end + 1;
    }
}

bool same_bits(std::span<const float> left, std::span<const float> right) {
    return left.size() == right.size() &&
           (left.empty() || std::memcmp(left.data(), right.data(), left.size_bytes()) == 0);
}

}  // namespace

DeviceOperand::DeviceOperand(const HostOperand& host, int misalignment, bool pointer_array)
    : layout_(host.layout) {
    if (layout_.extent() == 0) return;
    if (!pointer_array) {
        buffers_.push_back(std::make_unique<DeviceBuffer>(host.values.size(), misalignment));
        return;
    }
    constexpr std::size_t floats_per_pointer = 2;
    static_assert(sizeof(const float*) == floats_per_pointer * sizeof(float));
    std::vector<float> addresses(static_cast<std::size_t>(layout_.batch_count) * floats_per_pointer);
    for (std::int64_t matrix = 0; matrix < layout_.batch_count; ++matrix) {
        buffers_.push_back(std::make_unique<DeviceBuffer>(static_cast<std::size_t>(layout_.extent()),
                                                          static_cast<int>((misalignment + matrix) % 4)));
        const float* address = buffers_.back()->data();
        std::memcpy(addresses.data() + static_cast<std::size_t>(matrix) * floats_per_pointer, &address,
                    sizeof address);
    }
    pointers_ = std::make_unique<DeviceBuffer>(addresses.size(), 0);
    pointers_->upload(addresses);
}

void DeviceOperand::upload(const HostOperand& host, bool untouchable) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        DeviceBuffer& buffer = *buffers_[i];
        const bool whole = pointers_ == nullptr;
        const auto matrix = static_cast<std::int64_t>(i);
        const auto first = whole ? std::size_t{0} : static_cast<std::size_t>(layout_.offset(matrix));
        buffer.upload(whole ? std::span<const float>(host.values) : matrix_slice(host, matrix));
        if (untouchable)
            buffer.poison(0, buffer.size());
        else
            poison_padding(buffer, host, first, buffer.size());
    }
}

std::vector<float> DeviceOperand::download(const HostOperand& host) const {
    std::vector<float> values = host.values;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const auto first =
            pointers_ == nullptr ? 0 : static_cast<std::size_t>(layout_.offset(static_cast<std::int64_t>(i)));
        buffers_[i]->download(std::span(values).subspan(first, buffers_[i]->size()));
    }
    return values;
}

namespace {

std::int64_t tile_count(const Kernel& kernel, const GemmCase& gemm_case) {
    const TileFigures& tile = kernel.implementation->tiles;
    return ((gemm_case.m + tile.m - 1) / tile.m) * ((gemm_case.n + tile.n - 1) / tile.n) *
           gemm_case.batch_count;
}

/// How a kernel that can divide its work is asked to: drawn from the case's seed, so that a case fails again
/// the same way. A block for each tile or few blocks that go from tile to tile; a number of parts of k,
/// powers of two or not; now and then a tail; tiles that a few blocks share; and parts that meet in a
/// workspace.
std::vector<Partition> partitions_of(const Kernel& kernel, const GemmCase& gemm_case) {
    const unsigned most_parts = kernel.implementation->most_k_parts;
    const TileFigures& tile = kernel.implementation->tiles;
    if (tile.blocks_per_multiprocessor == 0) return {{}};
    constexpr unsigned part_numbers[] = {2, 3, 4, 5, 8, 16};
    Random random(gemm_case.seed);
    std::vector<Partition> partitions{
        {.k_parts = 1, .resident_blocks = static_cast<unsigned>(random.below(4))}};
    if (most_parts == 1 || backend_figures().compute_capability() < 90) return partitions;
    // Of many tiles a few parts each show no more.
    const std::int64_t tiles = tile_count(kernel, gemm_case);
    // Blocks of large tiles have many threads, too.
    const std::int64_t most = std::int64_t{tile.m} * tile.n >= 2048 ? 3 : 16;
    const auto few =
        static_cast<unsigned>(std::clamp<std::int64_t>(64 / std::max<std::int64_t>(tiles, 1), 2, most));
    partitions.push_back({.k_parts = std::min({random.pick(part_numbers), most_parts, few})});
    if (gemm_case.beta == 0.0f && gemm_case.pointer_mode == PointerMode::host && random.below(3) == 0)
        partitions.push_back({.k_parts = 1,
                              .resident_blocks = 2,
                              .tail_tiles = 1 + static_cast<unsigned>(random.below(3)),
                              .tail_k_parts = 2});
    const std::int64_t slices = (gemm_case.k + tile.k - 1) / tile.k;
    const auto sharing_blocks = static_cast<unsigned>(2 + random.below(7));
    if (kernel.implementation->shares_tiles && can_share_tiles(tiles, slices, sharing_blocks, few))
        partitions.push_back({.resident_blocks = sharing_blocks, .shares_tiles = true});
    // On both sides of the number of a cluster's blocks; also more parts than k has rounds.
    if (kernel.implementation->most_meeting_parts != 0 && tiles <= 16)
        partitions.push_back({.meeting_parts = static_cast<unsigned>(2 + random.below(40))});
    return partitions;
}

std::string describe(const Partition& partition) {
    return " [k_parts " + std::to_string(partition.k_parts) + ", resident_blocks " +
           std::to_string(partition.resident_blocks) + ", tail " + std::to_string(partition.tail_tiles) +
           " x " + std::to_string(partition.tail_k_parts) + (partition.shares_tiles ? ", shared" : "") +
           ", meeting_parts " + std::to_string(partition.meeting_parts) + "]";
}

}  // namespace

PreparedCase::PreparedCase(const GemmCase& gemm_case)
    : case_(gemm_case),
      problem_(make_problem(gemm_case)),
      expectation_(expect(gemm_case, problem_)),
      a_(problem_.a, gemm_case.misalignment[0], gemm_case.pointer_arrays),
      b_(problem_.b, gemm_case.misalignment[1], gemm_case.pointer_arrays),
      c_(problem_.c, gemm_case.misalignment[2], gemm_case.pointer_arrays),
      device_alpha_(1, gemm_case.misalignment[0]),
      device_beta_(1, gemm_case.misalignment[2]) {
    device_alpha_.upload(std::span(&gemm_case.alpha, 1));
    device_beta_.upload(std::span(&gemm_case.beta, 1));
    a_.upload(problem_.a, !gemm_case.has_product());
    b_.upload(problem_.b, !gemm_case.has_product());
}

GemmCall PreparedCase::make_call() {
    const bool on_device = case_.pointer_mode == PointerMode::device;
    host_scalars_[0] = case_.alpha;
    host_scalars_[1] = case_.beta;

    GemmCall call = shape_of(case_);
    call.alpha = on_device ? device_alpha_.data() : &host_scalars_[0];
    call.beta = on_device ? device_beta_.data() : &host_scalars_[1];
    call.a = a_.matrices<const float>();
    call.b = b_.matrices<const float>();
    call.c = c_.matrices<float>();
    call.pointer_mode = case_.pointer_mode;
    call.precision = Precision::fp32;
    return call;
}

bool PreparedCase::is_supported_by(const Kernel& kernel) {
    return kernel.implementation->supports(make_call());
}

std::string PreparedCase::run(const Kernel& kernel) {
    for (const Partition& partition : partitions_of(kernel, case_)) {
        std::string finding = launch_and_compare(kernel, make_call(), partition, {});
        if (finding.empty() && (partition.shares_tiles || partition.meeting_parts != 0))
            finding = meet_in_workspace(kernel, partition);
        if (!finding.empty()) return finding + describe(partition);
    }
    return "";
}

std::string PreparedCase::meet_in_workspace(const Kernel& kernel, const Partition& partition) {
    const std::vector<float> without = result_;
    const TileFigures& tile = kernel.implementation->tiles;
    // More than either way takes: tiles x parts, or two tiles a block.
    DeviceBuffer sums(shared_sum_count(tile.m, tile.n,
                                       std::max(partition.resident_blocks,
                                                static_cast<unsigned>(tile_count(kernel, case_)) *
                                                    partition.meeting_parts)),
                      0);
    constexpr std::size_t counter_count = 4096;
    static_assert(sizeof(unsigned) == sizeof(float));
    DeviceBuffer counters(counter_count, 0);
    std::vector<float> zeros(counter_count, 0.0f);
    counters.upload(zeros);
    const Workspace workspace{sums.data(), reinterpret_cast<unsigned*>(counters.data()), sums.size(),
                              counter_count};
    // The second launch finds the counters as the first leaves them.
    for (const char* which : {"in a workspace: ", "in a used workspace: "}) {
        const std::string finding = launch_and_compare(kernel, make_call(), partition, workspace);
        if (!finding.empty()) return which + finding;
        if (!same_bits(without, result_)) return std::string(which) + "other bits than without";
    }
    std::vector<float> left(counter_count);
    counters.download(left);
    return same_bits(left, zeros) ? "" : "a counter is not 0 after the launch";
}

std::string PreparedCase::run_through_plan(const Kernel& kernel) {
    Settings settings;
    settings.kernel = &kernel;
    const GemmCall call = make_call();
    const Plan decided = plan(call, backend_figures(), settings);
    if (case_.k == 0) {  // C = beta * C is left to the real library
        return decided.reason == ForwardReason::empty ? "" : "plan() does not call k = 0 empty";
    }
    if (decided.kernel != &kernel)
        return std::string("plan() does not choose the kernel: ") + to_string(decided.reason);
    return launch_and_compare(*decided.kernel, call, decided.partition, {});
}

std::string PreparedCase::launch_and_compare(const Kernel& kernel, const GemmCall& call,
                                             const Partition& partition, const Workspace& workspace) {
    c_.upload(problem_.c, false);
    const cudaError_t status = kernel.implementation->launch(call, partition, workspace, backend_stream());
    // A program may reuse its host scalars as soon as the call returns.
    host_scalars_[0] = host_scalars_[1] = std::numeric_limits<float>::quiet_NaN();
    if (status != cudaSuccess) return "launch() answers " + std::to_string(static_cast<int>(status));
    try {
        synchronize_backend();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    result_ = c_.download(problem_.c);
    const Comparison comparison = compare(problem_, result_, expectation_);
    if (comparison.wrong != 0) return comparison.first + " (" + std::to_string(comparison.wrong) + " wrong)";
    return find_changed_inputs();
}

std::string PreparedCase::find_changed_inputs() const {
    if (!same_bits(a_.download(problem_.a), problem_.a.values)) return "A has changed";
    if (!same_bits(b_.download(problem_.b), problem_.b.values)) return "B has changed";
    return "";
}

}  // namespace sgemm_shim::testing
