#include "case_selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "random.hpp"

namespace sgemm_shim::testing {
namespace {

using Operations = std::array<Operation, 2>;
using Size = std::array<std::int64_t, 3>;  // m, n, k

constexpr Operation N = Operation::none, T = Operation::transpose, C = Operation::conjugate_transpose;
constexpr Operations all_operations[] = {{N, N}, {N, T}, {T, N}, {T, T}, {C, N},
                                         {N, C}, {C, C}, {T, C}, {C, T}};
/// For real numbers C is T: these four are all the code paths there are.
constexpr auto main_operations = std::span(all_operations).first<4>();

/// One beside, at, and one past the sides of every tile and thread tile, and 16-byte groups between them.
constexpr std::int64_t edges_mn[] = {1,  2,  3,  4,  5,  7,   8,   9,   12,  15,  16,  17,  31,  32,  33,
                                     60, 63, 64, 65, 96, 127, 128, 129, 132, 191, 192, 193, 255, 256, 257};
constexpr std::int64_t edges_k[] = {0,  1,  2,  3,  4,  5,  6,   7,   8,   9,   10, 11,
                                    12, 13, 14, 15, 16, 17, 23,  24,  25,  31,  32, 33,
                                    47, 48, 49, 63, 64, 65, 127, 128, 129, 255, 257};
constexpr std::int64_t odd_edges_mn[] = {1, 5, 33, 65, 129};
constexpr std::int64_t odd_edges_k[] = {0, 1, 7, 9, 17, 33};

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float special_scalars[] = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 0.5f, nan, infinity, -0.37f};
constexpr float ordinary_scalars[] = {1.0f, 1.0f, -1.0f, 2.0f, 0.5f, 1.7f};
constexpr float ordinary_betas[] = {0.0f, 0.0f, 1.0f, -1.0f, 0.5f, -0.3f};
constexpr DataPattern ordinary_patterns[] = {DataPattern::random, DataPattern::integers, DataPattern::fine_a,
                                             DataPattern::fine_b};

std::span<const std::int64_t> mn_of(Breadth breadth) {
    return breadth == Breadth::quick ? std::span<const std::int64_t>(odd_edges_mn) : edges_mn;
}
std::span<const std::int64_t> k_of(Breadth breadth) {
    return breadth == Breadth::quick ? std::span<const std::int64_t>(odd_edges_k) : edges_k;
}
std::span<const Operations> operations_of(Breadth breadth) {
    return breadth == Breadth::full ? std::span<const Operations>(all_operations) : main_operations;
}

std::int64_t round_up_to_vector(std::int64_t rows) {
    return std::max<std::int64_t>(1, rows + 3) / 4 * 4;
}

void set_leading_dimensions(GemmCase& result, std::array<std::int64_t, 3> padding) {
    result.lda = std::max<std::int64_t>(1, result.layout_a().rows) + padding[0];
    result.ldb = std::max<std::int64_t>(1, result.layout_b().rows) + padding[1];
    result.ldc = result.m + padding[2];
}

/// For real numbers T and C are one operation under two names.
Operation draw_name(Operation operation, Random& random) {
    return operation == T && random.below(4) == 0 ? C : operation;
}

/// Draws what a sweep does not walk: which name a transposition has, scalars, pointer mode, data.
GemmCase draw(const Operations& operations, const Size& size, Random& random) {
    GemmCase result;
    result.operation_a = draw_name(operations[0], random);
    result.operation_b = draw_name(operations[1], random);
    result.m = size[0];
    result.n = size[1];
    result.k = size[2];
    result.alpha = random.pick(ordinary_scalars);
    result.beta = random.pick(ordinary_betas);
    result.pointer_mode = random.below(2) == 0 ? PointerMode::host : PointerMode::device;
    result.data = random.pick(ordinary_patterns);
    result.seed = random.next() % 1000000;
    set_leading_dimensions(result, {0, 0, 0});
    return result;
}

/// Starts and columns of all operands on 16 bytes.
GemmCase with_vectors(GemmCase result) {
    result.lda = round_up_to_vector(result.lda);
    result.ldb = round_up_to_vector(result.ldb);
    result.ldc = round_up_to_vector(result.ldc);
    return result;
}

GemmCase with_any_place(GemmCase result, Random& random) {
    for (int& floats : result.misalignment) floats = static_cast<int>(random.below(4));
    set_leading_dimensions(result, {random.below(6), random.below(6), random.below(6)});
    return result;
}

/// Every combination of three small numbers below `limit` (full), a Latin square of them, which has every
/// pair in any two places (reduced), or each number once in each place (quick).
std::vector<std::array<std::int64_t, 3>> triples(Breadth breadth, std::int64_t limit) {
    std::vector<std::array<std::int64_t, 3>> result;
    for (std::int64_t first = 0; first < limit; ++first) {
        if (breadth == Breadth::quick) {
            result.push_back({first, first, (first + 1) % limit});
            continue;
        }
        for (std::int64_t second = 0; second < limit; ++second) {
            if (breadth == Breadth::reduced) result.push_back({first, second, (first + second) % limit});
            for (std::int64_t third = 0; breadth == Breadth::full && third < limit; ++third)
                result.push_back({first, second, third});
        }
    }
    return result;
}

/// Places the matrices of a batch: `signs` are the signs of the strides of A, B, C (0: one matrix for all),
/// `gap` floats lie between the end of one matrix's last column and the next matrix.
void set_strides(GemmCase& result, std::array<int, 3> signs, std::int64_t gap) {
    const auto stride = [&](const OperandLayout& layout, int sign) {
        return sign * (layout.leading_dimension * layout.columns + gap);
    };
    result.stride_a = stride(result.layout_a(), signs[0]);
    result.stride_b = stride(result.layout_b(), signs[1]);
    result.stride_c = stride(result.layout_c(), signs[2]);
}

}  // namespace

