// Grouped calls: each group arrives whole, all are planned before one is launched, and what is left after a
// failure is exactly what has not been done.
#include "interpose/grouped_call.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace sgemm_shim;

namespace {

const auto a_pointers = reinterpret_cast<const float* const*>(0x1000);
const auto b_pointers = reinterpret_cast<const float* const*>(0x2000);
const auto c_pointers = reinterpret_cast<float* const*>(0x3000);

/// Four groups, no value twice.
template <class Size>
struct Arrays {
    cublasOperation_t transa[4] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C, CUBLAS_OP_N};
    cublasOperation_t transb[4] = {CUBLAS_OP_T, CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_OP_C};
    Size m[4] = {11, 12, 13, 14}, n[4] = {21, 22, 23, 24}, k[4] = {31, 32, 33, 34};
    float alpha[4] = {1, 2, 3, 4}, beta[4] = {5, 6, 7, 8};
    Size lda[4] = {41, 42, 43, 44}, ldb[4] = {51, 52, 53, 54}, ldc[4] = {61, 62, 63, 64};
    Size size[4] = {3, 1, 70000, 2};

    GroupedCall<Size> call() const {
        return grouped_call(transa, transb, m, n, k, alpha, a_pointers, lda, b_pointers, ldb, beta,
                            c_pointers, ldc, Size{4}, size);
    }
};

template <class Size>
void check_groups(const Arrays<Size>& arrays, const GroupedCall<Size>& call, Demand demand) {
    std::int64_t before = 0;
    for (int i = 0; i < 4; ++i) {
        const GemmCall group = call.group(i, before);
        CHECK(static_cast<int>(group.operation_a) == static_cast<int>(arrays.transa[i]));
        CHECK(static_cast<int>(group.operation_b) == static_cast<int>(arrays.transb[i]));
        CHECK(group.m == arrays.m[i]);
        CHECK(group.n == arrays.n[i]);
        CHECK(group.k == arrays.k[i]);
        CHECK(group.alpha == &arrays.alpha[i]);
        CHECK(group.beta == &arrays.beta[i]);
        CHECK(group.a.leading_dimension == arrays.lda[i]);
        CHECK(group.b.leading_dimension == arrays.ldb[i]);
        CHECK(group.c.leading_dimension == arrays.ldc[i]);
        CHECK(group.a.array == a_pointers + before);
        CHECK(group.b.array == b_pointers + before);
        CHECK(group.c.array == c_pointers + before);
        CHECK(group.batch_count == arrays.size[i]);
        CHECK(group.demand == demand);
        before += arrays.size[i];
    }
    CHECK(call.outline().batch_count == 4);
    CHECK(call.outline().demand == demand);
    CHECK_FALSE(call.lacks_an_array());
}

/// What became of a call of four groups of which the one at `unplanned` is refused, and the launch at
/// `failing` fails.
struct Story {
    GroupsDone done;
    std::vector<std::int64_t> launched;  ///< m of each
    bool planned_all_first = true;
};

Story serve(int unplanned, int failing) {
    const Arrays<int> arrays;
    Story story;
    int planned = 0;
    story.done = serve_groups(
        arrays.call(),
        [&](const GemmCall& group) {
            ++planned;
            return group.m == 11 + unplanned ? ForwardReason::unsupported : ForwardReason::none;
        },
        [&](const GemmCall& group) {
            story.planned_all_first = story.planned_all_first && planned == 4;
            if (group.m == 11 + failing) return ForwardReason::launch;
            story.launched.push_back(group.m);
            return ForwardReason::none;
        });
    return story;
}

constexpr int never = 99;

}  // namespace

TEST_CASE("each group of a grouped call is a batch of its own") {
    const Arrays<int> narrow;
    check_groups(narrow, narrow.call(), Demand::fp32);
    Arrays<std::int64_t> wide;
    wide.m[1] = 0x123456789abcdef;
    wide.size[2] = std::int64_t{1} << 40;
    check_groups(wide, wide.call(), Demand::fp32);
}

TEST_CASE("a grouped call that names its types, and what it demands") {
    const Arrays<std::int64_t> x;
    const auto check = [&](cudaDataType ta, cudaDataType tb, cudaDataType tc,
                           cublasComputeType_t compute_type, Demand demand) {
        const auto call =
            grouped_ex_call(x.transa, x.transb, x.m, x.n, x.k, x.alpha, a_pointers, ta, x.lda, b_pointers, tb,
                            x.ldb, x.beta, c_pointers, tc, x.ldc, std::int64_t{4}, x.size, compute_type);
        check_groups(x, call, demand);
        const ForwardReason reason = reason_before_groups(call, PointerMode::host, {});
        CHECK((reason == ForwardReason::none) == (demand == Demand::fp32));
    };
    constexpr cudaDataType single = CUDA_R_32F, half = CUDA_R_16F;
    check(single, single, single, CUBLAS_COMPUTE_32F, Demand::fp32);
    check(single, single, single, CUBLAS_COMPUTE_32F_PEDANTIC, Demand::fp32);
    check(half, single, single, CUBLAS_COMPUTE_32F, Demand::data_type);
    check(single, half, single, CUBLAS_COMPUTE_32F, Demand::data_type);
    check(single, single, half, CUBLAS_COMPUTE_32F, Demand::data_type);
    check(single, single, single, CUBLAS_COMPUTE_32F_FAST_TF32, Demand::compute_type);
}

