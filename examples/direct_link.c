/* A program that links the library itself, before cuBLAS:  cc direct_link.c -lsgemm_shim -lcublas
 * Needs no GPU: it prints the version and the kernels. The same text is valid C and C++. */
#include <sgemm_shim/sgemm_shim.h>
#include <stdio.h>

int main(void) {
    size_t index;
    printf("libsgemm_shim %s\n", sgemm_shim_version());
    for (index = 0; index < sgemm_shim_kernel_count(); ++index) {
        sgemm_shim_kernel kernel;
        if (sgemm_shim_kernel_at(index, &kernel) != 0) return 1;
        printf("%3d  %-20s %s\n", kernel.number, kernel.name, kernel.idea);
    }
    return 0;
}
