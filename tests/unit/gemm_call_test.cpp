// validate() against the table of measured statuses: contract.md, section 3.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <ostream>

#include "gemm_call.hpp"
#include "sample_calls.hpp"

using namespace sgemm_shim;
using sgemm_shim::testing::legal_call;

namespace sgemm_shim {
std::ostream& operator<<(std::ostream& out, Validity validity) {
    constexpr const char* names[] = {"computes", "invalid", "empty", "null_pointer"};
    return out << names[static_cast<int>(validity)];
}
}  // namespace sgemm_shim

namespace {

constexpr Operation every_operation[] = {Operation::none, Operation::transpose,
                                         Operation::conjugate_transpose};
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

template <class Change>
Validity validity_after(Change change, Operation operation_a = Operation::none,
                        Operation operation_b = Operation::none) {
    GemmCall call = legal_call(operation_a, operation_b);
    change(call);
    return validate(call);
}

}  // namespace

TEST_CASE("every pair of operations computes with its smallest leading dimensions, and not with one less") {
    for (const Operation a : every_operation) {
        for (const Operation b : every_operation) {
            CAPTURE(static_cast<int>(a));
            CAPTURE(static_cast<int>(b));
            CHECK(validate(legal_call(a, b)) == Validity::computes);
            CHECK(validity_after([](GemmCall& c) { --c.a.leading_dimension; }, a, b) == Validity::invalid);
            CHECK(validity_after([](GemmCall& c) { --c.b.leading_dimension; }, a, b) == Validity::invalid);
            CHECK(validity_after([](GemmCall& c) { --c.c.leading_dimension; }, a, b) == Validity::invalid);
            CHECK(validity_after(
                      [](GemmCall& c) {
                          c.a.leading_dimension += 3;
                          c.b.leading_dimension += 5;
                          c.c.leading_dimension = largest;
                      },
                      a, b) == Validity::computes);
        }
    }
}

TEST_CASE("operations other than N, T and C are invalid") {
    for (const int value : {-1, 3, 4, 78, std::numeric_limits<int>::min()}) {
        const auto operation = static_cast<Operation>(value);
        CAPTURE(value);
        CHECK(validity_after([&](GemmCall& c) { c.operation_a = operation; }) == Validity::invalid);
        CHECK(validity_after([&](GemmCall& c) { c.operation_b = operation; }) == Validity::invalid);
    }
}

TEST_CASE("negative sizes and counts are invalid") {
    for (const std::int64_t value : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
        CHECK(validity_after([&](GemmCall& c) { c.m = value; }) == Validity::invalid);
        CHECK(validity_after([&](GemmCall& c) { c.n = value; }) == Validity::invalid);
        CHECK(validity_after([&](GemmCall& c) { c.k = value; }) == Validity::invalid);
        CHECK(validity_after([&](GemmCall& c) { c.batch_count = value; }) == Validity::invalid);
        CHECK(validity_after([&](GemmCall& c) { c.a.leading_dimension = value; }) == Validity::invalid);
        CHECK(validity_after([&](GemmCall& c) { c.b.leading_dimension = value; }) == Validity::invalid);
        CHECK(validity_after([&](GemmCall& c) { c.c.leading_dimension = value; }) == Validity::invalid);
    }
}

TEST_CASE("zero sizes are empty, whatever the pointers are") {
    const auto check_empty = [](auto change) {
        CHECK(validity_after(change) == Validity::empty);
        CHECK(validity_after([&](GemmCall& c) {
                  change(c);
                  c.alpha = c.beta = nullptr;
                  c.a.first = c.b.first = nullptr;
                  c.c.first = nullptr;
              }) == Validity::empty);
    };
    check_empty([](GemmCall& c) { c.m = 0; });
    check_empty([](GemmCall& c) { c.n = 0; });
    check_empty([](GemmCall& c) { c.k = 0; });
    check_empty([](GemmCall& c) { c.batch_count = 0; });
}

