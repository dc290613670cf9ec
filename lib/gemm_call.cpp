#include "gemm_call.hpp"

namespace sgemm_shim {
namespace {

bool is_operation(Operation operation) {
    return operation == Operation::none || operation == Operation::transpose ||
           operation == Operation::conjugate_transpose;
}

std::int64_t at_least_one(std::int64_t value) {
    return value > 1 ? value : 1;
}

template <class Element>
bool is_null(const MatrixBatch<Element>& matrices) {
    return matrices.first == nullptr && matrices.array == nullptr;
}

}  // namespace

Validity validate(const GemmCall& call) {
    if (!is_operation(call.operation_a) || !is_operation(call.operation_b)) return Validity::invalid;
    if (call.m < 0 || call.n < 0 || call.k < 0 || call.batch_count < 0) return Validity::invalid;

    const std::int64_t rows_a = call.operation_a == Operation::none ? call.m : call.k;
    const std::int64_t rows_b = call.operation_b == Operation::none ? call.k : call.n;
    if (call.a.leading_dimension < at_least_one(rows_a) || call.b.leading_dimension < at_least_one(rows_b) ||
        call.c.leading_dimension < at_least_one(call.m)) {
        return Validity::invalid;
    }

    if (call.m == 0 || call.n == 0 || call.k == 0 || call.batch_count == 0) return Validity::empty;
    if (call.alpha == nullptr || call.beta == nullptr || is_null(call.a) || is_null(call.b) ||
        is_null(call.c)) {
        return Validity::null_pointer;
    }
    return Validity::computes;
}

double flop_count(const GemmCall& call) {
    return 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k) *
           static_cast<double>(call.batch_count);
}

Demand demand_of_types(int type_a, int type_b, int type_c) {
    constexpr int real_32 = 0;  // CUDA_R_32F
    return type_a == real_32 && type_b == real_32 && type_c == real_32 ? Demand::fp32 : Demand::data_type;
}

Demand demand_of_arguments(int type_a, int type_b, int type_c, int compute_type, int algorithm) {
    if (demand_of_types(type_a, type_b, type_c) != Demand::fp32) return Demand::data_type;
    constexpr int compute_32 = 68;           // CUBLAS_COMPUTE_32F
    constexpr int compute_32_pedantic = 69;  // CUBLAS_COMPUTE_32F_PEDANTIC
    if (compute_type != compute_32 && compute_type != compute_32_pedantic) return Demand::compute_type;
    // CUBLAS_GEMM_DEFAULT; CUBLAS_GEMM_ALGO0 to 23; CUBLAS_GEMM_DEFAULT_TENSOR_OP,
    // CUBLAS_GEMM_ALGO0_TENSOR_OP to 15.
    const bool is_known =
        algorithm == -1 || (algorithm >= 0 && algorithm <= 23) || (algorithm >= 99 && algorithm <= 115);
    return is_known ? Demand::fp32 : Demand::algorithm;
}

Precision precision_of_math_mode(int math_mode) {
    constexpr int disallow_reduced_precision_reduction = 16;
    switch (math_mode & ~disallow_reduced_precision_reduction) {
        case 0:  // CUBLAS_DEFAULT_MATH
        case 2:  // CUBLAS_PEDANTIC_MATH
            return Precision::fp32;
        case 1:  // CUBLAS_TENSOR_OP_MATH
        case 3:  // CUBLAS_TF32_TENSOR_OP_MATH
            return Precision::tf32;
        default:
            return Precision::other;
    }
}

}  // namespace sgemm_shim
