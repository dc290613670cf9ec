// The checks that judge the kernels are checked themselves: a right result passes, and every kind of wrong
// one that they are there for fails.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "tests/engine/case_selection.hpp"
#include "tests/engine/reference.hpp"
#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    return nullptr;
}

namespace sgemm_shim::testing {
namespace {

/// FP32 arithmetic on the host in the place of a kernel; each flag breaks it in one way.
struct HostKernel {
    bool tf32 = false;  ///< rounds the inputs to 10 bits of mantissa
    bool flushes_denormals = false;
    bool scales_a_first = false;               ///< alpha before the sum
    bool reads_c = false;                      ///< beta * C even for beta = 0
    bool reads_a = false;                      ///< the product even for alpha = 0
    bool loses_positive_zero = false;          ///< alpha * sum instead of fma(alpha, sum, +0)
    bool passes_c_through_arithmetic = false;  ///< 1 * C + 0 where C must keep its bits
    std::int64_t lost_k = 0;                   ///< steps left out at the end

    float input(float value) const {
        if (flushes_denormals && std::abs(value) < std::numeric_limits<float>::min()) return 0.0f;
        if (!tf32 || !std::isfinite(value)) return value;
        return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000u) & ~0x1fffu);
    }

    float sum(const GemmCase& gemm_case, const Problem& problem, std::int64_t matrix, std::int64_t i,
              std::int64_t j) const {
        const bool transposed_a = gemm_case.operation_a != Operation::none;
        const bool transposed_b = gemm_case.operation_b != Operation::none;
        float result = 0.0f;
        for (std::int64_t l = 0; l < gemm_case.k - lost_k; ++l) {
            float a = input(transposed_a ? problem.a.at(matrix, l, i) : problem.a.at(matrix, i, l));
            const float b = input(transposed_b ? problem.b.at(matrix, j, l) : problem.b.at(matrix, l, j));
            if (scales_a_first) a *= gemm_case.alpha;
            result = std::fma(a, b, result);
        }
        return flushes_denormals && std::abs(result) < std::numeric_limits<float>::min() ? 0.0f : result;
    }

    float element(const GemmCase& gemm_case, const Problem& problem, std::int64_t matrix, std::int64_t i,
                  std::int64_t j) const {
        const float old = problem.c.at(matrix, i, j);
        const float scaled = gemm_case.beta != 0.0f || reads_c ? gemm_case.beta * old : 0.0f;
        if (gemm_case.keeps_c()) return passes_c_through_arithmetic ? std::fma(1.0f, old, 0.0f) : old;
        if (!gemm_case.has_product() && !reads_a) return scaled;
        const float product = sum(gemm_case, problem, matrix, i, j);
        if (loses_positive_zero && gemm_case.beta == 0.0f) return gemm_case.alpha * product;
        return std::fma(scales_a_first ? 1.0f : gemm_case.alpha, product, scaled);
    }

    /// C's buffer afterwards.
    std::vector<float> run(const GemmCase& gemm_case, const Problem& problem) const {
        HostOperand c = problem.c;
        for (std::int64_t matrix = 0; matrix < gemm_case.batch_count; ++matrix) {
            for (std::int64_t j = 0; j < gemm_case.n; ++j) {
                for (std::int64_t i = 0; i < gemm_case.m; ++i)
                    c.at(matrix, i, j) = element(gemm_case, problem, matrix, i, j);
            }
        }
        return c.values;
    }
};

std::size_t wrong_elements(const GemmCase& gemm_case, const HostKernel& kernel) {
    const Problem problem = make_problem(gemm_case);
    return compare(problem, kernel.run(gemm_case, problem), expect(gemm_case, problem)).wrong;
}

std::size_t wrong_elements(const char* line, const HostKernel& kernel) {
    return wrong_elements(parse_case(line), kernel);
}

/// The right result of a case, ready to be spoiled.
struct RightResult {
    Problem problem;
    Expectation expectation;
    std::vector<float> c;

    explicit RightResult(const char* line) {
        const GemmCase gemm_case = parse_case(line);
        problem = make_problem(gemm_case);
        expectation = expect(gemm_case, problem);
        c = HostKernel{}.run(gemm_case, problem);
        REQUIRE(wrong() == 0);
    }
    std::size_t wrong() const { return compare(problem, c, expectation).wrong; }
};

constexpr Breadth all_breadths[] = {Breadth::full, Breadth::reduced, Breadth::quick};
constexpr auto all_sweeps = {size_sweep,   depth_sweep, alignment_sweep, leading_dimension_sweep,
                             scalar_sweep, batch_sweep, pattern_sweep};

TEST_CASE("a right FP32 result passes every case of the reduced selection") {
    for (const auto sweep : all_sweeps) {
        for (const GemmCase& gemm_case : sweep(Breadth::reduced, 3)) {
            CAPTURE(to_line(gemm_case));
            CHECK(wrong_elements(gemm_case, {}) == 0);
        }
    }
}

