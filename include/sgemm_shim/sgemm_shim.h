/* The C interface of libsgemm_shim, the library that serves a program's FP32 matrix products in place of
 * cuBLAS.
 *
 * A program needs none of this to be served: preloading the library, or linking it before cuBLAS
 * (-lsgemm_shim -lcublas), is enough. This header is for programs that want to choose a kernel, to multiply
 * row-major matrices, or to know what happened to their calls. It needs no CUDA header, and is C99 and C++.
 *
 * For every function: it may be called from any thread at any time, throws nothing, and keeps none of the
 * pointers it is given. Strings that it hands out have static storage: they are valid until the process ends
 * and must not be freed. */
#ifndef SGEMM_SHIM_SGEMM_SHIM_H
#define SGEMM_SHIM_SGEMM_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SGEMM_SHIM_API __attribute__((visibility("default")))
#else
#define SGEMM_SHIM_API
#endif

/* The library's version, "major.minor.patch". */
SGEMM_SHIM_API const char* sgemm_shim_version(void);

/* ---- kernels ---- */

/* One kernel. */
typedef struct sgemm_shim_kernel {
    int number;             /* place in the teaching ladder, 0 for cuBLAS itself, -1 for kernels outside it */
    const char* name;       /* what names it everywhere, besides the number */
    const char* idea;       /* one line */
    const char* aliases[4]; /* further names; NULL after the last */
    const char* requirements; /* what a call and its GPU must have to be served by it, in words */
} sgemm_shim_kernel;

/* How many kernels there are, cuBLAS (index 0) included. */
SGEMM_SHIM_API size_t sgemm_shim_kernel_count(void);

/* Describes kernel `index`, 0 to count - 1, in *kernel. Returns 0, or -1 and leaves *kernel alone if there is
 * no such kernel or `kernel` is NULL. */
SGEMM_SHIM_API int sgemm_shim_kernel_at(size_t index, sgemm_shim_kernel* kernel);

/* Chooses the kernel for the calls of every thread that has no choice of its own. `kernel` is a number
 * ("7"), a name, an alias, or "auto" (the fastest known kernel); NULL takes the choice back.
 *
 * Of several choices the first one holds: the calling thread's, the process's, SGEMM_SHIM_KERNEL, "auto".
 * An explicit "auto" is a choice too, and beats the environment. A choice acts as SGEMM_SHIM_KERNEL does, on
 * intercepted cuBLAS calls and on sgemm_shim_sgemm alike, from the next call on: a call that the chosen
 * kernel cannot serve goes to the real cuBLAS, and "cublas" (or "0") sends every call there. The other
 * settings stay in force: with SGEMM_SHIM_DISABLE=on, for one, no choice has an effect.
 *
 * Returns 0, or -1 and changes nothing if there is no such kernel. A forked child inherits the choice. */
SGEMM_SHIM_API int sgemm_shim_choose_kernel(const char* kernel);

/* The same for the calls of the calling thread alone; NULL goes back to the choice of the process. Threads
 * that the calling one starts do not inherit it. */
SGEMM_SHIM_API int sgemm_shim_choose_kernel_for_thread(const char* kernel);

/* The name of the kernel that is chosen for the calling thread's next call, or "auto". Never NULL. */
SGEMM_SHIM_API const char* sgemm_shim_chosen_kernel(void);

/* ---- products ---- */

/* A cublasHandle_t, which is a pointer to the same struct: pass one without a cast. The caller owns it. */
typedef struct cublasContext* sgemm_shim_cublas_handle;

/* How matrices lie in memory. Row-major: element (i, j) is at [i * ld + j]; column-major: at [i + j * ld]. */
enum { SGEMM_SHIM_COLUMN_MAJOR = 0, SGEMM_SHIM_ROW_MAJOR = 1 };

/* op(X), with the values of cublasOperation_t. For real numbers the last two are the same. */
enum { SGEMM_SHIM_NO_TRANSPOSE = 0, SGEMM_SHIM_TRANSPOSE = 1, SGEMM_SHIM_CONJUGATE_TRANSPOSE = 2 };

/* C = alpha * op(A) * op(B) + beta * C in FP32, enqueued on the handle's stream.
 *
 * op(A) is m x k, op(B) is k x n, C is m x n. All three are stored in `order`, and transposition is
 * meant as the mathematician means it: A as stored is m x k without, k x m with transposition. All sizes and
 * leading dimensions are in elements. A leading dimension is at least 1 and at least the length of a stored
 * row (row-major) or of a stored column (column-major):
 *
 *                             row-major             column-major
 *     lda, A not transposed   k                     m
 *     lda, A transposed       m                     k
 *     ldb, B not transposed   n                     k
 *     ldb, B transposed       k                     n
 *     ldc                     n                     m
 *
 * A, B and C are device memory, aligned to 4 bytes; C overlaps neither. alpha and beta are host or device
 * memory, as the handle's pointer mode says. With beta = 0, C is not read. The device of the handle must be
 * current. The caller keeps all of it alive until the stream is past the call.
 *
 * The call goes the way of an intercepted one: a kernel of this library serves it, or the real cublasSgemm_v2
 * does (cublasSgemm_v2_64 where a size exceeds int), and it is counted as "sgemm_shim_sgemm". A row-major
 * call is the column-major one with A and B, and m and n, changed over (C^T = op(B)^T op(A)^T): logs, and the
 * lines that cuBLAS prints about an illegal argument, show it so.
 *
 * Returns a cublasStatus_t: 0 CUBLAS_STATUS_SUCCESS; 1 CUBLAS_STATUS_NOT_INITIALIZED for a NULL handle, or
 * if no cuBLAS is found; 7 CUBLAS_STATUS_INVALID_VALUE for an unknown order (not counted) or any argument
 * that cublasSgemm refuses; whatever else the real cuBLAS returns. Errors of a running kernel show up in
 * later calls, as with cuBLAS. */