TEST_CASE("why a grouped call is forwarded before its groups are read") {
    const Arrays<int> arrays;
    GroupedCall<int> call = arrays.call();
    CHECK(reason_before_groups(call, PointerMode::host, {}) == ForwardReason::none);
    CHECK(reason_before_groups(call, PointerMode::device, {}) == ForwardReason::invalid);
    Policy disabled;
    disabled.disabled = true;
    CHECK(reason_before_groups(call, PointerMode::host, disabled) == ForwardReason::disabled);
    call.group_count = 0;
    CHECK(reason_before_groups(call, PointerMode::host, {}) == ForwardReason::empty);
    call.group_count = -1;
    CHECK(reason_before_groups(call, PointerMode::host, {}) == ForwardReason::invalid);

    const auto check_missing = [&](auto member) {
        GroupedCall<int> lacking = arrays.call();
        lacking.*member = nullptr;
        CHECK(lacking.lacks_an_array());
        CHECK(reason_before_groups(lacking, PointerMode::host, {}) == ForwardReason::pointer);
    };
    using Call = GroupedCall<int>;
    check_missing(&Call::transa);
    check_missing(&Call::transb);
    check_missing(&Call::m);
    check_missing(&Call::n);
    check_missing(&Call::k);
    check_missing(&Call::alpha);
    check_missing(&Call::a);
    check_missing(&Call::lda);
    check_missing(&Call::b);
    check_missing(&Call::ldb);
    check_missing(&Call::beta);
    check_missing(&Call::c);
    check_missing(&Call::ldc);
    check_missing(&Call::group_size);
}

TEST_CASE("all groups are planned before the first is launched, and each is launched once") {
    const Story story = serve(never, never);
    CHECK(story.planned_all_first);
    CHECK(story.launched == std::vector<std::int64_t>{11, 12, 13, 14});
    CHECK(story.done.groups == 4);
    CHECK(story.done.matrices == 3 + 1 + 70000 + 2);
    CHECK(story.done.reason == ForwardReason::none);
}

TEST_CASE("if one group cannot be served, none is") {
    for (int group = 0; group < 4; ++group) {
        const Story story = serve(group, never);
        CHECK(story.launched.empty());
        CHECK(story.done.groups == 0);
        CHECK(story.done.matrices == 0);
        CHECK(story.done.reason == ForwardReason::unsupported);
    }
}

TEST_CASE("after a launch that fails, the rest is what has not been done") {
    const std::int64_t matrices_before[] = {0, 3, 4, 70004};
    for (int group = 0; group < 4; ++group) {
        const Story story = serve(never, group);
        CHECK(story.launched.size() == static_cast<std::size_t>(group));
        CHECK(story.done.groups == group);
        CHECK(story.done.matrices == matrices_before[group]);
        CHECK(story.done.reason == ForwardReason::launch);

        const Arrays<int> x;
        const Arrays<std::int64_t> wide;
        CHECK(rest_of(x.transa, story.done) == x.transa + group);
        CHECK(rest_of(x.m, story.done) == x.m + group);
        CHECK(rest_of(wide.m, story.done) == wide.m + group);
        CHECK(rest_of(x.alpha, story.done) == x.alpha + group);
        CHECK(rest_of(static_cast<const void*>(x.alpha), story.done) == x.alpha + group);
        CHECK(rest_of(a_pointers, story.done) == a_pointers + matrices_before[group]);
        CHECK(rest_of(c_pointers, story.done) == c_pointers + matrices_before[group]);
        CHECK(rest_of(reinterpret_cast<const void* const*>(b_pointers), story.done) ==
              reinterpret_cast<const void* const*>(b_pointers) + matrices_before[group]);
        CHECK(rest_of(4, story.done) == 4 - group);
        CHECK(rest_of(std::int64_t{4}, story.done) == 4 - group);
        CHECK(rest_of(CUDA_R_32F, story.done) == CUDA_R_32F);
        CHECK(rest_of(CUBLAS_COMPUTE_32F, story.done) == CUBLAS_COMPUTE_32F);
    }
}
