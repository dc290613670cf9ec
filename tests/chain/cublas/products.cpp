// The products of the stand-in cuBLAS, on the host's BLAS. Scalars in device memory, pointer arrays and
// operands are read when the stream comes to the product, as the real library's kernels do.
#include <cblas.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "gemm_call.hpp"
#include "handle.hpp"
#include "tests/preload/stand_in.hpp"

namespace {

using sgemm_shim::Demand;
using sgemm_shim::GemmCall;
using sgemm_shim::Operation;
using sgemm_shim::Precision;
using sgemm_shim::Validity;
using stand_in_cublas::is_handle;

/// Read once, as the real library does.
const bool environment_forbids_tf32 = [] {
    const char* value = std::getenv("NVIDIA_TF32_OVERRIDE");
    return value != nullptr && std::string_view(value) == "0";
}();

struct Product {
    GemmCall call;
    std::array<int, 3> types{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F};
    bool rounds_to_tf32 = false;
    float host_alpha = 0, host_beta = 0;
};

/// The 10 bits of fraction that the tensor cores take.
float rounded_to_tf32(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (!std::isfinite(value)) return value;
    return std::bit_cast<float>((bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu);
}

float load(int type, const void* base, std::int64_t index) {
    if (type == CUDA_R_16F) return __half2float(static_cast<const __half*>(base)[index]);
    return static_cast<const float*>(base)[index];
}

void store(int type, void* base, std::int64_t index, float value) {
    if (type == CUDA_R_16F)
        static_cast<__half*>(base)[index] = __float2half_rn(value);
    else
        static_cast<float*>(base)[index] = value;
}

std::size_t bytes_of(int type) {
    return type == CUDA_R_16F ? 2 : 4;
}

template <class Element>
Element* matrix(const sgemm_shim::MatrixBatch<Element>& operand, std::int64_t number, int type) {
    if (operand.array != nullptr) return operand.array[number];
    // A stride counts elements of the call's own type.
    const std::int64_t bytes = number * operand.stride * static_cast<std::int64_t>(bytes_of(type));
    return reinterpret_cast<Element*>(reinterpret_cast<std::uintptr_t>(operand.first) +
                                      static_cast<std::uintptr_t>(bytes));
}

/// op(operand) as rows x columns floats without padding.
std::vector<float> packed(const void* base, int type, std::int64_t leading_dimension, Operation operation,
                          std::int64_t rows, std::int64_t columns, bool rounds) {
    std::vector<float> result(static_cast<std::size_t>(rows * columns));
    for (std::int64_t column = 0; column < columns; ++column) {
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t place = operation == Operation::none ? row + column * leading_dimension
                                                                    : column + row * leading_dimension;
            const float value = load(type, base, place);
            result[static_cast<std::size_t>(row + column * rows)] = rounds ? rounded_to_tf32(value) : value;
        }
    }
    return result;
}

void multiply_matrix(const Product& product, std::int64_t number, float alpha, float beta) {
    const GemmCall& call = product.call;
    const auto m = static_cast<int>(call.m), n = static_cast<int>(call.n), k = static_cast<int>(call.k);
    // Without one, neither A, B nor alpha count.
    const bool has_product = alpha != 0.0f && k > 0;
    std::vector<float> sums(static_cast<std::size_t>(call.m * call.n));
    if (has_product) {
        const std::vector<float> a =
            packed(matrix(call.a, number, product.types[0]), product.types[0], call.a.leading_dimension,
                   call.operation_a, call.m, call.k, product.rounds_to_tf32);
        const std::vector<float> b =
            packed(matrix(call.b, number, product.types[1]), product.types[1], call.b.leading_dimension,
                   call.operation_b, call.k, call.n, product.rounds_to_tf32);
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a.data(), m, b.data(), k, 0.0f,
                    sums.data(), m);
    }
    float* c = matrix(call.c, number, product.types[2]);
    const bool keeps_c = !has_product && beta == 1.0f;
    for (std::int64_t i = 0; i < call.m * call.n && !keeps_c; ++i) {
        const std::int64_t place = i % call.m + i / call.m * call.c.leading_dimension;
        float value = !has_product ? 0.0f : std::fma(alpha, sums[static_cast<std::size_t>(i)], 0.0f);
        if (beta != 0.0f) value = std::fma(beta, load(product.types[2], c, place), value);
        store(product.types[2], c, place, value);
    }
}

void multiply(const Product& product) {
    const bool on_device = product.call.pointer_mode == sgemm_shim::PointerMode::device;
    const float alpha = on_device ? *product.call.alpha : product.host_alpha;
    const float beta = on_device ? *product.call.beta : product.host_beta;
    for (std::int64_t number = 0; number < product.call.batch_count; ++number)
        multiply_matrix(product, number, alpha, beta);
}

