// A cuBLAS program under LD_PRELOAD, in which one call after the other of the library's own CUDA runtime
// fails. Whatever fails, a product ends right, or with a status that says it did not, and nothing of it shows
// in the program's own CUDA errors.
//
//     fault_program first COUNT STATUS      the first product of a process: one failing call, number COUNT
//     fault_program contexts CAPTURE STATUS the first product of a context, again and again: call 1, 2, 3 ...
//                                           until none is left to fail; CAPTURE: plain or captured
//
// Prints a line for each failing call: its name, and the status of the product. Exit status: 0 if all is
// well.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/chain/device/device.hpp"
#include "tests/gpu/cublas_program.hpp"

using namespace sgemm_shim::testing;

namespace {

bool all_is_well = true;

void complain(const std::string& text) {
    std::printf("WRONG: %s\n", text.c_str());
    all_is_well = false;
}

/// The product and, if it claims success, its result.
cublasStatus_t multiply(cublasHandle_t handle, bool captured) {
    CublasCase product("ops=TN m=37 n=21 k=19 beta=0.5 data=integers");
    if (!captured) {
        const cublasStatus_t status = product.call(handle);
        check_cuda(cudaDeviceSynchronize(), "the product");
        const std::string finding = product.finding();
        if (status == CUBLAS_STATUS_SUCCESS && !finding.empty()) complain("success, but " + finding);
        return status;
    }
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    {
        const Graph graph(stream, [&] { status = product.call(handle); });
        graph.replay(stream);
        const std::string finding = product.finding();
        if (status == CUBLAS_STATUS_SUCCESS && !finding.empty()) complain("captured, but " + finding);
    }
    check_cublas(cublasSetStream(handle, nullptr), "cublasSetStream");
    return status;
}

/// Whether a call was there to fail.
bool with_fault(unsigned call, cudaError_t fault, bool captured) {
    // An error that the program has not looked at yet must stay, too.
    const bool has_error = call % 2 == 0;
    void* impossible = nullptr;
    if (has_error) cudaMalloc(&impossible, std::size_t{1} << 60);
    const cudaError_t before = cudaPeekAtLastError();

    software_gpu::inject_fault("libsgemm_shim", call, fault);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    {
        const Handle handle;
        status = multiply(handle, captured);
        const char* failed = software_gpu::fault_injected();
        software_gpu::inject_fault("", 0, cudaSuccess);
        if (cudaPeekAtLastError() != before || cudaGetLastError() != before)
            complain("the program's CUDA error has changed");
        if (failed == nullptr) return false;
        std::printf("%s: status %d\n", failed, static_cast<int>(status));
        // What failed once has broken nothing.
        if (const cublasStatus_t later = multiply(handle, false); later != CUBLAS_STATUS_SUCCESS)
            complain("the next product has status " + std::to_string(static_cast<int>(later)));
    }
    return true;
}

int usage() {
    std::fprintf(stderr, "usage: fault_program first|plain|captured CALL STATUS\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc == 4 ? argv[1] : "";
    if (what != "first" && what != "plain" && what != "captured") return usage();
    const auto first = static_cast<unsigned>(std::atoi(argv[2]));
    const auto fault = static_cast<cudaError_t>(std::atoi(argv[3]));
    try {
        check_cuda(cudaSetDevice(0), "cudaSetDevice");
        if (what == "first") {
            with_fault(first, fault, false);
        } else {
            {
                const Handle handle;
                multiply(handle, false);
            }
            // The library remembers a limited number of contexts.
            constexpr unsigned contexts = 200;
            bool is_left = true;
            for (unsigned call = first; is_left && call < first + contexts; ++call) {
                check_cuda(cudaDeviceReset(), "cudaDeviceReset");
                is_left = with_fault(call, fault, what == "captured");
            }
            if (!is_left) std::printf("no more\n");
        }
    } catch (const std::exception& error) {
        complain(error.what());
    }
    return all_is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
