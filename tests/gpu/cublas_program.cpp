#include "cublas_program.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "cublas_groups.hpp"

#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    const char* reason = sgemm_shim::testing::reason_without_gpu();
    if (reason == nullptr) std::atexit(sgemm_shim::testing::report_calls);
    return reason;
}

namespace sgemm_shim::testing {
namespace {

constexpr auto class_count = static_cast<std::size_t>(CallClass::count);
constexpr auto function_count = static_cast<std::size_t>(Function::count);
static_assert(std::size(every_function) == function_count);

/// Calls of one class.
struct ClassCounts {
    std::atomic<int> all{0};
    std::atomic<int> of_function[function_count][std::size(both_widths)]{};
};

ClassCounts& counts_of(CallClass call_class) {
    static std::array<ClassCounts, class_count> counts{};
    return counts[static_cast<std::size_t>(call_class)];
}

std::atomic<int>& count_of(CallClass call_class, const Entry& entry) {
    return counts_of(call_class)
        .of_function[static_cast<std::size_t>(entry.function)][static_cast<std::size_t>(entry.width)];
}

std::vector<float*> addresses(float* first, const OperandLayout& layout) {
    std::vector<float*> result;
    for (std::int64_t matrix = 0; matrix < layout.batch_count; ++matrix)
        result.push_back(first + layout.offset(matrix));
    return result;
}

int narrowed(std::int64_t size) {
    return static_cast<int>(size);
}
template <class Other>
Other narrowed(Other other) {
    return other;
}

/// One of the twins. Sizes come as std::int64_t; strides, which are long long in both, as that.
template <class Narrow, class Wide, class... Arguments>
cublasStatus_t call_either(EntryWidth width, Narrow narrow, Wide wide, Arguments... arguments) {
    return width == EntryWidth::bits_64 ? wide(arguments...) : narrow(narrowed(arguments)...);
}

// Overloaded in cublas_v2.h.
constexpr auto gemm_ex = [](auto... arguments) { return cublasGemmEx(arguments...); };
constexpr auto strided_ex = [](auto... arguments) { return cublasGemmStridedBatchedEx(arguments...); };
constexpr auto batched_ex = [](auto... arguments) { return cublasGemmBatchedEx(arguments...); };

}  // namespace

const char* to_string(CallClass call_class) {
    constexpr const char* names[] = {"ordinary",  "further_group", "tf32",         "math_mode",
                                     "invalid",   "empty",         "no_handle",    "logging",
                                     "sm_target", "data_type",     "compute_type", "algorithm"};
    static_assert(std::size(names) == class_count);
    return names[static_cast<std::size_t>(call_class)];
}

std::string symbol_of(const Entry& entry) {
    constexpr const char* names[] = {"cublasSgemm_v2",
                                     "cublasSgemmStridedBatched",
                                     "cublasSgemmBatched",
                                     "cublasSgemmEx",
                                     "cublasGemmEx",
                                     "cublasGemmStridedBatchedEx",
                                     "cublasGemmBatchedEx",
                                     "cublasSgemmGroupedBatched",
                                     "cublasGemmGroupedBatchedEx"};
    static_assert(std::size(names) == function_count);
    return std::string(names[static_cast<std::size_t>(entry.function)]) +
           (entry.width == EntryWidth::bits_64 ? "_64" : "");
}

std::atomic<int>& calls_made(CallClass call_class) {
    return counts_of(call_class).all;
}

void count_call(CallClass call_class, const Entry& entry) {
    ++calls_made(call_class);
    ++count_of(call_class, entry);
}

void report_calls() {
    for (std::size_t i = 0; i < class_count; ++i) {
        const auto call_class = static_cast<CallClass>(i);
        std::printf("calls: %s %d\n", to_string(call_class), calls_made(call_class).load());
        for (const Function function : every_function) {
            for (const EntryWidth width : both_widths) {
                const Entry entry(function, width);
                const int count = count_of(call_class, entry);
                if (count > 0 || call_class == CallClass::ordinary)
                    std::printf("calls: %s %d %s\n", to_string(call_class), count, symbol_of(entry).c_str());
            }
        }
    }
}

CublasCase::CublasCase(const GemmCase& gemm_case)
    : case_(gemm_case),
      problem_(make_problem(gemm_case)),
      a_(problem_.a.values),
      b_(problem_.b.values),
      c_(problem_.c.values),
      scalars_(std::vector<float>{gemm_case.alpha, gemm_case.beta}),
      a_array_(addresses(a_.data(), problem_.a.layout)),
      b_array_(addresses(b_.data(), problem_.b.layout)),
      c_array_(addresses(c_.data(), problem_.c.layout)) {}

cublasStatus_t CublasCase::call(cublasHandle_t handle, const Entry& entry, CallClass call_class) {
    count_call(call_class, entry);
    const bool on_device = case_.pointer_mode == PointerMode::device;
    const float host_scalars[] = {case_.alpha, case_.beta};
    const float* alpha = on_device ? scalars_.data() : host_scalars;
    const float* beta = alpha + 1;
    if (handle != nullptr)
        check_cublas(
            cublasSetPointerMode(handle, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST),
            "cublasSetPointerMode");

    const std::int64_t lda = case_.lda, ldb = case_.ldb, ldc = case_.ldc, batch_count = case_.batch_count;
    const long long stride_a = case_.stride_a, stride_b = case_.stride_b, stride_c = case_.stride_c;
    const float* a = a_.data() + problem_.a.layout.offset(0);
    const float* b = b_.data() + problem_.b.layout.offset(0);
    float* c = c_.data() + problem_.c.layout.offset(0);
    const auto a_array = reinterpret_cast<const void* const*>(a_array_.data());
    const auto b_array = reinterpret_cast<const void* const*>(b_array_.data());
    const auto c_array = reinterpret_cast<void* const*>(c_array_.data());

    const auto call_twin = [&](auto narrow, auto wide, auto... rest) {
        return call_either(
            entry.width, narrow, wide, handle, static_cast<cublasOperation_t>(case_.operation_a),
            static_cast<cublasOperation_t>(case_.operation_b), case_.m, case_.n, case_.k, alpha, rest...);
    };
    constexpr cudaDataType type = CUDA_R_32F;
    switch (entry.function) {
        case Function::sgemm:
            return call_twin(cublasSgemm, cublasSgemm_64, a, lda, b, ldb, beta, c, ldc);
        case Function::strided_batched:
            return call_twin(cublasSgemmStridedBatched, cublasSgemmStridedBatched_64, a, lda, stride_a, b,
                             ldb, stride_b, beta, c, ldc, stride_c, batch_count);
        case Function::batched:
            return call_twin(cublasSgemmBatched, cublasSgemmBatched_64, a_array_.data(), lda, b_array_.data(),
                             ldb, beta, c_array_.data(), ldc, batch_count);
        case Function::sgemm_ex:
            return call_twin(cublasSgemmEx, cublasSgemmEx_64, a, type, lda, b, type, ldb, beta, c, type, ldc);
        case Function::gemm_ex:
            return call_twin(gemm_ex, cublasGemmEx_64, a, type, lda, b, type, ldb, beta, c, type, ldc,
                             entry.compute_type, entry.algorithm);
        case Function::strided_batched_ex:
            return call_twin(strided_ex, cublasGemmStridedBatchedEx_64, a, type, lda, stride_a, b, type, ldb,
                             stride_b, beta, c, type, ldc, stride_c, batch_count, entry.compute_type,
                             entry.algorithm);
        case Function::batched_ex:
            return call_twin(batched_ex, cublasGemmBatchedEx_64, a_array, type, lda, b_array, type, ldb, beta,
                             c_array, type, ldc, batch_count, entry.compute_type, entry.algorithm);
        case Function::grouped:
        case Function::grouped_ex:
            return call_groups(handle, entry, {&case_, 1},
                               {a_array_.data(), b_array_.data(), c_array_.data()},
                               on_device ? scalars_.data() : nullptr);
        case Function::count:
            break;
    }
    throw std::invalid_argument("no such function");
}

std::string CublasCase::finding() {
    const Comparison comparison = compare(problem_, c_.download(), expect(case_, problem_));
    restore();
    return comparison.wrong == 0 ? "" : to_line(case_) + ": " + comparison.first;
}

void CublasCase::change_device_scalars(float alpha, float beta) {
    case_.alpha = alpha;
    case_.beta = beta;
    scalars_.upload(std::vector<float>{alpha, beta});
}

std::string run_case(const GemmCase& gemm_case, cublasHandle_t handle, const Entry& entry,
                     CallClass call_class) {
    CublasCase product(gemm_case);
    const cublasStatus_t status = product.call(handle, entry, call_class);
    const std::string what = symbol_of(entry) + " " + to_line(gemm_case);
    if (status != CUBLAS_STATUS_SUCCESS) return what + ": status " + std::to_string(static_cast<int>(status));
    cudaStream_t stream = nullptr;
    check_cublas(cublasGetStream(handle, &stream), "cublasGetStream");
    check_cuda(cudaStreamSynchronize(stream), what.c_str());
    const std::string finding = product.finding();
    return finding.empty() ? "" : symbol_of(entry) + " " + finding;
}

}  // namespace sgemm_shim::testing