/// The number of the argument which validate() refuses, counted as BLAS does: without the handle.
int refused_parameter(const GemmCall& call, bool takes_types) {
    const auto is_operation = [](Operation operation) {
        return operation == Operation::none || operation == Operation::transpose ||
               operation == Operation::conjugate_transpose;
    };
    const auto at_least = [](std::int64_t leading_dimension, std::int64_t rows) {
        return leading_dimension >= std::max<std::int64_t>(1, rows);
    };
    if (!is_operation(call.operation_a)) return 1;
    if (!is_operation(call.operation_b)) return 2;
    if (call.m < 0) return 3;
    if (call.n < 0) return 4;
    if (call.k < 0) return 5;
    if (!at_least(call.a.leading_dimension, call.operation_a == Operation::none ? call.m : call.k))
        return takes_types ? 9 : 8;
    if (!at_least(call.b.leading_dimension, call.operation_b == Operation::none ? call.k : call.n))
        return takes_types ? 12 : 10;
    if (!at_least(call.c.leading_dimension, call.m)) return takes_types ? 16 : 13;
    return takes_types ? 17 : 14;  // the batch count
}

bool is_supported(const Product& product) {
    const auto is_known = [](int type) { return type == CUDA_R_32F || type == CUDA_R_16F; };
    constexpr std::int64_t most = std::numeric_limits<int>::max();  // of the host's BLAS
    const GemmCall& call = product.call;
    return std::ranges::all_of(product.types, is_known) && call.m <= most && call.n <= most && call.k <= most;
}