SGEMM_SHIM_API int sgemm_shim_sgemm(sgemm_shim_cublas_handle handle, int order, int transa, int transb,
                                    int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
                                    int64_t lda, const float* B, int64_t ldb, const float* beta, float* C,
                                    int64_t ldc);

/* What would become of a call, and why. Figures that were not needed to decide are "unknown" or 0. */
typedef struct sgemm_shim_explanation {
    int forwarded;           /* 0: a kernel of this library would serve the call; 1: the real cuBLAS would */
    int kernel_number;       /* who would serve it, numbered and named as by sgemm_shim_kernel_at() */
    const char* kernel_name; /* "cublas" if forwarded */
    int reason;              /* why it is forwarded, 0 if it is not; numbers can change between versions */
    const char* reason_name; /* the same in a word or three, as logs have it: "none", "handle", "tf32"... */
    double flops;            /* 2 m n k, or 0 for a call that computes nothing, as with a NULL handle */

    const char* candidate_name; /* the kernel that was chosen, or that "auto" stands for */
    const char* chosen_by;      /* "automatic", "environment", "process" or "thread" */
    const char* pointer_mode;   /* "host", "device" or "unknown" */
    const char* precision;      /* what the handle's math mode allows: "fp32", "tf32", "other", "unknown" */
    int compute_capability_major;
    int compute_capability_minor;
    int multiprocessor_count;

    char text[512]; /* all of this in a sentence or two, for people */
} sgemm_shim_explanation;

/* Says in *explanation what sgemm_shim_sgemm, or an intercepted cublasSgemm, would do with these arguments in
 * the calling thread now. Launches nothing, counts and logs nothing, and reads neither the matrices nor the
 * scalars. Like a call itself it looks the real cuBLAS up and, the first time in a CUDA context, loads the
 * kernels there. That a launch fails cannot be foreseen.
 *
 * Returns 0 if it could tell, also for a call that cuBLAS would refuse (the reason is "invalid argument"
 * then); 1 for a NULL handle (which no cuBLAS is needed to judge) or if no cuBLAS is found, with *explanation
 * filled in all the same; 7, with *explanation left alone, if the order is unknown or `explanation` is NULL.
 */
SGEMM_SHIM_API int sgemm_shim_explain(sgemm_shim_cublas_handle handle, int order, int transa, int transb,
                                      int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
                                      int64_t lda, const float* B, int64_t ldb, const float* beta, float* C,
                                      int64_t ldc, sgemm_shim_explanation* explanation);

/* ---- counters ---- */

/* Calls of one entry point that went one way, since the process began or the counters were reset. A forked
 * child starts at zero. */
typedef struct sgemm_shim_counter {
    const char* entry_point; /* the symbol that the program called: "cublasSgemm_v2", "sgemm_shim_sgemm"... */
    int forwarded;           /* 0: a kernel served the calls; 1: they went to the real cuBLAS */
    int kernel_number;       /* who served them, as in sgemm_shim_explanation */
    const char* kernel_name;
    int reason;
    const char* reason_name;
    uint64_t calls;
    double flops; /* 2 m n k of each call that computed something, summed: none of one that failed */
} sgemm_shim_counter;

/* Copies the counters that are not zero into rows[0] to rows[capacity - 1], in a fixed order: by entry point,
 * kernels before reasons. Returns how many there are, which can exceed `capacity`: with capacity 0, or
 * `rows` NULL, it only counts. Calls that other threads make meanwhile may or may not be contained. */
SGEMM_SHIM_API size_t sgemm_shim_read_counters(sgemm_shim_counter* rows, size_t capacity);

/* Sets every counter to zero. */
SGEMM_SHIM_API void sgemm_shim_reset_counters(void);

/* Writes the counters as text (that of SGEMM_SHIM_LOG=summary: for each entry point and kernel the calls and
 * floating-point operations, and for forwarded calls the reason) into buffer, at most size - 1 characters
 * and a NUL. Returns the length of the text written, without the NUL; 0 if size is 0. */
SGEMM_SHIM_API size_t sgemm_shim_summary(char* buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
