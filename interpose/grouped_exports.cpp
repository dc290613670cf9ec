// The exported functions for several batches of different shapes in one call. Each group is a product of its
// own: one GemmCall, one launch, one row of the log.
#include "grouped_call.hpp"
#include "intercept.hpp"

namespace sgemm_shim {
namespace {

/// As intercept(), for the groups of one call.
template <class Function, class Convert, class... Arguments>
cublasStatus_t intercept_groups(const void* caller, EntryPoint entry_point,
                                Function RealCublas::*real_function, Convert convert, cublasHandle_t handle,
                                Arguments... original) {
    const auto call = convert(original...);
    const RealCublas* real = real_cublas_for(caller);
    if (real == nullptr || real->*real_function == nullptr) {
        record(entry_point, call.outline(), {nullptr, ForwardReason::missing}, CUBLAS_STATUS_NOT_INITIALIZED);
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }

    const Situation situation = situation_of(*real, handle);
    ForwardReason unread = situation.obstacle;
    if (unread == ForwardReason::none)
        unread = reason_before_groups(call, situation.pointer_mode, situation.policy);
    if (unread != ForwardReason::none) {
        const cublasStatus_t status = (real->*real_function)(handle, original...);
        record(entry_point, call.outline(), {nullptr, unread}, status);
        return status;
    }

    const GroupsDone done = serve_groups(
        call, [&](GemmCall& group) { return decide(situation, group).plan.reason; },
        [&](GemmCall& group) {
            const Plan plan = try_to_serve(situation, group);
            if (plan.kernel != nullptr) record(entry_point, group, plan, CUBLAS_STATUS_SUCCESS);
            return plan.reason;
        });
    if (done.groups == call.group_count) return CUBLAS_STATUS_SUCCESS;
    const cublasStatus_t status = (real->*real_function)(handle, rest_of(original, done)...);
    for (std::int64_t i = done.groups; i < call.group_count; ++i) {
        GemmCall group = call.group(i, 0);  // where its matrices are is not recorded
        complete(situation, group);
        record(entry_point, group, {nullptr, done.reason}, status);
    }
    return status;
}

}  // namespace
}  // namespace sgemm_shim

using namespace sgemm_shim;

extern "C" {

cublasStatus_t cublasSgemmGroupedBatched(cublasHandle_t handle, const cublasOperation_t transa_array[],
                                         const cublasOperation_t transb_array[], const int m_array[],
                                         const int n_array[], const int k_array[], const float alpha_array[],
                                         const float* const Aarray[], const int lda_array[],
                                         const float* const Barray[], const int ldb_array[],
                                         const float beta_array[], float* const Carray[],
                                         const int ldc_array[], int group_count, const int group_size[]) {
    return intercept_groups(__builtin_return_address(0), EntryPoint::grouped,
                            &RealCublas::cublasSgemmGroupedBatched, grouped_call, handle, transa_array,
                            transb_array, m_array, n_array, k_array, alpha_array, Aarray, lda_array, Barray,
                            ldb_array, beta_array, Carray, ldc_array, group_count, group_size);
}

cublasStatus_t cublasSgemmGroupedBatched_64(cublasHandle_t handle, const cublasOperation_t transa_array[],
                                            const cublasOperation_t transb_array[], const int64_t m_array[],
                                            const int64_t n_array[], const int64_t k_array[],
                                            const float alpha_array[], const float* const Aarray[],
                                            const int64_t lda_array[], const float* const Barray[],
                                            const int64_t ldb_array[], const float beta_array[],
                                            float* const Carray[], const int64_t ldc_array[],
                                            int64_t group_count, const int64_t group_size[]) {
    return intercept_groups(__builtin_return_address(0), EntryPoint::grouped_64,
                            &RealCublas::cublasSgemmGroupedBatched_64, grouped_call, handle, transa_array,
                            transb_array, m_array, n_array, k_array, alpha_array, Aarray, lda_array, Barray,
                            ldb_array, beta_array, Carray, ldc_array, group_count, group_size);
}

cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t handle, const cublasOperation_t transa_array[],
                                          const cublasOperation_t transb_array[], const int m_array[],
                                          const int n_array[], const int k_array[], const void* alpha_array,
                                          const void* const Aarray[], cudaDataType_t Atype,
                                          const int lda_array[], const void* const Barray[],
                                          cudaDataType_t Btype, const int ldb_array[], const void* beta_array,
                                          void* const Carray[], cudaDataType_t Ctype, const int ldc_array[],
                                          int group_count, const int group_size[],
                                          cublasComputeType_t computeType) {
    return intercept_groups(__builtin_return_address(0), EntryPoint::grouped_ex,
                            &RealCublas::cublasGemmGroupedBatchedEx, grouped_ex_call, handle, transa_array,
                            transb_array, m_array, n_array, k_array, alpha_array, Aarray, Atype, lda_array,
                            Barray, Btype, ldb_array, beta_array, Carray, Ctype, ldc_array, group_count,
                            group_size, computeType);
}

cublasStatus_t cublasGemmGroupedBatchedEx_64(
    cublasHandle_t handle, const cublasOperation_t transa_array[], const cublasOperation_t transb_array[],
    const int64_t m_array[], const int64_t n_array[], const int64_t k_array[], const void* alpha_array,
    const void* const Aarray[], cudaDataType_t Atype, const int64_t lda_array[], const void* const Barray[],
    cudaDataType_t Btype, const int64_t ldb_array[], const void* beta_array, void* const Carray[],
    cudaDataType_t Ctype, const int64_t ldc_array[], int64_t group_count, const int64_t group_size[],
    cublasComputeType_t computeType) {
    return intercept_groups(__builtin_return_address(0), EntryPoint::grouped_ex_64,
                            &RealCublas::cublasGemmGroupedBatchedEx_64, grouped_ex_call, handle, transa_array,
                            transb_array, m_array, n_array, k_array, alpha_array, Aarray, Atype, lda_array,
                            Barray, Btype, ldb_array, beta_array, Carray, Ctype, ldc_array, group_count,
                            group_size, computeType);
}

}  // extern "C"
