// The part of end_to_end about what a call asks for beyond its sizes: data types, compute types, algorithms,
// TF32.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cublas_program.hpp"

namespace sgemm_shim::testing {
namespace {

/// One product, exact in TF32 too, of operands that suit the tensor cores.
constexpr const char* aligned_line = "ops=TN m=64 n=48 k=32 alpha=2 beta=1 data=integers";
constexpr int fine_m = 256;

/// What `multiply` (of A, B and C, 256 x 256) makes of sums that are 256 in TF32 and 256 + 2^-4 in FP32:
/// 1 + 2^-12 is 1 in TF32.
template <class Multiply>
void check_reduced(Multiply multiply) {
    const std::size_t size = fine_m * fine_m;
    const DeviceArray<float> a(std::vector<float>(size, 1.0f + 0x1p-12f)), b(std::vector<float>(size, 1.0f)),
        c(size);
    CHECK(multiply(a.data(), b.data(), c.data()) == CUBLAS_STATUS_SUCCESS);
    check_cuda(cudaDeviceSynchronize(), "the product");
    int major = 0;
    check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "capability");
    if (major >= 8) CHECK(c.download()[77] == 256.0f);
}

TEST_CASE("TF32 that the program allowed is TF32 still") {
    const Handle handle;
    check_cublas(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH), "cublasSetMathMode");
    check_reduced([&](const float* a, const float* b, float* c) {
        const float one = 1.0f, zero = 0.0f;
        count_call(CallClass::tf32);
        return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, fine_m, fine_m, fine_m, &one, a, fine_m, b,
                           fine_m, &zero, c, fine_m);
    });
    for (const Function function : every_function) {
        for (const EntryWidth width : both_widths)
            CHECK(run_case(parse_case(aligned_line), handle, {function, width}, CallClass::tf32) == "");
    }
    for (const cublasMath_t exact :
         {CUBLAS_DEFAULT_MATH, CUBLAS_PEDANTIC_MATH,
          static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)}) {
        check_cublas(cublasSetMathMode(handle, exact), "cublasSetMathMode");
        CHECK(run_case(parse_case("m=256 n=256 k=256 data=fine_a"), handle) == "");
    }
}

TEST_CASE("TF32 that a call asks for by its compute type is TF32 still") {
    const Handle handle;
    check_reduced([&](const float* a, const float* b, float* c) {
        const float one = 1.0f, zero = 0.0f;
        count_call(CallClass::compute_type, {Function::gemm_ex, EntryWidth::bits_32});
        return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, fine_m, fine_m, fine_m, &one, a, CUDA_R_32F,
                            fine_m, b, CUDA_R_32F, fine_m, &zero, c, CUDA_R_32F, fine_m,
                            CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT);
    });
    for (const Function function : functions_with_compute_type) {
        for (const EntryWidth width : both_widths)
            CHECK(run_case(parse_case(aligned_line), handle, {function, width, CUBLAS_COMPUTE_32F_FAST_TF32},
                           CallClass::compute_type) == "");
    }
    for (const EntryWidth width : both_widths)
        CHECK(run_case(parse_case(aligned_line), handle,
                       {Function::grouped_ex, width, CUBLAS_COMPUTE_32F_FAST_TF32},
                       CallClass::compute_type) == "");
}

TEST_CASE("functions that name their types: FP32 by every compute type and algorithm that means it") {
    const Handle handle;
    const char* const lines[] = {"ops=TN m=129 n=65 k=17 lda=18 ldb=19 ldc=133 data=random",
                                 "ops=NN m=96 n=40 k=128 data=fine_b",
                                 "ops=NT m=64 n=128 k=32 alpha=-1 beta=0.5 scalars=device data=integers"};
    for (const char* line : lines) {
        const GemmCase gemm_case = parse_case(line);
        for (const EntryWidth width : both_widths) {
            CHECK(run_case(gemm_case, handle, {Function::sgemm_ex, width}) == "");
            for (const Function function : functions_with_compute_type) {
                for (const cublasComputeType_t type : {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC}) {
                    for (const cublasGemmAlgo_t algorithm :
                         {CUBLAS_GEMM_DEFAULT, CUBLAS_GEMM_DEFAULT_TENSOR_OP})
                        CHECK(run_case(gemm_case, handle, {function, width, type, algorithm}) == "");
                }
            }
            for (const cublasGemmAlgo_t algorithm :
                 {CUBLAS_GEMM_ALGO0, CUBLAS_GEMM_ALGO7, CUBLAS_GEMM_ALGO23, CUBLAS_GEMM_ALGO0_TENSOR_OP,
                  CUBLAS_GEMM_ALGO15_TENSOR_OP})
                CHECK(run_case(gemm_case, handle,
                               {Function::gemm_ex, width, CUBLAS_COMPUTE_32F, algorithm}) == "");
        }
    }
}

