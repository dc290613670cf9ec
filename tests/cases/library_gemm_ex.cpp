// Rows whose point is cublasGemmEx itself. Part of contract_library, which runs with NVIDIA_TF32_OVERRIDE=0.
// The file's name puts it behind the process's first product, which is in contract_library.cpp: doctest goes
// by file name.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "captured_output.hpp"
#include "tests/gpu/cublas_program.hpp"

namespace sgemm_shim::testing {
namespace {

TEST_CASE("cublasGemmEx is served") {
    const Handle handle;
    check_cublas(cublasSetStream(handle, cudaStreamPerThread), "cublasSetStream");
    for (const char* line : {"m=1024 n=1024 k=1024 data=integers", "ops=TT m=33 n=65 k=17 beta=0.5",
                             "ops=TN m=160 n=3200 k=1536 lda=3072 beta=1 data=integers"}) {
        for (const EntryWidth width : both_widths)
            CHECK(run_case(parse_case(line), handle, {Function::gemm_ex, width}) == "");
    }
}

TEST_CASE("cublasGemmEx refuses a leading dimension and says so") {
    const Handle handle;
    const std::vector<float> before(std::size_t{256} * 128, 5.0f);
    const DeviceArray<float> a(before), b(before), c(before);
    const float one = 1.0f;
    count_call(CallClass::invalid, {Function::gemm_ex, EntryWidth::bits_32});
    CapturedOutput output;
    const cublasStatus_t status = cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 256, 128, 64, &one, a.data(),
                                               CUDA_R_32F, 32, b.data(), CUDA_R_32F, 64, &one, c.data(),
                                               CUDA_R_32F, 256, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    const std::string printed = output.end();
    CHECK(status == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(printed == " ** On entry to GEMM_EX  parameter number 9 had an illegal value\n");
    check_cuda(cudaDeviceSynchronize(), "nothing to do");
    CHECK(c.download() == before);
}

TEST_CASE("NVIDIA_TF32_OVERRIDE=0 makes cublasGemmEx exact in TF32 math mode") {
    const char* value = std::getenv("NVIDIA_TF32_OVERRIDE");
    REQUIRE(value != nullptr);
    REQUIRE(std::string(value) == "0");
    const Handle handle;
    check_cublas(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH), "cublasSetMathMode");
    CHECK(run_case(parse_case("m=256 n=256 k=256 data=fine_a"), handle,
                   {Function::gemm_ex, EntryWidth::bits_32}, CallClass::tf32) == "");
}

}  // namespace
}  // namespace sgemm_shim::testing
