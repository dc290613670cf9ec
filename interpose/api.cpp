// The C interface, but for its products: see include/sgemm_shim/sgemm_shim.h.
#include "sgemm_shim/sgemm_shim.h"

#include <algorithm>
#include <array>

#include "kernel_choice.hpp"
#include "kernel_table.hpp"
#include "record.hpp"
#include "settings.hpp"

using namespace sgemm_shim;

extern "C" {

const char* sgemm_shim_version(void) {
    return SGEMM_SHIM_VERSION;
}

size_t sgemm_shim_kernel_count(void) {
    return kernel_table().size();
}

int sgemm_shim_kernel_at(size_t index, sgemm_shim_kernel* kernel) {
    if (kernel == nullptr || index >= kernel_table().size()) return -1;
    const Kernel& row = kernel_table()[index];
    static_assert(std::tuple_size_v<decltype(row.aliases)> < std::size(decltype(kernel->aliases){}));
    *kernel = {row.number, row.name, row.idea, {}, row.requirements};
    std::ranges::copy_if(row.aliases, kernel->aliases, [](const char* alias) { return alias != nullptr; });
    return 0;
}

int sgemm_shim_choose_kernel(const char* kernel) {
    return choose_kernel(ChoiceScope::process, kernel) ? 0 : -1;
}

int sgemm_shim_choose_kernel_for_thread(const char* kernel) {
    return choose_kernel(ChoiceScope::thread, kernel) ? 0 : -1;
}

const char* sgemm_shim_chosen_kernel(void) {
    const Kernel* kernel = kernel_choice(process_settings()).kernel;
    return kernel != nullptr ? kernel->name : "auto";
}

size_t sgemm_shim_read_counters(sgemm_shim_counter* rows, size_t capacity) {
    struct State {
        sgemm_shim_counter* rows;
        size_t capacity;
        size_t found = 0;
    } state{rows, rows != nullptr ? capacity : 0};
    visit_counters(
        [](void* opaque, const CounterRow& row) {
            State& filled = *static_cast<State*>(opaque);
            const Kernel& kernel = row.kernel != nullptr ? *row.kernel : kernel_table().front();
            if (filled.found < filled.capacity) {
                filled.rows[filled.found] = {
                    to_string(row.entry_point),   row.kernel == nullptr, kernel.number, kernel.name,
                    static_cast<int>(row.reason), to_string(row.reason), row.calls,     row.flops};
            }
            ++filled.found;
        },
        &state);
    return state.found;
}

void sgemm_shim_reset_counters(void) {
    reset_counters();
}

size_t sgemm_shim_summary(char* buffer, size_t size) {
    if (buffer == nullptr || size == 0) return 0;
    return write_summary({buffer, size});
}

}  // extern "C"
