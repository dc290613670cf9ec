// Several batches in one call: cuBLAS's grouped functions. All matrices of a group have one shape; sizes,
// operations and scalars are host arrays of one element for each group, and the matrices are found by device
// arrays of pointers, those of one group behind those of the other.
#pragma once

#include <initializer_list>

#include "gemm_converters.hpp"
#include "plan.hpp"

namespace sgemm_shim {

/// The arguments, in cuBLAS's order but for the types. Size is int or int64_t.
template <class Size>
struct GroupedCall {
    const cublasOperation_t* transa;
    const cublasOperation_t* transb;
    const Size* m;
    const Size* n;
    const Size* k;
    const void* alpha;
    const void* a;
    const Size* lda;
    const void* b;
    const Size* ldb;
    const void* beta;
    const void* c;
    const Size* ldc;
    Size group_count;
    const Size* group_size;
    Demand demand = Demand::fp32;

    bool lacks_an_array() const {
        for (const void* array : std::initializer_list<const void*>{transa, transb, m, n, k, alpha, a, lda, b,
                                                                    ldb, beta, c, ldc, group_size}) {
            if (array == nullptr) return true;
        }
        return false;
    }

    /// One group, as the batch that it is. `matrices_before` is how many the groups before it have together.
    GemmCall group(std::int64_t index, std::int64_t matrices_before) const {
        const auto pointers = [&](const void* array) {
            return static_cast<const void* const*>(array) + matrices_before;
        };
        return with_demand(batched_call(transa[index], transb[index], m[index], n[index], k[index],
                                        static_cast<const float*>(alpha) + index, pointers(a), lda[index],
                                        pointers(b), ldb[index], static_cast<const float*>(beta) + index,
                                        pointers(c), ldc[index], group_size[index]),
                           demand);
    }

    /// All that is to be said of the call without a look into its arrays.
    GemmCall outline() const {
        GemmCall call;
        call.a.leading_dimension = call.b.leading_dimension = call.c.leading_dimension = 1;
        call.batch_count = group_count;
        call.demand = demand;
        return call;
    }
};

inline constexpr auto grouped_call =
    []<class Size>(const cublasOperation_t* transa, const cublasOperation_t* transb, const Size* m,
                   const Size* n, const Size* k, const void* alpha, const void* Aarray, const Size* lda,
                   const void* Barray, const Size* ldb, const void* beta, const void* Carray, const Size* ldc,
                   Size group_count, const Size* group_size) {
        return GroupedCall<Size>{transa, transb, m,    n,      k,   alpha,       Aarray,    lda,
                                 Barray, ldb,    beta, Carray, ldc, group_count, group_size};
    };

inline constexpr auto grouped_ex_call =
    []<class Size>(const cublasOperation_t* transa, const cublasOperation_t* transb, const Size* m,
                   const Size* n, const Size* k, const void* alpha, const void* Aarray, cudaDataType Atype,
                   const Size* lda, const void* Barray, cudaDataType Btype, const Size* ldb, const void* beta,
                   const void* Carray, cudaDataType Ctype, const Size* ldc, Size group_count,
                   const Size* group_size, cublasComputeType_t computeType) {
        GroupedCall<Size> call = grouped_call(transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta,
                                              Carray, ldc, group_count, group_size);
        call.demand = demand_of_arguments(Atype, Btype, Ctype, computeType, CUBLAS_GEMM_DEFAULT);
        return call;
    };

/// Why the call is forwarded without a look into its arrays, or none. What cuBLAS may refuse before it reads
/// them must not be read here: they can be anything then.
template <class Size>
ForwardReason reason_before_groups(const GroupedCall<Size>& call, PointerMode pointer_mode,
                                   const Policy& policy) {
    // An outline has no size, so a call that has groups is "empty" at least.
    const ForwardReason reason = plan_without_device(call.outline(), policy).reason;
    if (reason != ForwardReason::empty || call.group_count == 0) return reason;
    // Measured, cuBLAS 13.1: CUBLAS_STATUS_NOT_SUPPORTED.
    if (pointer_mode == PointerMode::device) return ForwardReason::invalid;
    return call.lacks_an_array() ? ForwardReason::pointer : ForwardReason::none;
}

/// How far a grouped call has been served.
struct GroupsDone {
    std::int64_t groups = 0;
    std::int64_t matrices = 0;                   ///< of those groups together
    ForwardReason reason = ForwardReason::none;  ///< why the next group is not served, if there is one
};

/// Serves all groups or none, but for a launch that fails: the groups before it are done, and must not be
/// computed again where beta is not 0. plan_group(call) tells why a group is not served, or none, and must
/// tell the same when it is asked again: the plans are not kept, as there can be any number of them.
/// launch_group(call) launches it, or tells why it could not.
template <class Size, class PlanGroup, class LaunchGroup>
GroupsDone serve_groups(const GroupedCall<Size>& call, PlanGroup plan_group, LaunchGroup launch_group) {
    GroupsDone planned;
    for (; planned.groups < call.group_count; ++planned.groups) {
        GemmCall group = call.group(planned.groups, planned.matrices);
        if (const ForwardReason reason = plan_group(group); reason != ForwardReason::none)
            return {0, 0, reason};
        planned.matrices += group.batch_count;
    }
    GroupsDone done;
    for (; done.groups < call.group_count; ++done.groups) {
        GemmCall group = call.group(done.groups, done.matrices);
        done.reason = launch_group(group);
        if (done.reason != ForwardReason::none) break;
        done.matrices += group.batch_count;
    }
    return done;
}

// An argument of a grouped function without the groups that are done.

inline const cublasOperation_t* rest_of(const cublasOperation_t* array, const GroupsDone& done) {
    return array + done.groups;
}
inline const int* rest_of(const int* array, const GroupsDone& done) {
    return array + done.groups;
}
inline const std::int64_t* rest_of(const std::int64_t* array, const GroupsDone& done) {
    return array + done.groups;
}
inline const float* rest_of(const float* scalars, const GroupsDone& done) {
    return scalars + done.groups;
}
/// Scalars that are FP32 wherever a group is done.
inline const void* rest_of(const void* scalars, const GroupsDone& done) {
    return rest_of(static_cast<const float*>(scalars), done);
}
template <class Matrix>
Matrix* const* rest_of(Matrix* const* pointers, const GroupsDone& done) {
    return pointers + done.matrices;
}
inline int rest_of(int group_count, const GroupsDone& done) {
    return group_count - static_cast<int>(done.groups);
}
inline std::int64_t rest_of(std::int64_t group_count, const GroupsDone& done) {
    return group_count - done.groups;
}
inline cudaDataType rest_of(cudaDataType type, const GroupsDone&) {
    return type;
}
inline cublasComputeType_t rest_of(cublasComputeType_t type, const GroupsDone&) {
    return type;
}

}  // namespace sgemm_shim
