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

/// Of direct_tall, whose mirror direct_wide is.
constexpr RegistersCost direct_tall_cost{.reads_of_a = {151.5f, 721.9f, 404.3f, 808.1f},
                                         .reads_of_b = {11.f, 902.7f, 53.59f, 53.59f},
                                         .latencies = {0.9037f, 0.6049f, 0.5219f, 0.304f},
                                         .reads_two_rounds = false,
                                         .round_us = 0.1921f,
                                         .block_us = 0.005656f,
                                         .write_us = 9.113e-5f};
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
                 with_operands_exchanged(direct_tall_cost, 0.3191f, 0.1186f, 0.0003701f)),
    register_row("dot", "inner products: lanes, warps and clusters along k, 4 x 4 elements", kernels::dot,
                 {.reads_of_a = {872.7f, 1210.f, 181.7f, 181.7f},
                  .reads_of_b = {872.7f, 1210.f, 181.7f, 181.7f},
                  .latencies = {1.507f, 0.8495f, 1.044f, 0.532f},
                  .reads_two_rounds = false,
                  .round_us = 3.136f,
                  .block_us = 0.5295f,
                  .write_us = 0.0002588f}),
    register_row("dot_tall", "products with a vector: lanes along k, and along m if A is contiguous so",
                 kernels::dot_tall,
                 {.reads_of_a = {271.3f, 719.9f, 76.72f, 225.3f},
                  .reads_of_b = {269.2f, 269.4f, 59.97f, 59.97f},
                  .latencies = {1.318f, 1.017f, 0.4695f, 0.3514f},
                  .reads_two_rounds = true,
                  .round_us = 0.002436f,
                  .block_us = 0.1558f,
                  .write_us = 0.00244f}),
    register_row("dot_wide", "products with a vector: lanes along k, and along n if B is contiguous so",
                 kernels::dot_wide,
                 {.reads_of_a = {220.9f, 220.8f, 42.07f, 227.1f},
                  .reads_of_b = {203.8f, 444.9f, 61.94f, 61.94f},
                  .latencies = {1.105f, 0.5277f, 1.394f, 0.2696f},
                  .reads_two_rounds = true,
                  .round_us = 0.001723f,
                  .block_us = 0.2227f,
                  .write_us = 0.001278f}),
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