const char* to_string(Breadth breadth) {
    switch (breadth) {
        case Breadth::full:
            return "full";
        case Breadth::reduced:
            return "reduced";
        case Breadth::quick:
            return "quick";
    }
    return "unknown";
}

Breadth parse_breadth(std::string_view name) {
    for (const Breadth breadth : {Breadth::full, Breadth::reduced, Breadth::quick}) {
        if (name == to_string(breadth)) return breadth;
    }
    throw std::invalid_argument("not a selection: '" + std::string(name) + "'; one of full, reduced, quick");
}

std::vector<GemmCase> size_sweep(Breadth breadth, std::uint64_t seed) {
    std::vector<GemmCase> cases;
    Random random(seed + 1);
    const auto edges = mn_of(breadth), depths = k_of(breadth);
    const auto operations = main_operations;
    // Without a full square, n walks the edges in another order than m, and in another one for each
    // operation.
    const std::size_t partners = breadth == Breadth::full ? edges.size() : 1;
    for (std::size_t o = 0; o < operations.size(); ++o) {
        for (std::size_t i = 0; i < edges.size(); ++i) {
            for (std::size_t j = 0; j < partners; ++j) {
                const std::size_t partner = partners > 1 ? j : (i * 7 + o * 11 + 3) % edges.size();
                const GemmCase base =
                    draw(operations[o], {edges[i], edges[partner], random.pick(depths)}, random);
                cases.push_back(with_vectors(base));
                cases.push_back(with_any_place(base, random));
            }
        }
    }
    return cases;
}

std::vector<GemmCase> depth_sweep(Breadth breadth, std::uint64_t seed) {
    constexpr std::array<std::int64_t, 2> outer_sizes[] = {{128, 128}, {129, 33}, {1, 130}, {36, 1}};
    std::vector<GemmCase> cases;
    Random random(seed + 2);
    std::size_t turn = 0;
    for (const Operations& operations : operations_of(breadth)) {
        for (const std::int64_t k : k_of(breadth)) {
            const auto draw_size = [&](std::size_t place) {
                const auto& size = outer_sizes[place % std::size(outer_sizes)];
                const GemmCase base = draw(operations, {size[0], size[1], k}, random);
                cases.push_back(with_vectors(base));
                cases.push_back(with_any_place(base, random));
            };
            if (breadth != Breadth::full) {
                draw_size(turn++);
                continue;
            }
            for (std::size_t place = 0; place < std::size(outer_sizes); ++place) draw_size(place);
        }
    }
    // Several rounds of the kernels whose warps and lanes lie along k, on tiles that are small enough for
    // them in every selection.
    constexpr Size long_sums[] = {{20, 1, 640}, {1, 20, 640}, {18, 3, 389}, {3, 18, 389}};
    for (const Operations& operations : main_operations) {
        for (const Size& size : long_sums) {
            const GemmCase base = draw(operations, size, random);
            cases.push_back(with_vectors(base));
            cases.push_back(with_any_place(base, random));
        }
    }
    return cases;
}

std::vector<GemmCase> alignment_sweep(Breadth breadth, std::uint64_t seed) {
    constexpr Size sizes[] = {{132, 68, 12}, {131, 130, 9}, {64, 128, 16}};
    std::vector<GemmCase> cases;
    Random random(seed + 3);
    std::size_t turn = 0;
    for (const Operations& operations : main_operations) {
        for (const auto& misalignment : triples(breadth, 4)) {
            GemmCase one = with_vectors(draw(operations, sizes[turn++ % std::size(sizes)], random));
            std::ranges::copy(misalignment, one.misalignment.begin());
            cases.push_back(one);
        }
    }
    return cases;
}

std::vector<GemmCase> leading_dimension_sweep(Breadth breadth, std::uint64_t seed) {
    constexpr Size sizes[] = {{132, 68, 12}, {129, 130, 9}, {64, 128, 16}};
    std::vector<GemmCase> cases;
    Random random(seed + 4);
    std::size_t turn = 0;
    for (const Operations& operations : main_operations) {
        for (const auto& padding : triples(breadth, 6)) {
            GemmCase one = draw(operations, sizes[turn++ % std::size(sizes)], random);
            set_leading_dimensions(one, padding);
            cases.push_back(one);
        }
    }
    return cases;
}

