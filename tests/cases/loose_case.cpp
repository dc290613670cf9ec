#include "loose_case.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "tests/engine/case_runner.hpp"

namespace sgemm_shim::testing {
namespace {

/// One float for each address is half of what it takes.
constexpr std::size_t floats_per_pointer = 2;
static_assert(sizeof(float*) == floats_per_pointer * sizeof(float));

/// Addresses of the matrices of a strided batch, in memory that kernels can read.
class PointerArray {
  public:
    PointerArray(float* first, std::int64_t stride, std::int64_t count)
        : buffer_(static_cast<std::size_t>(count) * floats_per_pointer, 0) {
        std::vector<float> words(buffer_.size());
        for (std::int64_t i = 0; i < count; ++i) {
            const float* address = first + i * stride;
            std::memcpy(words.data() + static_cast<std::size_t>(i) * floats_per_pointer, &address,
                        sizeof address);
        }
        buffer_.upload(words);
    }
    template <class Element>
    Element* const* as() const {
        return reinterpret_cast<Element* const*>(buffer_.data());
    }

  private:
    DeviceBuffer buffer_;
};

GemmCall with_host_scalars(const GemmCase& gemm_case) {
    GemmCall call = shape_of(gemm_case);
    call.alpha = &gemm_case.alpha;
    call.beta = &gemm_case.beta;
    call.pointer_mode = PointerMode::host;
    return call;
}

/// Launches the calls one after the other and waits; what went wrong.
std::string launch(const Kernel& kernel, std::initializer_list<GemmCall> calls) {
    if (!backend_figures().is_ready(kernel)) return "the kernel is not ready";
    for (const GemmCall& call : calls) {
        if (!kernel.implementation->supports(call)) return "the kernel does not support it";
        const cudaError_t status = kernel.implementation->launch(call, {}, {}, backend_stream());
        if (status != cudaSuccess) return "launch() answers " + std::to_string(static_cast<int>(status));
    }
    try {
        synchronize_backend();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

/// Operands and what is expected of them.
struct Loose {
    Problem problem;
    Expectation expectation;
    DeviceOperand a, b, c;

    explicit Loose(const GemmCase& gemm_case)
        : problem(make_problem(gemm_case)),
          expectation(expect(gemm_case, problem)),
          a(problem.a, gemm_case.misalignment[0], false),
          b(problem.b, gemm_case.misalignment[1], false),
          c(problem.c, gemm_case.misalignment[2], false) {
        a.upload(problem.a, false);
        b.upload(problem.b, false);
        c.upload(problem.c, false);
    }

    void place(GemmCall& call) const {
        call.a = a.matrices<const float>();
        call.b = b.matrices<const float>();
        call.c = c.matrices<float>();
    }

    std::string judge() const {
        const Comparison comparison = compare(problem, c.download(problem.c), expectation);
        return comparison.wrong == 0 ? "" : comparison.first;
    }
};

}  // namespace

std::string run_by_pointers(const GemmCase& gemm_case, const Kernel& kernel) {
    const Loose loose(gemm_case);
    GemmCall call = with_host_scalars(gemm_case);
    loose.place(call);
    const PointerArray a(const_cast<float*>(call.a.first), call.a.stride, gemm_case.batch_count);
    const PointerArray b(const_cast<float*>(call.b.first), call.b.stride, gemm_case.batch_count);
    const PointerArray c(call.c.first, call.c.stride, gemm_case.batch_count);
    call.a = {nullptr, a.as<const float>(), gemm_case.lda, 0};
    call.b = {nullptr, b.as<const float>(), gemm_case.ldb, 0};
    call.c = {nullptr, c.as<float>(), gemm_case.ldc, 0};
    const std::string finding = launch(kernel, {call});
    return finding.empty() ? loose.judge() : finding;
}

std::string run_with_late_scalars(const GemmCase& gemm_case, const Kernel& kernel) {
    const Loose loose(gemm_case);
    DeviceBuffer values(2, 0), one(1, 1), scalars(2, 3);
    values.upload(std::vector<float>{gemm_case.alpha, gemm_case.beta});
    one.upload(std::vector<float>{1.0f});

    // scalars = values * 1, each by a product of its own; until then they are NaN.
    constexpr float host_one = 1.0f, host_zero = 0.0f;
    GemmCall writer;
    writer.m = writer.n = writer.k = 1;
    writer.alpha = &host_one;
    writer.beta = &host_zero;
    writer.pointer_mode = PointerMode::host;
    writer.b = {one.data(), nullptr, 1, 0};
    writer.a = {values.data(), nullptr, 1, 0};
    writer.c = {scalars.data(), nullptr, 1, 0};
    GemmCall second = writer;
    second.a.first = values.data() + 1;
    second.c.first = scalars.data() + 1;

    GemmCall call = with_host_scalars(gemm_case);
    loose.place(call);
    call.alpha = scalars.data();
    call.beta = scalars.data() + 1;
    call.pointer_mode = PointerMode::device;
    const std::string finding = launch(kernel, {writer, second, call});
    return finding.empty() ? loose.judge() : finding;
}

std::string run_overlapping(const ProductCall& product, const Kernel& kernel) {
    const GemmCase& gemm_case = product.gemm_case;
    const auto floats = [](const OperandLayout& layout) { return static_cast<std::size_t>(layout.size()); };
    const auto filled = [](DeviceBuffer& buffer) {
        buffer.upload(std::vector<float>(buffer.size(), 1.0f));
        return buffer.data();
    };
    GemmCall call = with_host_scalars(gemm_case);
    if (product.overlap == "abc") {
        DeviceBuffer all(std::max({floats(gemm_case.layout_a()), floats(gemm_case.layout_b()),
                                   floats(gemm_case.layout_c())}),
                         0);
        float* first = filled(all);
        call.a = {first, nullptr, gemm_case.lda, gemm_case.stride_a};
        call.b = {first, nullptr, gemm_case.ldb, gemm_case.stride_b};
        call.c = {first, nullptr, gemm_case.ldc, gemm_case.stride_c};
        return launch(kernel, {call});
    }
    DeviceBuffer a(floats(gemm_case.layout_a()), 0), b(floats(gemm_case.layout_b()), 0),
        c(static_cast<std::size_t>(gemm_case.layout_c().extent()), 0);
    const PointerArray each_a(filled(a), gemm_case.stride_a, gemm_case.batch_count);
    const PointerArray each_b(filled(b), gemm_case.stride_b, gemm_case.batch_count);
    const PointerArray one_c(filled(c), 0, gemm_case.batch_count);
    call.a = {nullptr, each_a.as<const float>(), gemm_case.lda, 0};
    call.b = {nullptr, each_b.as<const float>(), gemm_case.ldb, 0};
    call.c = {nullptr, one_c.as<float>(), gemm_case.ldc, 0};
    return launch(kernel, {call});
}

}  // namespace sgemm_shim::testing