TEST_CASE("rounding errors of long sums pass") {
    CHECK(wrong_elements("ops=TN m=3 n=4 k=200000 alpha=1.7 beta=-0.3 data=random", {}) == 0);
}

TEST_CASE("a NaN in the result fails, wherever it stands") {
    for (const char* line : {"m=5 n=4 k=3 ldc=7 data=random", "m=5 n=4 k=3 ldc=7 data=integers"}) {
        RightResult result(line);
        for (std::size_t i = 0; i < result.c.size(); ++i) {
            const float right = result.c[i];
            result.c[i] = std::numeric_limits<float>::quiet_NaN();
            CHECK(result.wrong() == 1);
            result.c[i] = right;
        }
        CHECK(result.wrong() == 0);
    }
}

TEST_CASE("an infinity of the wrong sign, and a finite number in its place, fail") {
    RightResult result("m=2 n=1 k=1 alpha=0x1p-100 data=huge");
    REQUIRE(result.c[0] == std::numeric_limits<float>::infinity());
    result.c[0] = -result.c[0];
    CHECK(result.wrong() == 1);
    result.c[0] = 0x1p40f;
    CHECK(result.wrong() == 1);
}

TEST_CASE("inputs rounded to TF32 fail") {
    HostKernel tf32;
    tf32.tf32 = true;
    for (const char* line :
         {"m=4 n=4 k=1 data=fine_a", "m=4 n=4 k=2000 data=fine_a", "m=4 n=4 k=2000 data=fine_b beta=1",
          "m=8 n=8 k=16 data=random", "ops=TT m=4 n=4 k=64 data=fine_a alpha=-1"}) {
        CAPTURE(line);
        CHECK(wrong_elements(line, tf32) > 0);
    }
    // The bound alone cannot tell when k is large: that is what the other patterns are for.
    CHECK(wrong_elements("m=4 n=4 k=20000 data=random", tf32) == 0);
}

TEST_CASE("a lost slice of k fails") {
    HostKernel lossy;
    lossy.lost_k = 8;
    CHECK(wrong_elements("m=8 n=8 k=64 data=random", lossy) == 64);
    lossy.lost_k = 1;
    CHECK(wrong_elements("m=8 n=8 k=1 data=random", lossy) == 64);
    CHECK(wrong_elements("m=8 n=8 k=30000 data=integers", lossy) > 32);
    CHECK(wrong_elements("m=8 n=8 k=2000 data=fine_b", lossy) == 64);
}

TEST_CASE("flushed denormals fail") {
    HostKernel flushing;
    flushing.flushes_denormals = true;
    CHECK(wrong_elements("m=8 n=8 k=3 data=denormal_in", flushing) > 32);
    CHECK(wrong_elements("m=8 n=8 k=3 data=denormal_out", flushing) > 32);
}

TEST_CASE("alpha before the sum fails") {
    HostKernel early;
    early.scales_a_first = true;
    CHECK(wrong_elements("m=3 n=3 k=2 alpha=0x1p-100 data=huge", early) == 9);
}

TEST_CASE("reading what must not be read fails") {
    HostKernel reader;
    reader.reads_c = true;
    CHECK(wrong_elements("m=3 n=3 k=2 beta=0", reader) == 9);
    CHECK(wrong_elements("m=3 n=3 k=2 beta=-0", reader) == 9);
    reader = {};
    reader.reads_a = true;
    CHECK(wrong_elements("m=3 n=3 k=2 alpha=0 beta=2", reader) == 9);
    CHECK(wrong_elements("m=3 n=3 k=2 alpha=-0 beta=0", reader) == 9);
}

TEST_CASE("a negative zero fails when beta is 0") {
    HostKernel careless;
    careless.loses_positive_zero = true;
    CHECK(wrong_elements("m=3 n=3 k=2 alpha=-1 data=zeros", careless) > 0);
}

TEST_CASE("a negative result that is too small for FP32 may be -0") {
    CHECK(wrong_elements("m=5 n=4 k=8 data=denormal_out alpha=0x1p-100", {}) == 0);
    CHECK(wrong_elements("m=5 n=4 k=8 data=denormal_out alpha=-0x1p-100", {}) == 0);
}

TEST_CASE("a changed bit in the padding of C fails") {
    for (const char* line : {"m=5 n=4 k=3 ldc=7", "m=5 n=4 k=3 ldc=5 batch=3 stride_c=-22"}) {
        RightResult result(line);
        std::size_t padding = 0;
        for (std::size_t i = 0; i < result.c.size(); ++i) {
            if (result.problem.c.is_element[i]) continue;
            ++padding;
            const float right = result.c[i];
            result.c[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(right) ^ 1u);
            CHECK(result.wrong() == 1);
            result.c[i] = right;
        }
        CHECK(padding > 0);
    }
}

TEST_CASE("C that must stay keeps the payloads of its NaNs") {
    for (const char* line : {"m=9 n=9 k=0 beta=1", "m=9 n=9 k=3 alpha=0 beta=1"}) {
        HostKernel quieting;
        quieting.passes_c_through_arithmetic = true;
        CHECK(wrong_elements(line, quieting) > 0);
        CHECK(wrong_elements(line, {}) == 0);
    }
}

