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
                 {{0.7293f, 0.6264f, 557.2f, 161.5f},
                  {247.f, 572.2f, 2.69f, 0.4246f},
                  0.6275f,
                  false,
                  0.0008297f,
                  0.0003364f}),
    register_row("direct_wide", "short k: the lanes of a warp along n", kernels::direct_wide,
                 {{247.f, 572.2f, 2.69f, 0.4246f},
                  {0.7293f, 0.6264f, 557.2f, 161.5f},
                  0.5667f,
                  false,
                  0.1881f,
                  0.2426f}),
    register_row("dot", "inner products: lanes, warps and clusters along k, 4 x 4 elements", kernels::dot,
                 {{859.3f, 1129.f, 205.9f, 177.1f},
                  {859.3f, 1129.f, 205.9f, 177.1f},
                  0.6895f,
                  false,
                  2.675f,
                  0.2981f}),
    register_row("dot_tall", "products with a vector: lanes along k, and along m if A is contiguous so",
                 kernels::dot_tall,
                 {{216.4f, 476.2f, 41.58f, 85.91f},
                  {175.5f, 194.4f, 78.65f, 154.6f},
                  0.5628f,
                  true,
                  0.0004035f,
                  0.1735f}),
    register_row(
        "dot_wide", "products with a vector: lanes along k, and along n if B is contiguous so",
        kernels::dot_wide,
        {{280.f, 159.8f, 67.72f, 137.9f}, {301.f, 584.f, 48.14f, 102.1f}, 0.5612f, true, 0.004056f, 0.1822f}),
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
             kernels::tile_256x128, {1.017f, 0.2684f}),
    tile_row("tile_128x256", "tiles of 128 x 256: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x256, {1.015f, 0.2684f}),
    tile_row("tile_128x128", "tiles of 128 x 128: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x128, {0.9051f, 0.3196f}),
    tile_row("tile_128x64", "tiles of 128 x 64: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x64, {0.8594f, 0.3914f}),
    tile_row("tile_64x64", "tiles of 64 x 64: producer warps copy ahead, consumer warps multiply",
             kernels::tile_64x64, {0.8876f, 0.9364f}),
    tile_row("tile_64x32", "tiles of 64 x 32: producer warps copy ahead, consumer warps multiply",
             kernels::tile_64x32, {0.83f, 0.6176f}),
    tile_row("tile_32x32", "tiles of 32 x 32: producer warps copy ahead, consumer warps multiply",
             kernels::tile_32x32, {0.9423f, 2.845f}),
    tile_row("tile_128x16", "tiles of 128 x 16: producer warps copy ahead, consumer warps multiply",
             kernels::tile_128x16, {1.509f, 1.376f}),
    tile_row("tile_16x128", "tiles of 16 x 128: producer warps copy ahead, consumer warps multiply",
             kernels::tile_16x128, {0.9119f, 0.7233f}),
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
