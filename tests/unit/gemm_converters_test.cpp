// Each argument of a cuBLAS function arrives at its place in the GemmCall, whole.
#include "interpose/gemm_converters.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include "sample_calls.hpp"

using namespace sgemm_shim;
using sgemm_shim::testing::address_of_nothing;

namespace {

/// Arguments that are all different. Sizes are `base` and what follows it.
template <class Size>
struct Arguments {
    Size base;
    cublasOperation_t transa = CUBLAS_OP_T;
    cublasOperation_t transb = CUBLAS_OP_C;
    Size m = base, n = base + 1, k = base + 2, lda = base + 3, ldb = base + 4, ldc = base + 5,
         batch_count = base + 6;
    long long stride_a = -(1ll << 40), stride_b = 7, stride_c = std::numeric_limits<long long>::min();
    const float* alpha = address_of_nothing(0x11);
    const float* beta = address_of_nothing(0x12);
    const float* a = address_of_nothing(0x13);
    const float* b = address_of_nothing(0x14);
    float* c = address_of_nothing(0x15);
    const float* const* a_array = reinterpret_cast<const float* const*>(0x16);
    const float* const* b_array = reinterpret_cast<const float* const*>(0x17);
    float* const* c_array = reinterpret_cast<float* const*>(0x18);
};

/// Runs `check(arguments)` for both widths, with sizes up to the last one.
template <class Check>
void for_both_widths(Check check) {
    check(Arguments<int>{100});
    check(Arguments<int>{-3});
    check(Arguments<int>{std::numeric_limits<int>::max() - 6});
    check(Arguments<std::int64_t>{100});
    check(Arguments<std::int64_t>{0x123456789abcdef});
    check(Arguments<std::int64_t>{std::numeric_limits<std::int64_t>::min()});
    check(Arguments<std::int64_t>{std::numeric_limits<std::int64_t>::max() - 6});
}

enum class Batch { none, strided, arrays };

template <class Size>
void check_call(const GemmCall& call, const Arguments<Size>& sent, Batch batch) {
    CHECK(static_cast<int>(call.operation_a) == static_cast<int>(sent.transa));
    CHECK(static_cast<int>(call.operation_b) == static_cast<int>(sent.transb));
    CHECK(call.m == sent.m);
    CHECK(call.n == sent.n);
    CHECK(call.k == sent.k);
    CHECK(call.alpha == sent.alpha);
    CHECK(call.beta == sent.beta);
    CHECK(call.a.leading_dimension == sent.lda);
    CHECK(call.b.leading_dimension == sent.ldb);
    CHECK(call.c.leading_dimension == sent.ldc);
    const bool arrays = batch == Batch::arrays;
    CHECK(call.a.first == (arrays ? nullptr : sent.a));
    CHECK(call.b.first == (arrays ? nullptr : sent.b));
    CHECK(call.c.first == (arrays ? nullptr : sent.c));
    CHECK(call.a.array == (arrays ? sent.a_array : nullptr));
    CHECK(call.b.array == (arrays ? sent.b_array : nullptr));
    CHECK(call.c.array == (arrays ? sent.c_array : nullptr));
    const bool strided = batch == Batch::strided;
    CHECK(call.a.stride == (strided ? sent.stride_a : 0));
    CHECK(call.b.stride == (strided ? sent.stride_b : 0));
    CHECK(call.c.stride == (strided ? sent.stride_c : 0));
    CHECK(call.batch_count == (batch == Batch::none ? std::int64_t{1} : std::int64_t{sent.batch_count}));
    // The handle's, which the arguments do not tell.
    CHECK((call.pointer_mode == PointerMode::unknown));
    CHECK((call.precision == Precision::fp32));
}

constexpr cudaDataType fp32 = CUDA_R_32F, fp16 = CUDA_R_16F;

}  // namespace

