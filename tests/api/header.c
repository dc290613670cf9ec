/* The header on its own, as C99 or as C++ (header.cpp). */
#include "sgemm_shim/sgemm_shim.h"

int main(void) {
    sgemm_shim_cublas_handle handle = 0;
    sgemm_shim_kernel kernel;
    sgemm_shim_counter counter;
    sgemm_shim_explanation explanation;
    const float one = 1.0f;
    if (sgemm_shim_kernel_at(0, &kernel) != 0 || kernel.number != 0) return 1;
    if (sgemm_shim_explain(handle, SGEMM_SHIM_ROW_MAJOR, SGEMM_SHIM_NO_TRANSPOSE, SGEMM_SHIM_TRANSPOSE, 2, 3,
                           4, &one, &one, 4, &one, 4, &one, 0, 3, &explanation) != 1)
        return 2;
    if (explanation.forwarded != 1 || explanation.flops != 0) return 3; /* C is NULL */
    return sgemm_shim_read_counters(&counter, 1) == 0 ? 0 : 4;
}
