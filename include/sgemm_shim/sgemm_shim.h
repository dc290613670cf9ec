/* The C interface of libsgemm_shim: what there is to know about the library that serves a program's cuBLAS
 * calls.
 *
 * A program needs none of this to be served: preloading the library, or linking it before cuBLAS
 * (-lsgemm_shim -lcublas), is enough. All functions may be called from any thread at any time. */
#ifndef SGEMM_SHIM_SGEMM_SHIM_H
#define SGEMM_SHIM_SGEMM_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SGEMM_SHIM_API __attribute__((visibility("default")))
#else
#define SGEMM_SHIM_API
#endif

/* The library's version, "major.minor.patch". Static storage. */
SGEMM_SHIM_API const char* sgemm_shim_version(void);

/* One kernel. The strings have static storage. */
typedef struct sgemm_shim_kernel {
    int number;       /* place in the teaching ladder, 0 for cuBLAS itself, -1 for kernels outside it */
    const char* name; /* what SGEMM_SHIM_KERNEL accepts, besides the number */
    const char* idea; /* one line */
} sgemm_shim_kernel;

/* How many kernels there are, cuBLAS included. */
SGEMM_SHIM_API size_t sgemm_shim_kernel_count(void);

/* Describes kernel `index`, 0 to count - 1, in *kernel. Returns 0, or -1 and leaves *kernel alone if there is
 * no such kernel or `kernel` is NULL. */
SGEMM_SHIM_API int sgemm_shim_kernel_at(size_t index, sgemm_shim_kernel* kernel);

/* Writes the summary of the calls so far (the text of SGEMM_SHIM_LOG=summary: for each entry point and kernel
 * the calls and floating-point operations, and for forwarded calls the reason) into buffer, at most size - 1
 * characters and a NUL. Returns the length of the text written, without the NUL; 0 if size is 0. */
SGEMM_SHIM_API size_t sgemm_shim_summary(char* buffer, size_t size);

/* Sets every counter of the summary to zero. */
SGEMM_SHIM_API void sgemm_shim_reset_counters(void);

#ifdef __cplusplus
}
#endif

#endif
