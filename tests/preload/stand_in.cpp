#include "stand_in.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>

namespace {

constinit StandIn state{};
int the_handle;

[[gnu::constructor]] void prepare() {
    state.major = STAND_IN_MAJOR;
    state.sgemm_status = STAND_IN_MAJOR;
}

cublasStatus_t answer(int status) {
    return static_cast<cublasStatus_t>(status);
}

cublasStatus_t answer_query(int status) {
    ++state.queries;
    return answer(status);
}

/// As StandInCall keeps operands and scalars of every type.
float* floats(const void* address) {
    return static_cast<float*>(const_cast<void*>(address));
}

cublasStatus_t note(const char* function, const StandInCall& call) {
    if (state.echo) return answer(static_cast<int>(call.m));
    state.last_function = function;
    state.last = call;
    return call.handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : answer(state.sgemm_status);
}

cublasStatus_t note_other(const char* function, StandInCall call, const StandInExtras& extras) {
    ++state.other_calls;
    call.extras = extras;
    return note(function, call);
}

template <class Size>
cublasStatus_t note_groups(const char* function, cublasHandle_t handle, const cublasOperation_t* transa,
                           const cublasOperation_t* transb, const Size* m, const Size* n, const Size* k,
                           const void* alpha, const void* a, const Size* lda, const void* b, const Size* ldb,
                           const void* beta, const void* c, const Size* ldc, Size group_count,
                           const Size* group_size, StandInExtras extras = {}) {
    StandInCall first{};
    first.handle = handle;
    if (!state.echo)
        state.last_groups = {{transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_size},
                             group_count};
    if (!state.arrays_are_garbage && group_count > 0) {
        first = {handle,    *transa, *transb,   *m,   *n,           *k,        floats(alpha),
                 floats(a), *lda,    floats(b), *ldb, floats(beta), floats(c), *ldc};
        extras.batch_count = *group_size;
    }
    return note_other(function, first, extras);
}

}  // namespace

extern "C" {

StandIn* stand_in_state() {
    return &state;
}

void* stand_in_look_up(void* handle, const char* name) {
    // Kept in a variable: a tail call would leave the caller's return address, and its module, behind.
    void* volatile found = dlsym(handle, name);
    return found;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    *handle = reinterpret_cast<cublasHandle_t>(&the_handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t) {
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t, cudaStream_t* stream) {
    *stream = nullptr;
    return answer_query(state.stream_status);
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t, cublasPointerMode_t* mode) {
    *mode = static_cast<cublasPointerMode_t>(state.pointer_mode);
    return answer_query(state.pointer_mode_status);
}

cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t* mode) {
    *mode = static_cast<cublasMath_t>(state.math_mode);
    return answer_query(state.math_mode_status);
}

cublasStatus_t cublasLoggerConfigure(int, int, int, const char*) {
    ++state.logger_calls;
    return answer(STAND_IN_MAJOR);
}

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback) {
    ++state.logger_calls;
    return answer(STAND_IN_MAJOR);
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const float* alpha, const float* A, int lda,
                              const float* B, int ldb, const float* beta, float* C, int ldc) {
    ++state.sgemm_calls;
    return note(__func__, {handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc});
}

#ifndef STAND_IN_IS_OLD

cublasStatus_t cublasGetSmCountTarget(cublasHandle_t, int* target) {
    *target = state.sm_count_target;
    return answer_query(state.sm_count_target_status);
}

cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                 int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
                                 int64_t lda, const float* B, int64_t ldb, const float* beta, float* C,
                                 int64_t ldc) {
    ++state.sgemm_64_calls;
    return note(__func__, {handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc});
}

#define NAME(function) function
#define Size int
#include "stand_in_products.inc"
#undef NAME
#undef Size

#define NAME(function) function##_64
#define Size int64_t
#include "stand_in_products.inc"
#undef NAME
#undef Size

#endif

}  // extern "C"