TEST_CASE("FP16 matrices are left to cuBLAS") {
    const Handle handle;
    constexpr int m = 64, matrices = 2;
    constexpr std::size_t size = m * m * matrices;
    constexpr std::uint16_t three_halves = 0x3e00, two = 0x4000;
    const DeviceArray<std::uint16_t> a(std::vector<std::uint16_t>(size, three_halves));
    const DeviceArray<std::uint16_t> b(std::vector<std::uint16_t>(size, two));
    DeviceArray<float> c(size);
    const DeviceArray<const void*> a_array(std::vector<const void*>{a.data(), a.data() + m * m});
    const DeviceArray<const void*> b_array(std::vector<const void*>{b.data(), b.data() + m * m});
    const DeviceArray<void*> c_array(std::vector<void*>{c.data(), c.data() + m * m});
    const float one = 1.0f, zero = 0.0f;
    constexpr cublasOperation_t none = CUBLAS_OP_N;
    constexpr cudaDataType half = CUDA_R_16F, single = CUDA_R_32F;
    constexpr cublasComputeType_t compute_type = CUBLAS_COMPUTE_32F;
    constexpr cublasGemmAlgo_t algorithm = CUBLAS_GEMM_DEFAULT;
    // `count` matrices of C must be there, and no more.
    const auto check = [&](Function function, EntryWidth width, std::size_t count, cublasStatus_t status) {
        count_call(CallClass::data_type, {function, width});
        CHECK(status == CUBLAS_STATUS_SUCCESS);
        check_cuda(cudaDeviceSynchronize(), "the product");
        const std::vector<float> result = c.download();
        const auto right = std::ranges::count(result, 3.0f * m);
        CHECK(static_cast<std::size_t>(right) == count * m * m);
        c.fill_with_nan();
    };
    check(Function::sgemm_ex, EntryWidth::bits_32, 1,
          cublasSgemmEx(handle, none, none, m, m, m, &one, a.data(), half, m, b.data(), half, m, &zero,
                        c.data(), single, m));
    check(Function::sgemm_ex, EntryWidth::bits_64, 1,
          cublasSgemmEx_64(handle, none, none, m, m, m, &one, a.data(), half, m, b.data(), half, m, &zero,
                           c.data(), single, m));
    check(Function::gemm_ex, EntryWidth::bits_32, 1,
          cublasGemmEx(handle, none, none, m, m, m, &one, a.data(), half, m, b.data(), half, m, &zero,
                       c.data(), single, m, compute_type, algorithm));
    check(Function::gemm_ex, EntryWidth::bits_64, 1,
          cublasGemmEx_64(handle, none, none, m, m, m, &one, a.data(), half, m, b.data(), half, m, &zero,
                          c.data(), single, m, compute_type, algorithm));
    check(Function::strided_batched_ex, EntryWidth::bits_32, 2,
          cublasGemmStridedBatchedEx(handle, none, none, m, m, m, &one, a.data(), half, m, m * m, b.data(),
                                     half, m, m * m, &zero, c.data(), single, m, m * m, matrices,
                                     compute_type, algorithm));
    check(Function::strided_batched_ex, EntryWidth::bits_64, 2,
          cublasGemmStridedBatchedEx_64(handle, none, none, m, m, m, &one, a.data(), half, m, m * m, b.data(),
                                        half, m, m * m, &zero, c.data(), single, m, m * m, matrices,
                                        compute_type, algorithm));
    check(Function::batched_ex, EntryWidth::bits_32, 2,
          cublasGemmBatchedEx(handle, none, none, m, m, m, &one, a_array.data(), half, m, b_array.data(),
                              half, m, &zero, c_array.data(), single, m, matrices, compute_type, algorithm));
    check(
        Function::batched_ex, EntryWidth::bits_64, 2,
        cublasGemmBatchedEx_64(handle, none, none, m, m, m, &one, a_array.data(), half, m, b_array.data(),
                               half, m, &zero, c_array.data(), single, m, matrices, compute_type, algorithm));
}

TEST_CASE("batches and typed calls that are illegal or empty have cuBLAS's own answer") {
    const Handle handle;
    for (const EntryWidth width : both_widths) {
        for (const Function function : every_function) {
            CublasCase product(aligned_line);
            CHECK(product.call(nullptr, {function, width}, CallClass::no_handle) ==
                  CUBLAS_STATUS_NOT_INITIALIZED);
        }
        for (const Function function : {Function::strided_batched, Function::batched}) {
            GemmCase gemm_case = parse_case("m=8 n=8 k=8 beta=1 data=integers");
            const auto status_with_batch = [&](std::int64_t batch_count, CallClass call_class) {
                CublasCase product(gemm_case);
                product.change_batch_count(batch_count);
                return product.call(handle, {function, width}, call_class);
            };
            CHECK(status_with_batch(0, CallClass::empty) == CUBLAS_STATUS_SUCCESS);
            CHECK(status_with_batch(-1, CallClass::invalid) == CUBLAS_STATUS_INVALID_VALUE);
        }
        for (const int algorithm : {-2, 24, 98, 116}) {
            CublasCase product(aligned_line);
            CHECK(product.call(handle,
                               {Function::gemm_ex, width, CUBLAS_COMPUTE_32F,
                                static_cast<cublasGemmAlgo_t>(algorithm)},
                               CallClass::algorithm) == CUBLAS_STATUS_INVALID_VALUE);
        }
    }
    check_cuda(cudaDeviceSynchronize(), "nothing to do");
    CHECK(run_case(parse_case(aligned_line), handle) == "");
}

}  // namespace
}  // namespace sgemm_shim::testing