TEST_CASE("one NaN in A is expected in one row of C, one in B in one column") {
    for (const bool in_a : {true, false}) {
        const GemmCase gemm_case = parse_case(in_a ? "ops=TN m=6 n=9 k=5 batch=2 stride_a=30 stride_b=45 "
                                                     "stride_c=54 data=nan_in_a"
                                                   : "ops=NT m=6 n=9 k=5 batch=2 stride_a=30 stride_b=45 "
                                                     "stride_c=54 data=nan_in_b");
        const Problem problem = make_problem(gemm_case);
        const Expectation expectation = expect(gemm_case, problem);
        std::set<std::size_t> lines;
        std::size_t nans = 0;
        for (std::size_t i = 0; i < expectation.value.size(); ++i) {
            if (!std::isnan(expectation.value[i])) continue;
            ++nans;
            lines.insert(in_a ? i % 6 + i / 54 * 6 : i / 6);
        }
        CHECK(lines.size() == 1);
        CHECK(nans == (in_a ? 9 : 6));
    }
}

TEST_CASE("padding holds NaN, and no element does") {
    const Problem problem = make_problem(
        parse_case("m=3 n=2 k=4 lda=5 ldb=6 ldc=4 beta=1 batch=2 stride_a=30 stride_b=-20 stride_c=9"));
    for (const HostOperand* operand : {&problem.a, &problem.b, &problem.c}) {
        CHECK(std::ranges::count(operand->is_element, false) > 0);
        for (std::size_t i = 0; i < operand->values.size(); ++i)
            CHECK(std::isnan(operand->values[i]) != operand->is_element[i]);
    }
}

TEST_CASE("a case survives its line") {
    for (const auto sweep : all_sweeps) {
        for (const GemmCase& gemm_case : sweep(Breadth::reduced, 5)) {
            const std::string line = to_line(gemm_case);
            CHECK(to_line(parse_case(line)) == line);
        }
    }
    GemmCase named = parse_case("m=3");
    named.kernel = "naive";
    CHECK(parse_case(to_line(named)).kernel == "naive");
}

TEST_CASE("a line that is no case is refused") {
    for (const char* line : {"m", "m=", "m=0", "m=3x", "k=-1", "ops=N", "ops=NX", "align=0,1", "align=0,1,4",
                             "alpha=one", "scalars=both", "layout=packed", "data=noise", "colour=red",
                             "m=4 lda=3", "m=4 n=4 batch=2 stride_c=8"}) {
        CAPTURE(line);
        CHECK_THROWS_AS(parse_case(line), std::invalid_argument);
    }
}

TEST_CASE("every size is tried under each transposition, with and without 16-byte operands") {
    for (const Breadth breadth : all_breadths) {
        using Key = std::tuple<char, std::int64_t, bool, bool, bool>;
        std::set<Key> tried;
        std::set<std::tuple<char, std::int64_t>> sizes;
        for (const auto sweep : {size_sweep, depth_sweep}) {
            for (const GemmCase& one : sweep(breadth, 1)) {
                const bool aligned =
                    one.misalignment == std::array<int, 3>{} && one.lda % 4 == 0 && one.ldb % 4 == 0;
                const bool a = one.operation_a != Operation::none, b = one.operation_b != Operation::none;
                const std::tuple<char, std::int64_t> lengths[] = {{'m', one.m}, {'n', one.n}, {'k', one.k}};
                for (const auto& [name, length] : lengths) {
                    tried.insert({name, length, a, b, aligned});
                    sizes.insert({name, length});
                }
            }
        }
        CHECK(tried.size() == sizes.size() * 8);
        for (const auto& [name, length] : sizes) {
            for (int combination = 0; combination < 8; ++combination) {
                CAPTURE(name);
                CAPTURE(length);
                CHECK(tried.contains({name, length, combination & 1, combination & 2, combination & 4}));
            }
        }
    }
}

TEST_CASE("every misalignment and every padding is tried on each operand") {
    for (const Breadth breadth : all_breadths) {
        std::set<std::pair<int, int>> misalignments;
        for (const GemmCase& one : alignment_sweep(breadth, 1)) {
            for (int operand = 0; operand < 3; ++operand)
                misalignments.insert({operand, one.misalignment[static_cast<std::size_t>(operand)]});
        }
        CHECK(misalignments.size() == 12);
        std::set<std::pair<int, std::int64_t>> paddings;
        for (const GemmCase& one : leading_dimension_sweep(breadth, 1)) {
            paddings.insert({0, one.lda - one.layout_a().rows});
            paddings.insert({1, one.ldb - one.layout_b().rows});
            paddings.insert({2, one.ldc - one.m});
        }
        CHECK(paddings.size() == 18);
    }
}

}  // namespace
}  // namespace sgemm_shim::testing