TEST_CASE("a zero size asks for leading dimensions of at least 1") {
    for (const Operation a : every_operation) {
        for (const Operation b : every_operation) {
            const auto all_zero = [](GemmCall& c) {
                c.m = c.n = c.k = 0;
                c.a.leading_dimension = c.b.leading_dimension = c.c.leading_dimension = 1;
            };
            CHECK(validity_after(all_zero, a, b) == Validity::empty);
            const auto with_zero = [&](auto choose) {
                return validity_after(
                    [&](GemmCall& c) {
                        all_zero(c);
                        choose(c) = 0;
                    },
                    a, b);
            };
            CHECK(with_zero([](GemmCall & c) -> auto& { return c.a.leading_dimension; }) ==
                  Validity::invalid);
            CHECK(with_zero([](GemmCall & c) -> auto& { return c.b.leading_dimension; }) ==
                  Validity::invalid);
            CHECK(with_zero([](GemmCall & c) -> auto& { return c.c.leading_dimension; }) ==
                  Validity::invalid);
        }
    }
}

TEST_CASE("illegal values are found before empty sizes and NULL pointers") {
    const auto m_is_zero_and = [](auto change) {
        return validity_after([&](GemmCall& c) {
            c.m = 0;
            c.alpha = nullptr;
            change(c);
        });
    };
    CHECK(m_is_zero_and([](GemmCall& c) { c.operation_a = static_cast<Operation>(3); }) == Validity::invalid);
    CHECK(m_is_zero_and([](GemmCall& c) { c.b.leading_dimension = 1; }) == Validity::invalid);
    CHECK(m_is_zero_and([](GemmCall& c) { c.n = -1; }) == Validity::invalid);
    CHECK(m_is_zero_and([](GemmCall& c) { c.batch_count = -1; }) == Validity::invalid);
    CHECK(validity_after([](GemmCall& c) {
              c.batch_count = 0;
              c.a.leading_dimension = 1;
          }) == Validity::invalid);
    CHECK(validity_after([](GemmCall& c) {
              c.alpha = nullptr;
              c.c.leading_dimension = 1;
          }) == Validity::invalid);
}

TEST_CASE("NULL pointers are told apart from illegal values") {
    CHECK(validity_after([](GemmCall& c) { c.alpha = nullptr; }) == Validity::null_pointer);
    CHECK(validity_after([](GemmCall& c) { c.beta = nullptr; }) == Validity::null_pointer);
    CHECK(validity_after([](GemmCall& c) { c.a.first = nullptr; }) == Validity::null_pointer);
    CHECK(validity_after([](GemmCall& c) { c.b.first = nullptr; }) == Validity::null_pointer);
    CHECK(validity_after([](GemmCall& c) { c.c.first = nullptr; }) == Validity::null_pointer);
    CHECK(validity_after([](GemmCall& c) {
              c.a.first = c.b.first = c.c.first = nullptr;
              c.a.array = c.b.array = reinterpret_cast<const float* const*>(0x10);
              c.c.array = reinterpret_cast<float* const*>(0x10);
          }) == Validity::computes);
}

TEST_CASE("sizes beyond 32 bits are judged as they are") {
    constexpr std::int64_t large = (std::int64_t{1} << 32) + 5;  // 5 if its upper half were lost
    CHECK(validity_after([&](GemmCall& c) { c.m = large; }) == Validity::invalid);  // lda and ldc are 5
    CHECK(validity_after([&](GemmCall& c) {
              c.m = large;
              c.a.leading_dimension = large - 1;
              c.c.leading_dimension = large;
          }) == Validity::invalid);
    CHECK(validity_after([&](GemmCall& c) { c.m = c.a.leading_dimension = c.c.leading_dimension = large; }) ==
          Validity::computes);
    CHECK(validity_after([&](GemmCall& c) {
              c.m = c.n = c.k = largest;
              c.a.leading_dimension = c.b.leading_dimension = c.c.leading_dimension = largest;
          }) == Validity::computes);
    CHECK(validity_after([](GemmCall& c) { c.n = c.batch_count = std::int64_t{1} << 32; }) ==
          Validity::computes);
}

