// The C interface: see include/sgemm_shim/sgemm_shim.h.
#include "sgemm_shim/sgemm_shim.h"

#include "kernel_table.hpp"
#include "record.hpp"

extern "C" {

const char* sgemm_shim_version(void) {
    return SGEMM_SHIM_VERSION;
}

size_t sgemm_shim_kernel_count(void) {
    return sgemm_shim::kernel_table().size();
}

int sgemm_shim_kernel_at(size_t index, sgemm_shim_kernel* kernel) {
    const auto table = sgemm_shim::kernel_table();
    if (kernel == nullptr || index >= table.size()) return -1;
    *kernel = {table[index].number, table[index].name, table[index].idea};
    return 0;
}

size_t sgemm_shim_summary(char* buffer, size_t size) {
    if (buffer == nullptr || size == 0) return 0;
    return sgemm_shim::write_summary({buffer, size});
}

void sgemm_shim_reset_counters(void) {
    sgemm_shim::reset_counters();
}

}  // extern "C"
