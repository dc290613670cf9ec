// A library of cuBLAS's name and version that computes nothing: it notes the arguments of each call and
// answers as a test tells it to. Handles are made up; NULL is refused as the real library refuses it.
#pragma once

#include <atomic>
#include <cstdint>

/// The arguments of one call of cublasSgemm, as they arrived.
struct StandInCall {
    void* handle;
    int transa, transb;
    std::int64_t m, n, k;
    const float* alpha;
    const float* a;
    std::int64_t lda;
    const float* b;
    std::int64_t ldb;
    const float* beta;
    float* c;
    std::int64_t ldc;

    bool operator==(const StandInCall&) const = default;
};

struct StandIn {
    int major;

    // What it answers.
    int sgemm_status;  ///< of cublasSgemm; by default the library's major version
    bool echo;         ///< answer m instead
    int stream_status, pointer_mode_status, math_mode_status, sm_count_target_status;
    int pointer_mode, math_mode, sm_count_target;

    // What it saw.
    std::atomic<int> sgemm_calls, sgemm_64_calls;
    std::atomic<int> queries;  ///< of a handle's state
    std::atomic<int> logger_calls;
    StandInCall last;  ///< not kept while `echo` is set: several threads may call then
};

/// The library's own state. Not static: each major version has one.
extern "C" StandIn* stand_in_state();

/// What dlsym answers to a caller inside this library.
extern "C" void* stand_in_look_up(void* handle, const char* name);