TEST_CASE("flop_count multiplies in floating point") {
    GemmCall call = legal_call();
    CHECK(flop_count(call) == 2.0 * 5 * 6 * 7);
    call.batch_count = 3;
    CHECK(flop_count(call) == 2.0 * 5 * 6 * 7 * 3);
    call.m = call.n = call.k = std::int64_t{1} << 40;
    CHECK(flop_count(call) == 6.0 * 0x1p120);
    call.k = 0;
    CHECK(flop_count(call) == 0.0);
}

TEST_CASE("math modes ask for FP32, TF32 or something else") {
    for (const int mode : {0, 2, 16, 18}) CHECK(precision_of_math_mode(mode) == Precision::fp32);
    for (const int mode : {1, 3, 17, 19}) CHECK(precision_of_math_mode(mode) == Precision::tf32);
    for (const int mode : {4, 5, 8, 15, 20, 21, 32, 48, 64, -1, std::numeric_limits<int>::min()})
        CHECK(precision_of_math_mode(mode) == Precision::other);
}

TEST_CASE("three FP32 matrices are a demand for FP32, and any other type is none") {
    CHECK(demand_of_types(0, 0, 0) == Demand::fp32);
    // CUDA_R_64F, R_16F, C_32F, R_16BF, R_8F_E4M3, no type.
    for (const int type : {1, 2, 4, 14, 28, 77, -1, std::numeric_limits<int>::min()}) {
        CAPTURE(type);
        CHECK(demand_of_types(type, 0, 0) == Demand::data_type);
        CHECK(demand_of_types(0, type, 0) == Demand::data_type);
        CHECK(demand_of_types(0, 0, type) == Demand::data_type);
        CHECK(demand_of_arguments(type, 0, 0, 68, -1) == Demand::data_type);
        CHECK(demand_of_arguments(0, type, 0, 68, -1) == Demand::data_type);
        CHECK(demand_of_arguments(0, 0, type, 68, -1) == Demand::data_type);
        CHECK(demand_of_arguments(type, type, type, 68, -1) == Demand::data_type);
    }
}

TEST_CASE("of all compute types COMPUTE_32F and its pedantic form are FP32 (contract.md, section 7)") {
    for (const int type : {68, 69}) CHECK(demand_of_arguments(0, 0, 0, type, -1) == Demand::fp32);
    // 16F, 16F_PEDANTIC, 64F, 64F_PEDANTIC, 32I, 32I_PEDANTIC, 32F_FAST_16F, _16BF, _TF32, EMULATED_16BFX9;
    // CUDA_R_32F, which the old form of these functions took in this place; no type.
    for (const int type : {64, 65, 70, 71, 72, 73, 74, 75, 77, 78, 0, 66, 67, 76, 79, -1, 1 << 30}) {
        CAPTURE(type);
        CHECK(demand_of_arguments(0, 0, 0, type, -1) == Demand::compute_type);
    }
}

TEST_CASE("the algorithms that cuBLAS takes, and their neighbours") {
    for (const int compute_type : {68, 69}) {
        for (int algorithm = -3; algorithm <= 120; ++algorithm) {
            const bool taken = algorithm == -1 || (algorithm >= 0 && algorithm <= 23) ||
                               (algorithm >= 99 && algorithm <= 115);
            CAPTURE(algorithm);
            CHECK(demand_of_arguments(0, 0, 0, compute_type, algorithm) ==
                  (taken ? Demand::fp32 : Demand::algorithm));
        }
        for (const int algorithm :
             {-2, 24, 98, 116, 1000, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
            CHECK(demand_of_arguments(0, 0, 0, compute_type, algorithm) == Demand::algorithm);
    }
}

TEST_CASE("of several things that are not FP32 the type comes first, then the compute type") {
    CHECK(demand_of_arguments(0, 0, 2, 77, 1000) == Demand::data_type);
    CHECK(demand_of_arguments(0, 0, 0, 77, 1000) == Demand::compute_type);
    CHECK(demand_of_arguments(0, 0, 0, 69, 1000) == Demand::algorithm);
}
