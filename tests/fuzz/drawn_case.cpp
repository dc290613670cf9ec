#include "drawn_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/engine/random.hpp"

namespace sgemm_shim::testing {
namespace {

/// Blocks compute whole tiles, however little of them is asked for: what a call costs on the software GPU is
/// the number of tiles of 128 x 128 times k. So many take some milliseconds.
constexpr std::int64_t most_work = 36;

/// Mostly small; the others lie around the edges of tiles.
std::int64_t draw_size(FuzzedDataProvider& bytes) {
    if (bytes.ConsumeIntegralInRange(0, 7) != 0) return bytes.ConsumeIntegralInRange<std::int64_t>(1, 20);
    constexpr std::int64_t edges[] = {32, 64, 96, 128, 256};
    return bytes.PickValueInArray(edges) + bytes.ConsumeIntegralInRange<std::int64_t>(-3, 3);
}

/// Around the first slices of 8, 16 and 32, seldom more.
std::int64_t draw_depth(FuzzedDataProvider& bytes) {
    constexpr std::int64_t limits[] = {9, 9, 9, 9, 9, 17, 35};
    return bytes.ConsumeIntegralInRange<std::int64_t>(0, bytes.PickValueInArray(limits));
}

float draw_scalar(FuzzedDataProvider& bytes) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float special[] = {0.0f, -0.0f,    1.0f,      -1.0f,     0.5f,      2.0f,
                                 NAN,  infinity, -infinity, 0x1p-100f, -0x1p-20f, 0x1p10f};
    if (bytes.ConsumeBool()) return bytes.PickValueInArray(special);
    return bytes.ConsumeFloatingPointInRange(-1000.0f, 1000.0f);
}

std::int64_t draw_leading_dimension(FuzzedDataProvider& bytes, std::int64_t rows) {
    return std::max<std::int64_t>(rows, 1) + bytes.ConsumeIntegralInRange<std::int64_t>(0, 9);
}

/// Of an operand that is only read: matrices may overlap, be one, or lie backwards.
std::int64_t draw_stride(FuzzedDataProvider& bytes) {
    return bytes.ConsumeIntegralInRange<std::int64_t>(-600, 600);
}

}  // namespace

std::vector<std::uint8_t> extended(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t most_of_a_case = 160;
    std::uint64_t state = size;
    for (std::size_t i = 0; i < size; ++i) state = hash(state ^ data[i]);
    // It reads numbers from the end on.
    std::vector<std::uint8_t> bytes(most_of_a_case);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>((state = hash(state)) >> 56);
    bytes.insert(bytes.end(), data, data + size);
    return bytes;
}

GemmCase draw_case(FuzzedDataProvider& bytes) {
    constexpr Operation operations[] = {Operation::none, Operation::transpose,
                                        Operation::conjugate_transpose};
    GemmCase drawn;
    drawn.operation_a = bytes.PickValueInArray(operations);
    drawn.operation_b = bytes.PickValueInArray(operations);
    drawn.m = draw_size(bytes);
    drawn.n = draw_size(bytes);
    drawn.k = draw_depth(bytes);
    drawn.batch_count = std::max(1, bytes.ConsumeIntegralInRange(-8, 3));
    const auto tiles = [](std::int64_t size) { return (size + 127) / 128; };
    drawn.k = std::min(drawn.k, most_work / tiles(drawn.m) / tiles(drawn.n) / drawn.batch_count);

    const bool transposed_a = drawn.operation_a != Operation::none;
    const bool transposed_b = drawn.operation_b != Operation::none;
    drawn.lda = draw_leading_dimension(bytes, transposed_a ? drawn.k : drawn.m);
    drawn.ldb = draw_leading_dimension(bytes, transposed_b ? drawn.n : drawn.k);
    drawn.ldc = draw_leading_dimension(bytes, drawn.m);
    for (int& misalignment : drawn.misalignment) misalignment = bytes.ConsumeIntegralInRange(0, 3);
    drawn.pointer_mode = bytes.ConsumeBool() ? PointerMode::device : PointerMode::host;
    drawn.alpha = draw_scalar(bytes);
    drawn.beta = draw_scalar(bytes);
    if (drawn.batch_count > 1) {
        drawn.pointer_arrays = bytes.ConsumeIntegralInRange(0, 3) == 0;
        drawn.stride_a = draw_stride(bytes);
        drawn.stride_b = draw_stride(bytes);
        // Matrices of C must not overlap.
        const std::int64_t gap = drawn.layout_c().extent() + bytes.ConsumeIntegralInRange<std::int64_t>(0, 9);
        drawn.stride_c = bytes.ConsumeBool() ? gap : -gap;
        if (drawn.pointer_arrays) {
            // One place for each matrix.
            drawn.stride_a = drawn.layout_a().extent();
            drawn.stride_b = drawn.layout_b().extent();
        }
    }
    drawn.data =
        static_cast<DataPattern>(bytes.ConsumeIntegralInRange(0, static_cast<int>(DataPattern::count) - 1));
    drawn.seed = bytes.ConsumeIntegral<std::uint16_t>();
    return drawn;
}

}  // namespace sgemm_shim::testing
