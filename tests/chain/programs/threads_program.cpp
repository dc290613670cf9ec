// A cuBLAS program of eight threads, for ThreadSanitizer and under LD_PRELOAD.
//
//     threads_program shared   all on one handle
//     threads_program own      each on handles that it makes and destroys all the time
//     threads_program fork     and the process forks meanwhile; the children call, too
//     threads_program exit     main() returns while they call
//
// Calls that are served and calls that are forwarded; kernels are chosen and counters read meanwhile. Exit
// status: 0 if all products and statuses are right.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sgemm_shim/sgemm_shim.h"
#include "tests/gpu/cublas_program.hpp"

using namespace sgemm_shim::testing;

namespace {

constexpr int thread_count = 8;
constexpr int rounds = 30;

std::atomic<bool> all_is_well{true};

void complain(const std::string& text) {
    std::fprintf(stderr, "WRONG: %s\n", text.c_str());
    all_is_well = false;
}

/// A function of the library's own interface: preloaded or linked, it is there.
template <class Function>
Function* library_function(const char* name) {
    auto* function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    if (function == nullptr) throw std::runtime_error(std::string("not under the library: no ") + name);
    return function;
}

std::string summary() {
    char text[8192] = "";
    library_function<decltype(sgemm_shim_summary)>("sgemm_shim_summary")(text, sizeof text);
    return text;
}

void change_settings(int round) {
    constexpr const char* kernels[] = {"auto", "naive", "float4", "cublas"};
    library_function<decltype(sgemm_shim_choose_kernel_for_thread)>("sgemm_shim_choose_kernel_for_thread")(
        kernels[round % 4]);
    library_function<decltype(sgemm_shim_choose_kernel)>("sgemm_shim_choose_kernel")(
        kernels[(round + 1) % 3]);
    summary();
}

GemmCase case_of(int thread, int round) {
    GemmCase gemm_case =
        parse_case(round % 2 == 0 ? "ops=TN m=17 n=9 k=11 beta=1 data=integers"
                                  : "ops=NT m=9 n=20 k=5 batch=2 stride_a=45 stride_b=100 stride_c=180 "
                                    "data=integers beta=0.5");
    gemm_case.seed = static_cast<std::uint64_t>(thread * rounds + round);
    return gemm_case;
}

void use(cublasHandle_t handle, int thread, int round) {
    const GemmCase gemm_case = case_of(thread, round);
    const int turn = round / 2;
    const Function function = round % 2 == 0 ? every_function[turn % std::size(every_function)]
                                             : batched_functions[turn % std::size(batched_functions)];
    const std::string finding = run_case(gemm_case, handle, {function, both_widths[turn % 2]});
    if (!finding.empty()) complain(finding);
    // Forwarded, and refused.
    CublasCase refused("m=8 n=8 k=8");
    if (refused.call(nullptr, {}, CallClass::no_handle) != CUBLAS_STATUS_NOT_INITIALIZED)
        complain("no handle, and no complaint");
}

void run_thread(cublasHandle_t shared, int thread) {
    try {
        check_cuda(cudaSetDevice(0), "cudaSetDevice");
        for (int round = 0; round < rounds; ++round) {
            change_settings(round + thread);
            if (shared != nullptr) {
                use(shared, thread, round);
                continue;
            }
            const Handle own;
            const Stream stream;
            check_cublas(cublasSetStream(own, stream), "cublasSetStream");
            if (round % 3 == 0)
                check_cublas(cublasSetMathMode(own, CUBLAS_TF32_TENSOR_OP_MATH), "cublasSetMathMode");
            use(own, thread, round);
        }
    } catch (const std::exception& error) {
        complain(error.what());
    }
}

/// The two calls of a child, and the only places that they are called from: see know_the_calls_of_a_child().
[[gnu::noinline]] bool product_fails(cublasHandle_t handle) {
    const float one = 1.0f;
    float* const nowhere = nullptr;
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &one, 1, &one, 1, &one, nowhere, 1) !=
           CUBLAS_STATUS_SUCCESS;
}
[[gnu::noinline]] bool creation_fails(cublasHandle_t* handle) {
    return cublasCreate(handle) != CUBLAS_STATUS_SUCCESS;
}

/// The library opens cuBLAS at the first call from a place. While another thread does so, ThreadSanitizer
/// holds a lock of its own, which a child of fork() inherits as held: opening anything there would never end.
/// So the parent, still alone, calls first.
void know_the_calls_of_a_child() {
    cublasHandle_t handle = nullptr;
    if (!product_fails(nullptr)) complain("no handle, and no complaint");
    if (creation_fails(&handle)) complain("no handle to be had");
    check_cublas(cublasDestroy(handle), "cublasDestroy");
}

/// CUDA does not work in a child of fork(): a call there must say so, and come back.
void call_in_child(cublasHandle_t inherited) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        cublasHandle_t own = nullptr;
        const bool right = product_fails(inherited) && creation_fails(&own);
        // As a program ends that was forked: no handlers, no destructors.
        _exit(right ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        complain("a forked child: status " + std::to_string(status));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc == 2 ? argv[1] : "";
    if (what != "shared" && what != "own" && what != "fork" && what != "exit") {
        std::fprintf(stderr, "usage: threads_program shared|own|fork|exit\n");
        return 2;
    }
    check_cuda(cudaSetDevice(0), "cudaSetDevice");
    // Never destroyed: with "exit" threads use it to the end.
    static const Handle& handle = *new Handle;
    if (what == "exit") {
        std::atomic<int> begun{0};
        for (int i = 0; i < thread_count; ++i) {
            std::thread([i, &begun] {
                ++begun;
                for (;;) run_thread(i % 2 == 0 ? static_cast<cublasHandle_t>(handle) : nullptr, i);
            }).detach();
        }
        while (begun < thread_count) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return all_is_well ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (what == "fork") know_the_calls_of_a_child();
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; ++i) {
        const bool shares = what == "shared" || (what == "fork" && i % 2 == 0);
        threads.emplace_back(run_thread, shares ? static_cast<cublasHandle_t>(handle) : nullptr, i);
    }
    if (what == "fork") {
        for (int i = 0; i < 10; ++i) call_in_child(handle);
    }
    for (std::thread& thread : threads) thread.join();
    if (const std::string text = summary(); text.find(", 0 served") != std::string::npos) complain(text);
    return all_is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
