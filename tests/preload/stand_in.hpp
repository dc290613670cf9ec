// A library of cuBLAS's name and version that computes nothing: it notes the arguments of each call and
// answers as a test tells it to. Handles are made up; NULL is refused as the real library refuses it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

/// What some functions take besides the arguments of cublasSgemm; of A, B and C in this order.
struct StandInExtras {
    std::array<int, 3> types{};
    std::array<long long, 3> strides{};
    std::int64_t batch_count = 0;
    int compute_type = 0;
    int algorithm = 0;

    bool operator==(const StandInExtras&) const = default;
};

/// The arguments of one product, as they arrived. What the function does not take keeps its default.
struct StandInCall {
    void* handle;
    int transa, transb;
    std::int64_t m, n, k;
    const float* alpha;
    const float* a;  ///< like b and c the array of pointers, if the function takes one
    std::int64_t lda;
    const float* b;
    std::int64_t ldb;
    const float* beta;
    float* c;
    std::int64_t ldc;
    StandInExtras extras{};

    bool operator==(const StandInCall&) const = default;
};

/// The arguments of one call of a grouped function, as they arrived: the host arrays and the scalars where
/// they are, in the function's order, the arrays of pointers among them.
struct StandInGroups {
    std::array<const void*, 14> arrays{};
    std::int64_t group_count = 0;

    bool operator==(const StandInGroups&) const = default;
};

struct StandIn {
    int major;

    // What it answers.
    int sgemm_status;  ///< of every product; by default the library's major version
    bool echo;         ///< answer m instead
    int stream_status, pointer_mode_status, math_mode_status, sm_count_target_status;
    int pointer_mode, math_mode, sm_count_target;
    bool arrays_are_garbage;  ///< those of a grouped call, which is not looked into then

    // What it saw.
    std::atomic<int> sgemm_calls, sgemm_64_calls, other_calls;  ///< of cublasSgemm, and of other products
    std::atomic<int> queries;                                   ///< of a handle's state
    std::atomic<int> logger_calls;
    const char* last_function;  ///< the product last asked for; like `last` not kept while `echo` is set,
    StandInCall last;           ///< since several threads may call then. The first group of a grouped call.
    StandInGroups last_groups;
};

/// The library's own state. Not static: each major version has one.
extern "C" StandIn* stand_in_state();

/// What dlsym answers to a caller inside this library.
extern "C" void* stand_in_look_up(void* handle, const char* name);
