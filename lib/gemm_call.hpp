// The one value that every intercepted entry point becomes, in BLAS terms: column-major storage, sizes and
// leading dimensions in elements.
//
//     C[b] = alpha * op(A[b]) * op(B[b]) + beta * C[b]      for b = 0 .. batch_count - 1
//
// op(A) is m x k, op(B) is k x n, C is m x n.
#pragma once

#include <cstdint>

namespace sgemm_shim {

/// The values of cublasOperation_t. A call may carry any other integer here; validate() finds it.
enum class Operation : int { none = 0, transpose = 1, conjugate_transpose = 2 };

enum class PointerMode : std::uint8_t { host, device, unknown };

/// The arithmetic that the program's settings allow for a call.
enum class Precision : std::uint8_t {
    fp32,   ///< IEEE FP32 products and sums
    tf32,   ///< the program allowed TF32 tensor cores
    other,  ///< anything else (FP16, BF16, emulation, unknown): not ours to serve
};

/// What the arguments of an Ex function ask for: FP32 matrices and FP32 arithmetic, or the first thing that
/// is something else, in the order in which it is looked for.
enum class Demand : std::uint8_t { fp32, data_type, compute_type, algorithm };

/// A batch of equally shaped matrices in device memory. Either `first` and `stride` (matrix b starts at
/// first + b * stride elements; the stride may be zero or negative) or `array` (a device array of one
/// pointer for each matrix) locates them; the other is unused. A, B and C of a call are located the same way:
/// what C has counts.
template <class Element>
struct MatrixBatch {
    Element* first = nullptr;
    Element* const* array = nullptr;
    std::int64_t leading_dimension = 0;
    std::int64_t stride = 0;
};

struct GemmCall {
    Operation operation_a = Operation::none;
    Operation operation_b = Operation::none;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    /// Host or device memory, see pointer_mode. Never read before plan() agrees.
    const float* alpha = nullptr;
    const float* beta = nullptr;
    MatrixBatch<const float> a;
    MatrixBatch<const float> b;
    MatrixBatch<float> c;
    std::int64_t batch_count = 1;
    Demand demand = Demand::fp32;
    /// Set from the handle, after the arguments.
    PointerMode pointer_mode = PointerMode::unknown;
    Precision precision = Precision::fp32;
};

/// What cuBLAS itself would do with the arguments of a call, before any arithmetic.
enum class Validity : std::uint8_t {
    computes,      ///< every argument is legal and there is a product to compute
    invalid,       ///< cuBLAS answers CUBLAS_STATUS_INVALID_VALUE and prints a line about it
    empty,         ///< legal, but m, n, k or the batch count is 0
    null_pointer,  ///< a pointer is NULL where only some values of the scalars make that legal
};

/// Judges sizes, operations, leading dimensions and NULL pointers in the order in which cuBLAS does
/// (measured, cuBLAS 13.1: illegal values come before empty sizes). Dereferences nothing.
Validity validate(const GemmCall& call);

/// 2 m n k for each matrix of the batch. Exact up to 2^53, and monotone beyond.
double flop_count(const GemmCall& call);

/// Judges the cudaDataType of A, B and C, the cublasComputeType_t and the cublasGemmAlgo_t of an Ex function.
/// FP32 are CUDA_R_32F with CUBLAS_COMPUTE_32F or CUBLAS_COMPUTE_32F_PEDANTIC and any algorithm that cuBLAS
/// accepts (measured, cuBLAS 13.1: none of them changes the arithmetic of these).
Demand demand_of_arguments(int type_a, int type_b, int type_c, int compute_type, int algorithm);

/// The same for cublasSgemmEx, which has data types only.
Demand demand_of_types(int type_a, int type_b, int type_c);

/// The precision that a cublasMath_t asks of cublasSgemm: FP32 for CUBLAS_DEFAULT_MATH and
/// CUBLAS_PEDANTIC_MATH, with or without CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION; TF32 for
/// CUBLAS_TF32_TENSOR_OP_MATH and the deprecated CUBLAS_TENSOR_OP_MATH likewise.
Precision precision_of_math_mode(int math_mode);

}  // namespace sgemm_shim
