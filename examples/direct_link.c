/* A program that links the library itself, before cuBLAS:
 *     cc direct_link.c -lsgemm_shim -L<CUDA>/lib64 -lcublas
 * Needs no GPU, and is valid C and C++: it lists the kernels, chooses one, asks what would become of a call,
 * and reads the counters. */
#include <sgemm_shim/sgemm_shim.h>
#include <stdio.h>

static int list_kernels(void) {
    size_t index;
    for (index = 0; index < sgemm_shim_kernel_count(); ++index) {
        sgemm_shim_kernel kernel;
        const char* const* alias;
        if (sgemm_shim_kernel_at(index, &kernel) != 0) return 1;
        printf("%3d  %-20s %s", kernel.number, kernel.name, kernel.idea);
        for (alias = kernel.aliases; *alias != NULL; ++alias) printf(" (also: %s)", *alias);
        printf("\n     needs: %s\n", kernel.requirements);
    }
    return 0;
}

/* A choice of the thread beats one of the process, and both beat SGEMM_SHIM_KERNEL. */
static int choose(void) {
    if (sgemm_shim_choose_kernel("naive") != 0) return 1;
    if (sgemm_shim_choose_kernel("no such kernel") == 0) return 1; /* refused, and naive stays */
    printf("the process has chosen %s\n", sgemm_shim_chosen_kernel());
    if (sgemm_shim_choose_kernel_for_thread("auto") != 0) return 1;
    printf("this thread has chosen %s\n", sgemm_shim_chosen_kernel());
    return sgemm_shim_choose_kernel_for_thread(NULL); /* as the process again */
}

/* C (2 x 3) = A (2 x 4) * B (4 x 3), all row-major. A real program has a handle from cublasCreate() and
 * device memory here; without a handle the answer is status 1, and says so. */
static int multiply(void) {
    const float alpha = 1.0f, beta = 0.0f;
    const float* a = &alpha; /* stand for device memory, which nobody follows without a handle */
    const float* b = &alpha;
    float c = 0.0f;
    sgemm_shim_cublas_handle handle = NULL;
    sgemm_shim_explanation explanation;
    int status =
        sgemm_shim_explain(handle, SGEMM_SHIM_ROW_MAJOR, SGEMM_SHIM_NO_TRANSPOSE, SGEMM_SHIM_NO_TRANSPOSE, 2,
                           3, 4, &alpha, a, 4, b, 3, &beta, &c, 3, &explanation);
    printf("status %d, %s by %s: %s\n", status, explanation.forwarded ? "forwarded" : "served",
           explanation.kernel_name, explanation.text);
    if (status != 1 || !explanation.forwarded) return 1;
    status = sgemm_shim_sgemm(handle, SGEMM_SHIM_ROW_MAJOR, SGEMM_SHIM_NO_TRANSPOSE, SGEMM_SHIM_NO_TRANSPOSE,
                              2, 3, 4, &alpha, a, 4, b, 3, &beta, &c, 3);
    return status == 1 ? 0 : 1;
}

static int print_counters(void) {
    sgemm_shim_counter rows[64];
    const size_t count = sgemm_shim_read_counters(rows, 64);
    size_t row;
    for (row = 0; row < count && row < 64; ++row) {
        printf("%s: %lu calls, %.0f FLOP by %s (%s)\n", rows[row].entry_point, (unsigned long)rows[row].calls,
               rows[row].flops, rows[row].kernel_name, rows[row].reason_name);
    }
    sgemm_shim_reset_counters();
    return count == 1 && sgemm_shim_read_counters(NULL, 0) == 0 ? 0 : 1;
}

int main(void) {
    printf("libsgemm_shim %s\n", sgemm_shim_version());
    return list_kernels() != 0 || choose() != 0 || multiply() != 0 || print_counters() != 0;
}