/// What the real library answers before it computes anything.
cublasStatus_t judge(const char* function, const Product& product) {
    if (!is_supported(product)) return CUBLAS_STATUS_NOT_SUPPORTED;
    const Validity validity = validate(product.call);
    if (validity == Validity::invalid) {
        // Measured for these two names; the other functions are taken to count like them.
        const bool takes_types = std::string_view(function).starts_with("cublasGemm");
        std::printf(" ** On entry to %s  parameter number %d had an illegal value\n",
                    takes_types ? "GEMM_EX" : "SGEMM", refused_parameter(product.call, takes_types));
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return validity == Validity::null_pointer ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

/// The handle, and a context in the calling thread, which the real library does not make.
bool can_begin(const char* function, cublasHandle_t handle) {
    if (!is_handle(handle)) return false;
    stand_in_cublas::log_call(function);
    return software_gpu::current_context() != 0;
}

bool is_in_device_mode(cublasHandle_t handle) {
    return handle->pointer_mode.load(std::memory_order_relaxed) == CUBLAS_POINTER_MODE_DEVICE;
}

cublasStatus_t enqueue(cublasHandle_t handle, Product product) {
    GemmCall& call = product.call;
    if (call.m == 0 || call.n == 0 || call.batch_count == 0) return CUBLAS_STATUS_SUCCESS;
    if (!stand_in_cublas::is_on_current_device(handle)) return CUBLAS_STATUS_EXECUTION_FAILED;
    if (is_in_device_mode(handle)) {
        call.pointer_mode = sgemm_shim::PointerMode::device;
    } else {
        product.host_alpha = *call.alpha;
        product.host_beta = *call.beta;
    }
    const auto math_mode = handle->math_mode.load(std::memory_order_relaxed);
    product.rounds_to_tf32 =
        (product.rounds_to_tf32 || sgemm_shim::precision_of_math_mode(math_mode) == Precision::tf32) &&
        !environment_forbids_tf32;
    // Straight to the device: the real library's runtime is its own, so that nothing of it can show in the
    // program's errors.
    const cudaError_t status =
        software_gpu::enqueue(handle->stream.load(std::memory_order_relaxed), cudaGraphNodeTypeKernel,
                              [product] { multiply(product); });
    return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t run(const char* function, cublasHandle_t handle, const Product& product, bool bad_algorithm) {
    if (!can_begin(function, handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (bad_algorithm) return CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t status = judge(function, product);
    return status == CUBLAS_STATUS_SUCCESS ? enqueue(handle, product) : status;
}

GemmCall shape_of(const StandInCall& arguments) {
    GemmCall call;
    call.operation_a = static_cast<Operation>(arguments.transa);
    call.operation_b = static_cast<Operation>(arguments.transb);
    call.m = arguments.m;
    call.n = arguments.n;
    call.k = arguments.k;
    call.alpha = arguments.alpha;
    call.beta = arguments.beta;
    return call;
}

cublasStatus_t note(const char* function, const StandInCall& arguments) {
    GemmCall call = shape_of(arguments);
    call.a = {arguments.a, nullptr, arguments.lda, 0};
    call.b = {arguments.b, nullptr, arguments.ldb, 0};
    call.c = {arguments.c, nullptr, arguments.ldc, 0};
    return run(function, static_cast<cublasHandle_t>(arguments.handle), {call}, false);
}

/// For stand_in_products.inc.
float* floats(const void* address) {
    return static_cast<float*>(const_cast<void*>(address));
}

bool is_reduced(int compute_type) {
    return compute_type == CUBLAS_COMPUTE_32F_FAST_TF32 || compute_type == CUBLAS_COMPUTE_32F_FAST_16F ||
           compute_type == CUBLAS_COMPUTE_32F_FAST_16BF;
}

cublasStatus_t note_other(std::string_view function, const StandInCall& arguments,
                          const StandInExtras& extras) {
    GemmCall call = shape_of(arguments);
    const bool batched = function.find("Batched") != std::string_view::npos;
    if (batched && function.find("Strided") == std::string_view::npos) {
        call.a = {nullptr, reinterpret_cast<const float* const*>(arguments.a), arguments.lda, 0};
        call.b = {nullptr, reinterpret_cast<const float* const*>(arguments.b), arguments.ldb, 0};
        call.c = {nullptr, reinterpret_cast<float* const*>(arguments.c), arguments.ldc, 0};
    } else {
        call.a = {arguments.a, nullptr, arguments.lda, extras.strides[0]};
        call.b = {arguments.b, nullptr, arguments.ldb, extras.strides[1]};
        call.c = {arguments.c, nullptr, arguments.ldc, extras.strides[2]};
    }
    if (batched) call.batch_count = extras.batch_count;
    Product product{call};
    bool bad_algorithm = false;
    if (function.find("Ex") != std::string_view::npos) product.types = extras.types;
    if (function.starts_with("cublasGemm")) {
        // Asked with FP32 matrices, so that it speaks of the algorithm alone.
        bad_algorithm =
            sgemm_shim::demand_of_arguments(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F,
                                            extras.algorithm) == Demand::algorithm;
        product.rounds_to_tf32 = is_reduced(extras.compute_type);
    }
    return run(function.data(), static_cast<cublasHandle_t>(arguments.handle), product, bad_algorithm);
}

/// All groups or none. The pointers of one group follow those of the group before.
template <class Size>
cublasStatus_t note_groups(const char* function, cublasHandle_t handle, const cublasOperation_t* transa,
                           const cublasOperation_t* transb, const Size* m, const Size* n, const Size* k,
                           const void* alpha, const void* a, const Size* lda, const void* b, const Size* ldb,
                           const void* beta, const void* c, const Size* ldc, Size group_count,
                           const Size* group_size, const StandInExtras& extras = {}) {
    if (!can_begin(function, handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (is_in_device_mode(handle)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (group_count < 0) return CUBLAS_STATUS_INVALID_VALUE;
    std::vector<Product> products;
    Size before = 0;
    for (Size i = 0; i < group_count; ++i) {
        Product product{shape_of({handle, transa[i], transb[i], m[i], n[i], k[i], floats(alpha) + i, nullptr,
                                  lda[i], nullptr, ldb[i], floats(beta) + i, nullptr, ldc[i]})};
        product.call.a = {nullptr, static_cast<const float* const*>(a) + before, lda[i], 0};
        product.call.b = {nullptr, static_cast<const float* const*>(b) + before, ldb[i], 0};
        product.call.c = {nullptr, static_cast<float* const*>(c) + before, ldc[i], 0};
        product.call.batch_count = group_size[i];
        product.types = extras.types;
        product.rounds_to_tf32 = is_reduced(extras.compute_type);
        before += group_size[i];
        products.push_back(product);
    }
    for (const Product& product : products) {
        if (const cublasStatus_t status = judge(function, product); status != CUBLAS_STATUS_SUCCESS)
            return status;
    }
    for (const Product& product : products) {
        if (const cublasStatus_t status = enqueue(handle, product); status != CUBLAS_STATUS_SUCCESS)
            return status;
    }
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              int m, int n, int k, const float* alpha, const float* A, int lda,
                              const float* B, int ldb, const float* beta, float* C, int ldc) {
    return note(__func__, {handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc});
}

cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                 int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
                                 int64_t lda, const float* B, int64_t ldb, const float* beta, float* C,
                                 int64_t ldc) {
    return note(__func__, {handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc});
}

#define NAME(function) function
#define Size int
#include "tests/preload/stand_in_products.inc"
#undef NAME
#undef Size

#define NAME(function) function##_64
#define Size int64_t
#include "tests/preload/stand_in_products.inc"
#undef NAME
#undef Size

}  // extern "C"
