#include "kernel_table.hpp"

#include <charconv>

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
extern const KernelImplementation one_fetch;
extern const KernelImplementation tiny_matrices;
extern const KernelImplementation tile_256x128;
extern const KernelImplementation tile_128x256;
extern const KernelImplementation tile_128x128;
extern const KernelImplementation tile_128x64;
extern const KernelImplementation tile_64x64;
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
                 {.reads_of_a = {3.25f, 763.3f, 298.5f, 824.2f},
                  .reads_of_b = {71.34f, 999.3f, 264.6f, 2.805f},
                  .latencies = {0.9076f, 0.6302f, 0.5188f, 0.3124f},
                  .reads_two_rounds = false,
                  .round_us = 0.167f,
                  .block_us = 0.00269f,
                  .write_us = 9.226e-5f}),
    register_row("direct_wide", "short k: the lanes of a warp along n", kernels::direct_wide,
                 {.reads_of_a = {71.34f, 999.3f, 264.6f, 2.805f},
                  .reads_of_b = {3.25f, 763.3f, 298.5f, 824.2f},
                  .latencies = {0.9076f, 0.5188f, 0.6302f, 0.3124f},
                  .reads_two_rounds = false,
                  .round_us = 0.2988f,
                  .block_us = 0.003424f,
                  .write_us = 0.0004104f}),
    register_row("dot", "inner products: lanes, warps and clusters along k, 4 x 4 elements", kernels::dot,
                 {.reads_of_a = {874.9f, 1230.f, 209.3f, 122.7f},
                  .reads_of_b = {874.9f, 1230.f, 209.3f, 122.7f},
                  .latencies = {1.52f, 0.8514f, 1.049f, 0.4982f},
                  .reads_two_rounds = false,
                  .round_us = 2.857f,
                  .block_us = 0.3523f,
                  .write_us = 0.009331f}),
    register_row("dot_tall", "products with a vector: lanes along k, and along m if A is contiguous so",
                 kernels::dot_tall,
                 {.reads_of_a = {273.8f, 748.4f, 52.84f, 253.5f},
                  .reads_of_b = {256.1f, 258.7f, 81.74f, 33.87f},
                  .latencies = {1.314f, 1.f, 0.4567f, 0.3469f},
                  .reads_two_rounds = true,
                  .round_us = 0.001368f,
                  .block_us = 0.1654f,
                  .write_us = 0.002122f}),
    register_row("dot_wide", "products with a vector: lanes along k, and along n if B is contiguous so",
                 kernels::dot_wide,
                 {.reads_of_a = {353.4f, 234.5f, 36.36f, 247.2f},
                  .reads_of_b = {190.1f, 432.3f, 72.9f, 38.51f},
                  .latencies = {1.099f, 0.5042f, 1.383f, 0.266f},
                  .reads_two_rounds = true,
                  .round_us = 0.00153f,
                  .block_us = 0.2152f,
                  .write_us = 0.001418f}),
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
             kernels::tile_256x128, {0.9854f, 0.27f}),
    tile_row("tile_128x256", "tiles of 128 x 256: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x256, {0.9811f, 0.2702f}),
    tile_row("tile_128x128", "tiles of 128 x 128: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x128, {0.8256f, 0.2226f}),
    tile_row("tile_128x64", "tiles of 128 x 64: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x64, {0.8385f, 0.3685f}),
    tile_row("tile_64x64", "tiles of 64 x 64: producer warps copy ahead, consumer warps multiply",
             kernels::tile_64x64, {0.8542f, 0.8969f}),
    tile_row("tile_64x32", "tiles of 64 x 32: producer warps copy ahead, consumer warps multiply",
             kernels::tile_64x32, {0.7845f, 0.5861f}),
    tile_row("tile_32x32", "tiles of 32 x 32: producer warps copy ahead, consumer warps multiply",
             kernels::tile_32x32, {0.8633f, 2.57f}),
    tile_row("tile_128x16", "tiles of 128 x 16: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x16, {0.8217f, 0.4983f}),
    tile_row("tile_16x128", "tiles of 16 x 128: producer warps copy ahead, consumer warps multiply",
             kernels::tile_16x128, {0.6928f, 0.4544f}),
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
