// Every kernel inside a CUDA graph: only kernel nodes, device scalars read again at each replay, host scalars
// frozen; and the same bits from the same call, however often.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "cuda_objects.hpp"
#include "device.hpp"
#include "kernel_table.hpp"
#include "tests/engine/reference.hpp"
#include "tests/support/test_program.hpp"

const char* reason_to_skip() {
    return sgemm_shim::testing::reason_without_gpu();
}

namespace sgemm_shim::testing {
namespace {

/// One product with its operands on the device.
struct Product {
    GemmCase description;
    Problem problem;
    DeviceArray<float> a, b, c;

    explicit Product(const char* line)
        : description(parse_case(line)),
          problem(make_problem(description)),
          a(problem.a.values),
          b(problem.b.values),
          c(problem.c.values) {}

    GemmCall call(const float* alpha, const float* beta, PointerMode mode) const {
        GemmCall call = shape_of(description);
        call.alpha = alpha;
        call.beta = beta;
        call.a = {a.data(), nullptr, description.lda, 0};
        call.b = {b.data(), nullptr, description.ldb, 0};
        call.c = {c.data(), nullptr, description.ldc, 0};
        call.pointer_mode = mode;
        return call;
    }

    /// Whether C holds the product with these scalars; C is set back to what it was.
    bool is_right(float alpha, float beta) {
        GemmCase expected = description;
        expected.alpha = alpha;
        expected.beta = beta;
        const Comparison comparison = compare(problem, c.download(), expect(expected, problem));
        CAPTURE(comparison.first);
        CHECK(comparison.wrong == 0);
        c.upload(problem.c.values);
        return comparison.wrong == 0;
    }
};

/// beta is not 0 here: the data must not be the NaNs that stand in a C that is not read.
constexpr const char* lines[] = {"ops=NN m=129 n=65 k=33 beta=1 data=integers",
                                 "ops=TN m=512 n=512 k=512 beta=1 data=integers",
                                 "ops=NT m=3 n=5 k=5000 lda=8 beta=1 data=integers"};

template <class Visit>
void for_each_kernel(Visit visit) {
    check_cuda(cudaFree(nullptr), "the context");                    // the next line makes none
    const DeviceFigures& figures = current_device_figures(nullptr);  // prepares the kernels
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation == nullptr) continue;
        CAPTURE(kernel.name);
        REQUIRE(figures.is_ready(kernel));
        visit(*kernel.implementation);
    }
}

/// A first use inside a capture may fail, and in the library never happens: kernels are loaded before.
void load(const KernelImplementation& kernel) {
    for (const void* function : kernel.functions) {
        cudaFuncAttributes attributes{};
        check_cuda(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
    }
}

TEST_CASE("a captured call is kernels and nothing else, and reads device scalars at each replay") {
    for_each_kernel([](const KernelImplementation& kernel) {
        load(kernel);
        for (const char* line : lines) {
            CAPTURE(line);
            Product product(line);
            DeviceArray<float> scalars(std::vector<float>{1.0f, 0.5f});
            const Stream stream;
            const GemmCall call = product.call(scalars.data(), scalars.data() + 1, PointerMode::device);
            if (!kernel.supports(call)) continue;
            const Graph graph(stream, [&] { CHECK(kernel.launch(call, {}, {}, stream) == cudaSuccess); });

            const std::vector<cudaGraphNodeType> nodes = graph.node_types();
            CHECK_FALSE(nodes.empty());
            CHECK(std::ranges::all_of(
                nodes, [](cudaGraphNodeType type) { return type == cudaGraphNodeTypeKernel; }));

            const float pairs[][2] = {{1.0f, 0.5f}, {-2.0f, 1.0f}, {0.0f, 1.0f}, {0.5f, 0.0f}};
            for (const auto& pair : pairs) {
                scalars.upload(pair);
                graph.replay(stream);
                CHECK(product.is_right(pair[0], pair[1]));
            }
        }
    });
}

TEST_CASE("host scalars are frozen when the call is captured") {
    for_each_kernel([](const KernelImplementation& kernel) {
        load(kernel);
        Product product(lines[0]);
        float alpha = 2.0f, beta = -1.0f;
        const Stream stream;
        const Graph graph(stream, [&] {
            CHECK(kernel.launch(product.call(&alpha, &beta, PointerMode::host), {}, {}, stream) ==
                  cudaSuccess);
        });
        alpha = beta = 99.0f;
        for (int replay = 0; replay < 3; ++replay) {
            graph.replay(stream);
            CHECK(product.is_right(2.0f, -1.0f));
        }
    });
}

TEST_CASE("the same call gives the same bits, alone and beside another stream's work") {
    for_each_kernel([](const KernelImplementation& kernel) {
        Product product("ops=NN m=1000 n=999 k=1001 data=random"),
            other("ops=TT m=700 n=700 k=700 data=random");
        const float alpha = 1.1f, beta = 0.0f;
        const Stream stream, other_stream;
        std::vector<float> first;
        for (int repeat = 0; repeat < 5; ++repeat) {
            product.c.fill_with_nan();
            if (repeat > 2)
                CHECK(kernel.launch(other.call(&alpha, &beta, PointerMode::host), {}, {}, other_stream) ==
                      cudaSuccess);
            CHECK(kernel.launch(product.call(&alpha, &beta, PointerMode::host), {}, {}, stream) ==
                  cudaSuccess);
            stream.synchronize();
            other_stream.synchronize();
            const std::vector<float> result = product.c.download();
            if (repeat == 0) first = result;
            CHECK(std::memcmp(first.data(), result.data(), result.size() * sizeof(float)) == 0);
        }
    });
}

}  // namespace
}  // namespace sgemm_shim::testing
