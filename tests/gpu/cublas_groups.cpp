#include "cublas_groups.hpp"

namespace sgemm_shim::testing {
namespace {

/// The host arrays of a call, one element for each group.
template <class Size>
struct HostArrays {
    std::vector<cublasOperation_t> transa, transb;
    std::vector<Size> m, n, k, lda, ldb, ldc, size;
    std::vector<float> alpha, beta;

    explicit HostArrays(std::span<const GemmCase> cases) {
        // So that the arrays are there for a call without groups, too.
        for (auto* sizes : {&m, &n, &k, &lda, &ldb, &ldc, &size}) sizes->reserve(1);
        for (auto* operations : {&transa, &transb}) operations->reserve(1);
        for (auto* scalars : {&alpha, &beta}) scalars->reserve(1);
        for (const GemmCase& group : cases) {
            transa.push_back(static_cast<cublasOperation_t>(group.operation_a));
            transb.push_back(static_cast<cublasOperation_t>(group.operation_b));
            m.push_back(static_cast<Size>(group.m));
            n.push_back(static_cast<Size>(group.n));
            k.push_back(static_cast<Size>(group.k));
            lda.push_back(static_cast<Size>(group.lda));
            ldb.push_back(static_cast<Size>(group.ldb));
            ldc.push_back(static_cast<Size>(group.ldc));
            size.push_back(static_cast<Size>(group.batch_count));
            alpha.push_back(group.alpha);
            beta.push_back(group.beta);
        }
    }
};

template <class Size, class Plain, class Typed>
cublasStatus_t call_with_sizes(cublasHandle_t handle, const Entry& entry, std::span<const GemmCase> cases,
                               const MatrixPointers& matrices, const float* device_scalars, Plain plain,
                               Typed typed) {
    const HostArrays<Size> host(cases);
    const float* alpha = device_scalars != nullptr ? device_scalars : host.alpha.data();
    const float* beta = device_scalars != nullptr ? device_scalars + 1 : host.beta.data();
    const auto count = static_cast<Size>(cases.size());
    if (entry.function == Function::grouped)
        return plain(handle, host.transa.data(), host.transb.data(), host.m.data(), host.n.data(),
                     host.k.data(), alpha, matrices.a, host.lda.data(), matrices.b, host.ldb.data(), beta,
                     matrices.c, host.ldc.data(), count, host.size.data());
    constexpr cudaDataType type = CUDA_R_32F;
    return typed(handle, host.transa.data(), host.transb.data(), host.m.data(), host.n.data(), host.k.data(),
                 alpha, reinterpret_cast<const void* const*>(matrices.a), type, host.lda.data(),
                 reinterpret_cast<const void* const*>(matrices.b), type, host.ldb.data(), beta,
                 reinterpret_cast<void* const*>(matrices.c), type, host.ldc.data(), count, host.size.data(),
                 entry.compute_type);
}

std::vector<std::unique_ptr<CublasCase>> groups_of(std::initializer_list<const char*> lines) {
    std::vector<std::unique_ptr<CublasCase>> groups;
    for (const char* line : lines) groups.push_back(std::make_unique<CublasCase>(line));
    return groups;
}

/// The pointers that `member` of each group has on the device, one group behind the other.
template <class Member>
std::vector<float*> joined(const std::vector<std::unique_ptr<CublasCase>>& groups, Member member) {
    std::vector<float*> all;
    for (const auto& group : groups) {
        const std::vector<float*> own = ((*group).*member)().download();
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

}  // namespace

cublasStatus_t call_groups(cublasHandle_t handle, const Entry& entry, std::span<const GemmCase> cases,
                           const MatrixPointers& matrices, const float* device_scalars) {
    return entry.width == EntryWidth::bits_64
               ? call_with_sizes<std::int64_t>(handle, entry, cases, matrices, device_scalars,
                                               cublasSgemmGroupedBatched_64, cublasGemmGroupedBatchedEx_64)
               : call_with_sizes<int>(handle, entry, cases, matrices, device_scalars,
                                      cublasSgemmGroupedBatched, cublasGemmGroupedBatchedEx);
}

GroupedCase::GroupedCase(std::initializer_list<const char*> lines)
    : groups_(groups_of(lines)),
      a_(joined(groups_, &CublasCase::a_pointers)),
      b_(joined(groups_, &CublasCase::b_pointers)),
      c_(joined(groups_, &CublasCase::c_pointers)) {
    for (const auto& group : groups_) cases_.push_back(group->description());
}

cublasStatus_t GroupedCase::call(cublasHandle_t handle, const Entry& entry) {
    for (std::size_t group = 0; group < groups_.size(); ++group)
        count_call(group == 0 ? CallClass::ordinary : CallClass::further_group, entry);
    check_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
    return call_groups(handle, entry, cases_, {a_.data(), b_.data(), c_.data()});
}

std::string GroupedCase::finding() {
    std::string first;
    for (const auto& group : groups_) {
        const std::string finding = group->finding();
        if (first.empty()) first = finding;
    }
    return first;
}

}  // namespace sgemm_shim::testing
