#include "cublas_program.hpp"

#include <array>

namespace sgemm_shim::testing {

const char* to_string(CallClass call_class) {
    constexpr const char* names[] = {"ordinary", "tf32",      "math_mode", "invalid",
                                     "empty",    "no_handle", "logging",   "sm_target"};
    static_assert(std::size(names) == static_cast<std::size_t>(CallClass::count));
    return names[static_cast<std::size_t>(call_class)];
}

std::atomic<int>& calls_made(CallClass call_class) {
    static std::array<std::atomic<int>, static_cast<std::size_t>(CallClass::count)> counts{};
    return counts[static_cast<std::size_t>(call_class)];
}

void check_cublas(cublasStatus_t status, const char* what) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
}

CublasCase::CublasCase(const GemmCase& gemm_case)
    : case_(gemm_case),
      problem_(make_problem(gemm_case)),
      a_(problem_.a.values),
      b_(problem_.b.values),
      c_(problem_.c.values),
      scalars_(std::vector<float>{gemm_case.alpha, gemm_case.beta}) {}

cublasStatus_t CublasCase::call(cublasHandle_t handle, EntryWidth width, CallClass call_class) {
    ++calls_made(call_class);
    const bool on_device = case_.pointer_mode == PointerMode::device;
    const float host_scalars[] = {case_.alpha, case_.beta};
    const float* scalars = on_device ? scalars_.data() : host_scalars;
    if (handle != nullptr)
        check_cublas(
            cublasSetPointerMode(handle, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST),
            "cublasSetPointerMode");
    const auto operation_a = static_cast<cublasOperation_t>(case_.operation_a);
    const auto operation_b = static_cast<cublasOperation_t>(case_.operation_b);
    if (width == EntryWidth::bits_64) {
        return cublasSgemm_64(handle, operation_a, operation_b, case_.m, case_.n, case_.k, scalars, a_.data(),
                              case_.lda, b_.data(), case_.ldb, scalars + 1, c_.data(), case_.ldc);
    }
    const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
    return cublasSgemm(handle, operation_a, operation_b, narrow(case_.m), narrow(case_.n), narrow(case_.k),
                       scalars, a_.data(), narrow(case_.lda), b_.data(), narrow(case_.ldb), scalars + 1,
                       c_.data(), narrow(case_.ldc));
}

std::string CublasCase::finding() {
    const Comparison comparison = compare(problem_, c_.download(), expect(case_, problem_));
    c_.upload(problem_.c.values);
    return comparison.wrong == 0 ? "" : to_line(case_) + ": " + comparison.first;
}

void CublasCase::change_device_scalars(float alpha, float beta) {
    case_.alpha = alpha;
    case_.beta = beta;
    scalars_.upload(std::vector<float>{alpha, beta});
}

std::string run_case(const GemmCase& gemm_case, cublasHandle_t handle, EntryWidth width) {
    CublasCase product(gemm_case);
    const cublasStatus_t status = product.call(handle, width);
    if (status != CUBLAS_STATUS_SUCCESS)
        return to_line(gemm_case) + ": status " + std::to_string(static_cast<int>(status));
    cudaStream_t stream = nullptr;
    check_cublas(cublasGetStream(handle, &stream), "cublasGetStream");
    check_cuda(cudaStreamSynchronize(stream), "the product");
    return product.finding();
}

}  // namespace sgemm_shim::testing