TEST_CASE("cublasSgemm, and the batches of FP32 matrices") {
    for_both_widths([](const auto& x) {
        const GemmCall one = sgemm_call(x.transa, x.transb, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b, x.ldb,
                                        x.beta, x.c, x.ldc);
        check_call(one, x, Batch::none);
        CHECK(one.demand == Demand::fp32);
        const GemmCall strided =
            strided_batched_call(x.transa, x.transb, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.stride_a, x.b,
                                 x.ldb, x.stride_b, x.beta, x.c, x.ldc, x.stride_c, x.batch_count);
        check_call(strided, x, Batch::strided);
        CHECK(strided.demand == Demand::fp32);
        const GemmCall arrays = batched_call(x.transa, x.transb, x.m, x.n, x.k, x.alpha, x.a_array, x.lda,
                                             x.b_array, x.ldb, x.beta, x.c_array, x.ldc, x.batch_count);
        check_call(arrays, x, Batch::arrays);
        CHECK(arrays.demand == Demand::fp32);
    });
}

TEST_CASE("functions that name their types: the same, and what they demand") {
    const auto check_types = [](cudaDataType ta, cudaDataType tb, cudaDataType tc,
                                cublasComputeType_t compute_type, int algorithm_number, Demand by_types,
                                Demand by_all) {
        const auto algorithm = static_cast<cublasGemmAlgo_t>(algorithm_number);
        for_both_widths([&](const auto& x) {
            const GemmCall one = sgemm_ex_call(x.transa, x.transb, x.m, x.n, x.k, x.alpha, x.a, ta, x.lda,
                                               x.b, tb, x.ldb, x.beta, x.c, tc, x.ldc);
            check_call(one, x, Batch::none);
            CHECK(one.demand == by_types);
            const GemmCall computing =
                gemm_ex_call(x.transa, x.transb, x.m, x.n, x.k, x.alpha, x.a, ta, x.lda, x.b, tb, x.ldb,
                             x.beta, x.c, tc, x.ldc, compute_type, algorithm);
            check_call(computing, x, Batch::none);
            CHECK(computing.demand == by_all);
            const GemmCall strided = strided_batched_ex_call(
                x.transa, x.transb, x.m, x.n, x.k, x.alpha, x.a, ta, x.lda, x.stride_a, x.b, tb, x.ldb,
                x.stride_b, x.beta, x.c, tc, x.ldc, x.stride_c, x.batch_count, compute_type, algorithm);
            check_call(strided, x, Batch::strided);
            CHECK(strided.demand == by_all);
            const GemmCall arrays = batched_ex_call(x.transa, x.transb, x.m, x.n, x.k, x.alpha, x.a_array, ta,
                                                    x.lda, x.b_array, tb, x.ldb, x.beta, x.c_array, tc, x.ldc,
                                                    x.batch_count, compute_type, algorithm);
            check_call(arrays, x, Batch::arrays);
            CHECK(arrays.demand == by_all);
        });
    };
    constexpr cublasComputeType_t compute_32 = CUBLAS_COMPUTE_32F, tf32 = CUBLAS_COMPUTE_32F_FAST_TF32;
    check_types(fp32, fp32, fp32, compute_32, 99, Demand::fp32, Demand::fp32);
    check_types(fp16, fp32, fp32, compute_32, -1, Demand::data_type, Demand::data_type);
    check_types(fp32, fp16, fp32, compute_32, -1, Demand::data_type, Demand::data_type);
    check_types(fp32, fp32, fp16, compute_32, -1, Demand::data_type, Demand::data_type);
    check_types(fp32, fp32, fp32, tf32, -1, Demand::fp32, Demand::compute_type);
    check_types(fp32, fp32, fp32, compute_32, 24, Demand::fp32, Demand::algorithm);
    check_types(fp32, fp32, fp32, CUBLAS_COMPUTE_32F_PEDANTIC, -1, Demand::fp32, Demand::fp32);
}