std::vector<GemmCase> scalar_sweep(Breadth breadth, std::uint64_t seed) {
    constexpr Size sizes[] = {{33, 18, 5}, {130, 129, 9}, {7, 5, 0}, {132, 4, 8}};
    constexpr DataPattern patterns[] = {DataPattern::integers, DataPattern::zeros, DataPattern::integers};
    std::vector<GemmCase> cases;
    Random random(seed + 5);
    std::size_t turn = 0;
    const auto add = [&](float alpha, float beta, PointerMode mode, const Size& size) {
        const Operations& operations = all_operations[turn % std::size(all_operations)];
        GemmCase one = draw(operations, size, random);
        one.alpha = alpha;
        one.beta = beta;
        one.pointer_mode = mode;
        one.data = patterns[turn % std::size(patterns)];
        cases.push_back(turn % 2 == 0 ? with_vectors(one) : with_any_place(one, random));
        ++turn;
    };
    for (const float alpha : special_scalars) {
        for (const float beta : special_scalars) {
            if (breadth == Breadth::quick && alpha != 0.0f && beta != 0.0f) continue;
            for (const PointerMode mode : {PointerMode::host, PointerMode::device}) {
                if (breadth != Breadth::full) {
                    add(alpha, beta, mode, sizes[turn / 2 % std::size(sizes)]);
                    continue;
                }
                for (const Size& size : sizes) add(alpha, beta, mode, size);
            }
        }
    }
    return cases;
}

std::vector<GemmCase> batch_sweep(Breadth breadth, std::uint64_t seed) {
    constexpr Size sizes[] = {{33, 18, 5}, {132, 68, 12}, {129, 5, 9}, {4, 132, 8}, {64, 64, 0}};
    constexpr std::array<int, 3> signs[] = {{1, 1, 1},   {0, 1, 1},   {1, 0, -1},
                                            {-1, -1, 1}, {-1, 1, -1}, {0, 0, 1}};
    std::vector<GemmCase> cases;
    Random random(seed + 6);
    std::size_t turn = 0;
    for (const Operations& operations : main_operations) {
        for (const std::int64_t batch_count : {1, 2, 5}) {
            for (const auto& sign : signs) {
                for (const bool arrays : {false, true}) {
                    const std::size_t repeats = breadth == Breadth::full ? std::size(sizes) : 1;
                    for (std::size_t repeat = 0; repeat < repeats; ++repeat, ++turn) {
                        if (breadth == Breadth::quick && turn % 5 != 0) continue;
                        const GemmCase base = draw(operations, sizes[turn % std::size(sizes)], random);
                        // Strides of a multiple of 4 keep the 16-byte loads, odd ones must not.
                        GemmCase one = turn % 2 == 0 ? with_vectors(base) : with_any_place(base, random);
                        one.batch_count = batch_count;
                        one.pointer_arrays = arrays;
                        set_strides(one, sign, turn % 3 == 0 ? 0 : random.below(6));
                        // Overlapping inputs are legal: the second matrix may begin inside the first.
                        if (turn % 7 == 0) one.stride_a = 1;
                        if (turn % 7 == 1) one.stride_b = -one.ldb;
                        cases.push_back(one);
                    }
                }
            }
        }
    }
    return cases;
}

std::vector<GemmCase> pattern_sweep(Breadth breadth, std::uint64_t seed) {
    constexpr Size sizes[] = {{129, 65, 17}, {128, 128, 8}, {1, 1, 1}, {260, 3, 64}, {5, 257, 33}};
    constexpr float betas[] = {0.0f, 1.0f, -0.0f, 0.5f};
    std::vector<GemmCase> cases;
    Random random(seed + 7);
    std::size_t turn = 0;
    for (const Operations& operations : operations_of(breadth)) {
        for (std::size_t pattern = 0; pattern < static_cast<std::size_t>(DataPattern::count); ++pattern) {
            const std::size_t repeats = breadth == Breadth::full ? std::size(sizes) : 1;
            for (std::size_t repeat = 0; repeat < repeats; ++repeat, ++turn) {
                GemmCase one = draw(operations, sizes[turn % std::size(sizes)], random);
                one.data = static_cast<DataPattern>(pattern);
                one.beta = betas[turn / 2 % std::size(betas)];
                // The sum has overflowed before alpha could bring it back.
                one.alpha = one.data == DataPattern::huge ? 0x1p-100f : turn % 3 == 0 ? -1.0f : 1.0f;
                cases.push_back(turn % 2 == 0 ? with_vectors(one) : with_any_place(one, random));
            }
        }
    }
    return cases;
}

}  // namespace sgemm_shim::testing
