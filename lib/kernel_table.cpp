#include "kernel_table.hpp"

#include <charconv>
#include <utility>

namespace sgemm_shim {

namespace kernels {
extern const KernelImplementation uncoalesced;
extern const KernelImplementation naive;
extern const KernelImplementation shared_memory;
extern const KernelImplementation thread_tile_1d;
extern const KernelImplementation thread_tile_2d;
extern const KernelImplementation register_cache;
extern const KernelImplementation float4_loads;
extern const KernelImplementation double_buffer;
extern const KernelImplementation direct_tall;
extern const KernelImplementation direct_wide;
extern const KernelImplementation dot;
extern const KernelImplementation dot_tall;
extern const KernelImplementation dot_wide;
extern const KernelImplementation staged_8x8;
extern const KernelImplementation staged_8x32;
extern const KernelImplementation staged_32x8;
extern const KernelImplementation staged_16x16;
extern const KernelImplementation staged_32x16;
extern const KernelImplementation staged_32x32;
extern const KernelImplementation staged_64x64;
extern const KernelImplementation one_fetch;
extern const KernelImplementation tiny_matrices;
extern const KernelImplementation tile_256x128;
extern const KernelImplementation tile_128x256;
extern const KernelImplementation tile_128x128;
extern const KernelImplementation tile_128x64;
extern const KernelImplementation tile_64x64;
extern const KernelImplementation sliced_64x64;
extern const KernelImplementation sliced_64x32;
extern const KernelImplementation sliced_32x32;
extern const KernelImplementation tile_64x32;
extern const KernelImplementation tile_32x32;
extern const KernelImplementation tile_128x16;
extern const KernelImplementation tile_16x128;
}  // namespace kernels

namespace {

constexpr const char* any_shape_on_ampere =
    "compute capability 8.0 and machine code for the GPU in this library; any m, n, k, leading dimension, "
    "transposition and scalars, operands aligned to 4 bytes";

constexpr const char* int_sizes_on_ampere =
    "compute capability 8.0 and machine code for the GPU in this library; sizes up to 2^30, any leading "
    "dimension, transposition and scalars, operands aligned to 4 bytes";

/// Rows of the production family.
constexpr Kernel tile_row(const char* name, const char* idea, const KernelImplementation& implementation,
                          PipelineCost cost) {
    return {.name = name,
            .idea = idea,
            .implementation = &implementation,
            .requirements = any_shape_on_ampere,
            .cost = {.kind = CostFigures::Kind::pipeline, .pipeline = cost}};
}
constexpr Kernel register_row(const char* name, const char* idea, const KernelImplementation& implementation,
                              RegistersCost cost) {
    return {.name = name,
            .idea = idea,
            .implementation = &implementation,
            .cost = {.kind = CostFigures::Kind::registers, .registers = cost}};
}
constexpr Kernel staged_row(const char* name, const char* idea, const KernelImplementation& implementation,
                            StagedCost cost) {
    return {.name = name,
            .idea = idea,
            .implementation = &implementation,
            .requirements =
                "machine code for the GPU in this library; sizes and leading dimensions up to 2^30, any "
                "transposition and scalars, operands aligned to 4 bytes",
            .cost = {.kind = CostFigures::Kind::staged, .staged = cost}};
}

/// Of direct_tall, whose mirror direct_wide is.
constexpr RegistersCost direct_tall_cost{.reads_of_a = {204.6f, 746.6f, 398.f, 397.9f},
                                         .reads_of_b = {49.34f, 901.7f, 65.61f, 65.61f},
                                         .latencies = {0.5538f, 0.5409f, 0.558f, 0.3974f},
                                         .reads_two_rounds = false,
                                         .round_us = 0.2251f,
                                         .block_us = 0.1466f,
                                         .write_us = 6.257e-05f};
constexpr RegistersCost with_operands_exchanged(RegistersCost cost, float round_us, float block_us,
                                                float write_us) {
    std::swap(cost.reads_of_a, cost.reads_of_b);
    std::swap(cost.latencies.a_along_mn, cost.latencies.b_along_mn);
    cost.round_us = round_us;
    cost.block_us = block_us;
    cost.write_us = write_us;
    return cost;
}

constexpr Kernel table[] = {
    {0, "cublas", {}, "the real library: the baseline", nullptr, "a cuBLAS that the process loads"},
    {Kernel::unnumbered,
     "uncoalesced",
     {},
     "one thread per element of C, neighbouring lanes on addresses far apart",
     &kernels::uncoalesced},
    {1,
     "naive",
     {"global_memory_coalescing"},
     "one thread per element of C, neighbouring lanes on neighbouring addresses",
     &kernels::naive},
    {2,
     "shared_memory",
     {},
     "the block copies its operands to shared memory and multiplies from there",
     &kernels::shared_memory},
    {3,
     "thread_tile_1d",
     {"blocktiling_1d"},
     "a row of 8 elements per thread: each float of A is used 8 times",
     &kernels::thread_tile_1d},
    {4,
     "thread_tile_2d",
     {"blocktiling_2d"},
     "8 x 8 elements per thread: reuse in both directions",
     &kernels::thread_tile_2d},
    {5, "register_cache", {}, "the operands of a step of k are held in registers", &kernels::register_cache},
    {6,
     "float4",
     {},
     "16-byte loads from global and shared memory, transposed on the way in between",
     &kernels::float4_loads},
    {7,
     "double_buffer",
     {},
     "two shared-memory and two fragment buffers: the next slice is loaded while this one is multiplied",
     &kernels::double_buffer},
    register_row("direct_tall", "short k: the lanes of a warp along m", kernels::direct_tall,
                 direct_tall_cost),
    register_row("direct_wide", "short k: the lanes of a warp along n", kernels::direct_wide,
                 with_operands_exchanged(direct_tall_cost, 0.2034f, 0.1939f, 0.0002799f)),
    register_row("dot", "inner products: lanes, warps and clusters along k, 4 x 4 elements", kernels::dot,
                 {.reads_of_a = {1009.f, 1346.f, 172.3f, 276.3f},
                  .reads_of_b = {1009.f, 1346.f, 172.3f, 276.3f},
                  .latencies = {1.373f, 0.7407f, 0.9076f, 0.5009f},
                  .reads_two_rounds = false,
                  .round_us = 3.694f,
                  .block_us = 0.01367f,
                  .write_us = 0.01067f}),
    register_row("dot_tall", "products with a vector: lanes along k, and along m if A is contiguous so",
                 kernels::dot_tall,
                 {.reads_of_a = {430.2f, 567.9f, 77.81f, 174.7f},
                  .reads_of_b = {147.9f, 147.9f, 56.7f, 79.94f},
                  .latencies = {0.7285f, 0.9019f, 0.4304f, 0.3694f},
                  .reads_two_rounds = true,
                  .round_us = 0.01695f,
                  .block_us = 0.2059f,
                  .write_us = 0.00105f}),
    register_row("dot_wide", "products with a vector: lanes along k, and along n if B is contiguous so",
                 kernels::dot_wide,
                 {.reads_of_a = {202.2f, 202.1f, 8.354f, 129.7f},
                  .reads_of_b = {323.9f, 507.6f, 111.9f, 111.9f},
                  .latencies = {0.7857f, 0.4341f, 1.011f, 0.3084f},
                  .reads_two_rounds = true,
                  .round_us = 0.0009256f,
                  .block_us = 0.2206f,
                  .write_us = 0.0007476f}),
    staged_row("staged_8x8",
               "small products: a chunk of k at a time through registers to shared memory, tiles of 8 x 8",
               kernels::staged_8x8, {0.1212f, 0.7944f, 0.3559f}),
    staged_row("staged_8x32",
               "small products: a chunk of k at a time through registers to shared memory, tiles of 8 x 32",
               kernels::staged_8x32, {0.1201f, 0.5651f, 0.2778f}),
    staged_row("staged_32x8",
               "small products: a chunk of k at a time through registers to shared memory, tiles of 32 x 8",
               kernels::staged_32x8, {0.122f, 0.614f, 0.2728f}),
    staged_row("staged_16x16",
               "small products: a chunk of k at a time through registers to shared memory, tiles of 16 x 16",
               kernels::staged_16x16, {0.1199f, 0.5f, 0.2616f}),
    staged_row("staged_32x16",
               "small products: a chunk of k at a time through registers to shared memory, tiles of 32 x 16",
               kernels::staged_32x16, {0.1517f, 0.6598f, 0.2958f}),
    staged_row("staged_32x32",
               "small products: a chunk of k at a time through registers to shared memory, tiles of 32 x 32",
               kernels::staged_32x32, {0.2326f, 0.5552f, 0.3348f}),
    staged_row("staged_64x64",
               "small products: a chunk of k at a time through registers to shared memory, tiles of 64 x 64",
               kernels::staged_64x64, {0.5338f, 0.8718f, 0.6814f}),
    {.name = "one_fetch",
     .idea = "small single products: all of a block's part of k fetched at once, a warp for each share",
     .implementation = &kernels::one_fetch,
     .requirements = int_sizes_on_ampere,
     .cost = {.kind = CostFigures::Kind::fetch}},
    {.name = "tiny_matrices",
     .idea = "batches of tiny matrices: a warp each, which fetches the next one while it multiplies",
     .implementation = &kernels::tiny_matrices,
     .requirements = int_sizes_on_ampere,
     .cost = {.kind = CostFigures::Kind::tiny}},
    tile_row("tile_256x128", "tiles of 256 x 128: producer warps copy ahead, consumer warps multiply",
             kernels::tile_256x128, {1.028f, 0.2678f}),
    tile_row("tile_128x256", "tiles of 128 x 256: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x256, {1.028f, 0.2678f}),
    tile_row("tile_128x128", "tiles of 128 x 128: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x128, {0.8711f, 0.2493f}),
    tile_row("tile_128x64", "tiles of 128 x 64: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x64, {0.8512f, 0.3752f}),
    tile_row("tile_64x64", "tiles of 64 x 64: producer warps copy ahead, consumer warps multiply",
             kernels::tile_64x64, {0.805f, 0.6492f}),
    tile_row("tile_64x32", "tiles of 64 x 32: producer warps copy ahead, consumer warps multiply",
             kernels::tile_64x32, {0.7122f, 0.3375f}),
    tile_row("tile_32x32", "tiles of 32 x 32: producer warps copy ahead, consumer warps multiply",
             kernels::tile_32x32, {0.6831f, 1.562f}),
    tile_row("tile_128x16", "tiles of 128 x 16: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x16, {0.7826f, 0.5454f}),
    tile_row("tile_16x128", "tiles of 16 x 128: producer warps copy ahead, consumer warps multiply",
             kernels::tile_16x128, {0.5861f, 0.2574f}),
    tile_row("sliced_64x64",
             "tiles of 64 x 64: producer warps copy ahead, consumer warps divide each slice of k",
             kernels::sliced_64x64,
             {.efficiency = 0.9953f, .half_efficient_blocks = 0.5831f, .exchange = 0.0003084f}),
    tile_row("sliced_64x32",
             "tiles of 64 x 32: producer warps copy ahead, consumer warps divide each slice of k",
             kernels::sliced_64x32,
             {.efficiency = 0.9459f, .half_efficient_blocks = 0.6264f, .exchange = 0.0001647f}),
    tile_row("sliced_32x32",
             "tiles of 32 x 32: producer warps copy ahead, consumer warps divide each slice of k",
             kernels::sliced_32x32,
             {.efficiency = 0.727f, .half_efficient_blocks = 0.4851f, .exchange = 3.085e-05f}),
};
static_assert(std::size(table) <= kernel_limit);

}  // namespace

std::span<const Kernel> kernel_table() {
    return table;
}

std::size_t kernel_index(const Kernel& kernel) {
    return static_cast<std::size_t>(&kernel - table);
}

const Kernel* find_kernel(std::string_view number_or_name) {
    int number = Kernel::unnumbered;
    const char* end = number_or_name.data() + number_or_name.size();
    const auto [parsed_to, error] = std::from_chars(number_or_name.data(), end, number);
    const bool is_number = error == std::errc{} && parsed_to == end && number >= 0;

    for (const Kernel& kernel : table) {
        if (is_number ? kernel.number == number : kernel.name == number_or_name) return &kernel;
        for (const char* alias : kernel.aliases) {
            if (!is_number && alias != nullptr && alias == number_or_name) return &kernel;
        }
    }
    return nullptr;
}

const Kernel& last_rung() {
    return *find_kernel("double_buffer");
}

}  // namespace sgemm_shim
