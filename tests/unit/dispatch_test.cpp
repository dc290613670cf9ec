// What the kernels' host code decides before a launch, and the epilogue's arithmetic (contract.md, section
// 4).
#include "kernels/dispatch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "kernels/warp_division.hpp"
#include "sample_calls.hpp"

using namespace sgemm_shim;
using sgemm_shim::testing::address_of_nothing;
using sgemm_shim::testing::legal_call;

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

unsigned grid_of(std::int64_t m, std::int64_t n, std::int64_t batch_count, int tile_m, int tile_n) {
    GemmCall call = legal_call();
    call.m = m;
    call.n = n;
    call.batch_count = batch_count;
    return grid_size(call, tile_m, tile_n);
}

float epilogue(float alpha, float sum, float beta, float c, std::int64_t k = 1) {
    GemmArguments arguments{};
    arguments.k = k;
    arguments.alpha.value = alpha;
    arguments.beta.value = beta;
    Epilogue(arguments).update(&c, sum);
    return c;
}

bool same_bits(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace

TEST_CASE("grid_size covers every element, also the last partial tile") {
    CHECK(grid_of(1, 1, 1, 128, 128) == 1);
    CHECK(grid_of(128, 128, 1, 128, 128) == 1);
    CHECK(grid_of(129, 128, 1, 128, 128) == 2);
    CHECK(grid_of(129, 129, 1, 128, 128) == 4);
    CHECK(grid_of(127, 257, 5, 128, 128) == 15);
    CHECK(grid_of(33, 1, 1, 32, 8) == 2);
    CHECK(grid_of(1, 33, 1, 32, 8) == 5);
}

TEST_CASE("grid_size is 0 where the blocks are more than a grid can have, and nowhere else") {
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
    CHECK(grid_of(limit * 16, 1, 1, 16, 16) == limit);
    CHECK(grid_of(limit * 16 + 1, 1, 1, 16, 16) == 0);
    CHECK(grid_of(1, limit * 16, 1, 16, 16) == limit);
    CHECK(grid_of(1, limit * 16 + 1, 1, 16, 16) == 0);
    CHECK(grid_of(1, 1, limit, 16, 16) == limit);
    CHECK(grid_of(1, 1, limit + 1, 16, 16) == 0);
    CHECK(grid_of(16 << 16, 16 << 15, 1, 16, 16) == 0);  // 2^31 blocks
    for (const std::int64_t size : {largest, largest - 1, largest - 127, std::int64_t{1} << 62}) {
        CAPTURE(size);
        CHECK(grid_of(size, 1, 1, 128, 128) == 0);
        CHECK(grid_of(1, size, 1, 128, 128) == 0);
        CHECK(grid_of(1, 1, size, 128, 128) == 0);
        CHECK(grid_of(size, size, size, 128, 128) == 0);
    }
    // Products of tiles that wrap around to something small.
    CHECK(grid_of(std::int64_t{1} << 36, std::int64_t{1} << 36, 1, 16, 16) == 0);
    CHECK(grid_of(std::int64_t{1} << 30, std::int64_t{1} << 30, std::int64_t{1} << 12, 16, 16) == 0);
}

TEST_CASE("16-byte loads need every matrix and every column to start on 16 bytes") {
    const auto allowed = [](std::uintptr_t address, std::int64_t leading_dimension, std::int64_t stride,
                            std::int64_t batch_count) {
        return allows_vectors({address_of_nothing(address), nullptr, leading_dimension, stride}, Major::k, 5,
                              batch_count);
    };
    CHECK(allowed(0x1000, 8, 0, 1));
    CHECK(allowed(0x1010, 4, 0, 1));
    for (const std::uintptr_t address : {0x1004u, 0x1008u, 0x100cu, 0x1001u})
        CHECK(!allowed(address, 8, 0, 1));
    for (const std::int64_t leading_dimension : {1, 2, 3, 5, 6, 7})
        CHECK(!allowed(0x1000, leading_dimension, 0, 1));
    CHECK(allowed(0x1000, 8, 3, 1));  // the stride of a single matrix is never used
    CHECK(!allowed(0x1000, 8, 3, 2));
    CHECK(!allowed(0x1000, 8, -2, 2));
    CHECK(allowed(0x1000, 8, -4, 2));
    CHECK(allowed(0x1000, 8, 0, 2));
    CHECK(!allows_vectors({nullptr, reinterpret_cast<const float* const*>(0x1000), 8, 0}, Major::k, 8, 1));
}

TEST_CASE("16-byte loads along mn need whole vectors there, which the last column need not pad") {
    for (std::int64_t count = 1; count <= 9; ++count) {
        CAPTURE(count);
        const MatrixBatch<const float> operand = {address_of_nothing(0x1000), nullptr, 12, 0};
        CHECK(allows_vectors(operand, Major::mn, count, 1) == (count % 4 == 0));
        CHECK(allows_vectors(operand, Major::k, count, 1));
    }
}

TEST_CASE("both operands decide about 16-byte loads, each by its own operation and size") {
    const auto allowed = [](Operation a, Operation b, std::int64_t m, std::int64_t n) {
        GemmCall call = legal_call(a, b);
        call.m = m;
        call.n = n;
        call.a.leading_dimension = call.b.leading_dimension = 16;
        return operands_allow_vectors(call);
    };
    constexpr Operation none = Operation::none;
    constexpr Operation transpose = Operation::transpose;
    CHECK(allowed(none, none, 4, 5));
    CHECK(!allowed(none, none, 5, 4));
    CHECK(allowed(transpose, none, 5, 5));
    CHECK(allowed(transpose, transpose, 5, 4));
    CHECK(!allowed(transpose, transpose, 4, 5));
    CHECK(allowed(none, transpose, 4, 4));
    CHECK(!allowed(none, transpose, 5, 4));
    GemmCall call = legal_call(transpose, none);
    call.a.leading_dimension = 16;
    CHECK(!operands_allow_vectors(call));  // ldb is 7
}

TEST_CASE("each operation leads to the storage order that it means") {
    for (const int operation : {1, 2}) {
        const auto transposed = static_cast<Operation>(operation);
        CHECK(major_of_a(legal_call(transposed, Operation::none)) == Major::k);
        CHECK(major_of_b(legal_call(Operation::none, transposed)) == Major::mn);
    }
    CHECK(major_of_a(legal_call()) == Major::mn);
    CHECK(major_of_b(legal_call()) == Major::k);
    for (const int a : {0, 1, 2}) {
        for (const int b : {0, 1, 2}) {
            const GemmCall call = legal_call(static_cast<Operation>(a), static_cast<Operation>(b));
            const bool matches = dispatch_majors(call, [&]<Major major_a, Major major_b>() {
                return major_a == major_of_a(call) && major_b == major_of_b(call);
            });
            CHECK(matches);
        }
    }
}

TEST_CASE("host scalars are read when the arguments are made, device scalars are not") {
    GemmCall call = legal_call();
    float alpha = 3.0f;
    float beta = not_a_number;
    call.alpha = &alpha;
    call.beta = &beta;
    GemmArguments arguments = gemm_arguments(call);
    alpha = 4.0f;
    CHECK(arguments.read(arguments.alpha) == 3.0f);
    CHECK(std::isnan(arguments.read(arguments.beta)));

    call.pointer_mode = PointerMode::device;
    call.beta = address_of_nothing(0x10);
    arguments = gemm_arguments(call);
    alpha = 5.0f;
    CHECK(arguments.read(arguments.alpha) == 5.0f);
    CHECK(arguments.beta.address == call.beta);
    CHECK(arguments.m == call.m);
    CHECK(arguments.n == call.n);
    CHECK(arguments.k == call.k);
    CHECK(arguments.a.first == call.a.first);
    CHECK(arguments.c.leading_dimension == call.c.leading_dimension);
}

TEST_CASE("the arguments find every matrix of a batch, by strides and by arrays") {
    float storage[8] = {};
    GemmCall call = legal_call();
    const float scalar = 1.0f;
    call.alpha = call.beta = &scalar;
    call.c = {storage, nullptr, 2, 3};
    CHECK(matrix_c(gemm_arguments(call), 0) == storage);
    call.batch_count = 2;
    CHECK(matrix_c(gemm_arguments(call), 0) == storage);
    CHECK(matrix_c(gemm_arguments(call), 1) == storage + 3);

    const float* const operands[] = {storage + 5, storage + 1};
    float* const results[] = {storage + 4, storage + 2};
    call.a.array = call.b.array = operands;
    call.c.array = results;
    for (const std::int64_t count : {1, 2}) {
        call.batch_count = count;
        const GemmArguments arguments = gemm_arguments(call);
        for (std::int64_t i = 0; i < count; ++i) {
            CHECK(matrix_c(arguments, i) == results[i]);
            CHECK(view_of_a<Major::k>(arguments, i).base == operands[i]);
            CHECK(view_of_b<Major::mn>(arguments, i).base == operands[i]);
        }
    }
}

TEST_CASE("what single products need of the arguments comes first") {
    CHECK(offsetof(GemmArguments, beta) + sizeof(Scalar) <= 96);
}

TEST_CASE("epilogue: beta = 0 does not read C") {
    for (const float beta : {0.0f, -0.0f}) {
        CHECK(epilogue(2.0f, 3.0f, beta, not_a_number) == 6.0f);
        CHECK(epilogue(2.0f, 3.0f, beta, infinity) == 6.0f);
        CHECK(same_bits(epilogue(0.0f, 3.0f, beta, not_a_number), 0.0f));
        CHECK(same_bits(epilogue(not_a_number, 3.0f, beta, not_a_number, 0), 0.0f));
    }
}

TEST_CASE("epilogue: alpha = 0 and k = 0 do not look at the sum, and k = 0 not at alpha") {
    for (const float alpha : {0.0f, -0.0f}) {
        CHECK(epilogue(alpha, not_a_number, 2.0f, 3.0f) == 6.0f);
        CHECK(epilogue(alpha, infinity, 1.0f, 3.0f) == 3.0f);
    }
    CHECK(epilogue(not_a_number, 5.0f, 2.0f, 3.0f, 0) == 6.0f);
}

TEST_CASE("epilogue: zero results are +0, and what is kept keeps its bits") {
    CHECK(same_bits(epilogue(-1.0f, 0.0f, 0.0f, 7.0f), 0.0f));
    CHECK(same_bits(epilogue(1.0f, -0.0f, 0.0f, 7.0f), 0.0f));
    CHECK(same_bits(epilogue(5.0f, 5.0f, 1.0f, -0.0f, 0), -0.0f));
    const float payload = std::bit_cast<float>(0x7fc12345u);
    CHECK(same_bits(epilogue(5.0f, 5.0f, 1.0f, payload, 0), payload));
}

TEST_CASE("epilogue: one rounding for alpha * sum, subnormal numbers and overflow as they come") {
    const float third = 1.0f / 3.0f;
    CHECK(epilogue(third, third, 1.0f, -third * third) == std::fma(third, third, -third * third));
    CHECK(epilogue(1.0f, 0x1p-149f, 0.0f, 0.0f) == 0x1p-149f);
    CHECK(epilogue(0x1p-100f, infinity, 0.0f, 0.0f) == infinity);
    CHECK(std::isnan(epilogue(1.0f, not_a_number, 0.0f, 0.0f)));
}

TEST_CASE("a divisor divides every number below 2^31 as the machine does") {
    constexpr unsigned largest_dividend = (1u << 31) - 1;
    for (const unsigned value :
         {1u, 2u, 3u, 5u, 7u, 10u, 641u, 65535u, 65536u, 65537u, 123456789u, (1u << 30) - 1, 1u << 30,
          (1u << 30) + 1, largest_dividend - 1, largest_dividend}) {
        CAPTURE(value);
        const Divisor by_value = divisor(value);
        CHECK(by_value.value == value);
        const unsigned multiples = largest_dividend / value;
        for (const unsigned multiple :
             {0u, 1u, 2u, 3u, multiples / 3, multiples / 2, multiples - 1, multiples}) {
            // Around each multiple, as far as there are numbers.
            for (const std::int64_t beside : {-1, 0, 1}) {
                const std::int64_t dividend = std::int64_t{multiple} * value + beside;
                if (dividend < 0 || dividend > largest_dividend || multiple > multiples) continue;
                CHECK(by_value.divide(static_cast<unsigned>(dividend)) == dividend / value);
            }
        }
        CHECK(by_value.divide(largest_dividend) == largest_dividend / value);
    }
}

TEST_CASE("slices of tiny tiles fit into the shared memory that they are meant for") {
    constexpr int most_floats = 1424;
    for (const Operation a : {Operation::none, Operation::transpose}) {
        for (const Operation b : {Operation::none, Operation::transpose}) {
            for (const int m : {1, 7, 8, 9, 23, 31, 32, 33}) {
                for (const int n : {1, 4, 15, 32, 149}) {
                    for (const int k : {1, 3, 4, 23, 64, 1000}) {
                        for (const int padding : {0, 1, 2, 4, 8}) {
                            GemmCall call = legal_call(a, b);
                            call.m = m;
                            call.n = n;
                            call.k = k;
                            call.a.leading_dimension = (a == Operation::none ? m : k) + padding;
                            call.b.leading_dimension = (b == Operation::none ? k : n) + padding;
                            const warp_product::Division division =
                                warp_product::divide(call, std::min(m, 32), std::min(n, 32), k, most_floats);
                            CHECK(division.stage_floats <= most_floats);
                            CHECK(division.stage_floats % 4 == 0);
                            CHECK(division.b_begins % 4 == 0);
                            CHECK(division.slice_k >= std::min(k, 4));
                            CHECK((division.slice_k == k || division.slice_k % 4 == 0));
                        }
                    }
                }
            }
        }
    }
}
