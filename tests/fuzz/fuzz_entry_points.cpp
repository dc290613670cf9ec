// libFuzzer target: a call of an exported function, as a program makes it: over the stand-in runtime and the
// stand-in cuBLAS to a kernel on the software GPU, or on to the stand-in cuBLAS. Results against FP64.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "drawn_case.hpp"
#include "sgemm_shim/sgemm_shim.h"
#include "tests/gpu/cublas_program.hpp"

using namespace sgemm_shim;
using namespace sgemm_shim::testing;

namespace {

[[noreturn]] void fail(const std::string& text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    std::abort();
}

Entry draw_entry(FuzzedDataProvider& bytes, bool has_batch) {
    Entry entry(
        has_batch ? bytes.PickValueInArray(batched_functions) : bytes.PickValueInArray(every_function),
        bytes.PickValueInArray(both_widths));
    if (bytes.ConsumeBool()) entry.compute_type = CUBLAS_COMPUTE_32F_PEDANTIC;
    entry.algorithm = static_cast<cublasGemmAlgo_t>(bytes.ConsumeBool() ? -1 : 99);
    return entry;
}

/// Small sizes and leading dimensions, legal or not, over memory that is large enough for all of them.
void call_with_anything(FuzzedDataProvider& bytes, cublasHandle_t handle) {
    static const DeviceArray<float>& memory = *new DeviceArray<float>(std::vector<float>(300, 1.0f));
    // Values that the type itself can hold.
    const auto operation = [&] { return static_cast<cublasOperation_t>(bytes.ConsumeIntegralInRange(0, 3)); };
    const auto size = [&] { return bytes.ConsumeIntegralInRange(-2, 9); };
    const float scalars[] = {1.0f, 0.0f};
    check_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
    float* p = memory.data();
    const cublasOperation_t transa = operation(), transb = operation();
    const int m = size(), n = size(), k = size(), lda = size(), ldb = size(), ldc = size();
    const cublasStatus_t status = cublasSgemm(handle, transa, transb, m, n, k, &scalars[0], p, lda, p + 100,
                                              ldb, &scalars[1], p + 200, ldc);
    const auto is_operation = [](cublasOperation_t value) { return value <= CUBLAS_OP_C; };
    const bool legal = is_operation(transa) && is_operation(transb) && m >= 0 && n >= 0 && k >= 0 &&
                       lda >= std::max(1, transa == CUBLAS_OP_N ? m : k) &&
                       ldb >= std::max(1, transb == CUBLAS_OP_N ? k : n) && ldc >= std::max(1, m);
    if (status != (legal ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE))
        fail("status " + std::to_string(status) + " for sizes " + std::to_string(m) + " " +
             std::to_string(n) + " " + std::to_string(k) + ", leading dimensions " + std::to_string(lda) +
             " " + std::to_string(ldb) + " " + std::to_string(ldc));
    check_cuda(cudaDeviceSynchronize(), "a product of ones");
}

struct Objects {
    Handle handle;
    Stream stream;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Objects& objects = *new Objects;
    const std::vector<std::uint8_t> drawn_from = extended(data, size);
    FuzzedDataProvider bytes(drawn_from.data(), drawn_from.size());
    sgemm_shim_kernel kernel{};
    if (sgemm_shim_kernel_at(bytes.ConsumeIntegral<std::uint8_t>() % sgemm_shim_kernel_count(), &kernel) !=
            0 ||
        sgemm_shim_choose_kernel(kernel.name) != 0)
        fail("a kernel of the list cannot be chosen");
    const cudaStream_t streams[] = {nullptr, cudaStreamPerThread, objects.stream};
    const std::size_t stream = bytes.ConsumeIntegralInRange<std::size_t>(0, 2);
    check_cublas(cublasSetStream(objects.handle, streams[stream]), "cublasSetStream");
    if (bytes.ConsumeIntegralInRange(0, 7) == 0) {
        call_with_anything(bytes, objects.handle);
        return 0;
    }
    GemmCase drawn = draw_case(bytes);
    drawn.pointer_arrays = false;  // decided by the function
    // These share an array of pointers into one buffer; cuBLAS's operands begin where cudaMalloc() says.
    drawn.misalignment = {};
    const Entry entry = draw_entry(bytes, drawn.batch_count > 1);
    if (is_grouped(entry.function)) drawn.pointer_mode = PointerMode::host;  // it takes no others
    const bool captured = streams[stream] == objects.stream && bytes.ConsumeBool();
    CublasCase product(drawn);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (captured) {
        const Graph graph(objects.stream, [&] { status = product.call(objects.handle, entry); });
        graph.replay(objects.stream);
    } else {
        status = product.call(objects.handle, entry);
        check_cuda(cudaDeviceSynchronize(), "the product");
    }
    if (status != CUBLAS_STATUS_SUCCESS) fail(to_line(drawn) + ": status " + std::to_string(status));
    const std::string finding = product.finding();
    if (!finding.empty()) fail(symbol_of(entry) + " by " + kernel.name + ": " + finding);
    return 0;
}
