#include "kernel_table.hpp"

#include <charconv>

namespace sgemm_shim {

namespace kernels {
extern const KernelImplementation naive;
extern const KernelImplementation double_buffer;
}  // namespace kernels

namespace {

constexpr Kernel table[] = {
    {0, "cublas", {}, "the real library: the baseline", nullptr},
    {1,
     "naive",
     {"global_memory_coalescing"},
     "one thread per element of C, neighbouring lanes on neighbouring addresses",
     &kernels::naive},
    {7,
     "double_buffer",
     {},
     "two shared-memory and two fragment buffers: the next tile is loaded while this one is multiplied",
     &kernels::double_buffer},
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

const Kernel& fastest_kernel() {
    return table[std::size(table) - 1];
}

}  // namespace sgemm_shim
