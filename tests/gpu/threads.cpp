// 8 threads, each with streams and handles of its own, and then all with one handle: every product is right,
// and has the bits that one thread alone gets. To be run under the shim: cuBLAS itself promises the same bits
// only while one stream is active.
#include <doctest/doctest.h>

#include <barrier>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "cublas_program.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr int thread_count = 8, streams_per_thread = 2, repeats = 4;

struct Product {
    const char* line;
    Function function;
};

/// Shapes that a kernel would split along k, ones that fill the GPU and ones that do not; every function.
constexpr Product products[] = {
    {"ops=TN m=64 n=64 k=20000 data=random", Function::sgemm},
    {"ops=NN m=700 n=699 k=701 beta=0.5 data=random", Function::gemm_ex},
    {"ops=NT m=33 n=18 k=5000 alpha=0.7 beta=1 data=random", Function::sgemm_ex},
    {"ops=TT m=1 n=513 k=300 scalars=device data=random", Function::sgemm},
    {"ops=TN m=100 n=50 k=200 batch=9 stride_a=20000 stride_b=10000 stride_c=5000 beta=0.5 data=random",
     Function::strided_batched},
    {"ops=NN m=36 n=20 k=3000 batch=5 stride_a=108000 stride_b=60000 stride_c=720 data=random",
     Function::batched},
    {"ops=NT m=64 n=48 k=32 batch=40 stride_a=2048 stride_b=1536 stride_c=3072 data=random",
     Function::strided_batched_ex},
    {"ops=NN m=65 n=31 k=77 batch=3 stride_a=5005 stride_b=2387 stride_c=2015 data=random",
     Function::batched_ex},
    {"ops=TN m=129 n=65 k=1000 batch=2 stride_a=129000 stride_b=65000 stride_c=8385 data=random",
     Function::grouped},
    {"ops=CN m=31 n=130 k=90 beta=1 data=random", Function::grouped_ex},
};

using Cases = std::vector<std::unique_ptr<CublasCase>>;
using Results = std::vector<std::vector<float>>;

Cases make_cases() {
    Cases cases;
    for (const Product& product : products) cases.push_back(std::make_unique<CublasCase>(product.line));
    return cases;
}

/// All products on the handle's stream, and then all of C. C is set back.
Results multiply(Cases& cases, cublasHandle_t handle, EntryWidth width) {
    for (std::size_t i = 0; i < cases.size(); ++i)
        check_cublas(cases[i]->call(handle, {products[i].function, width}), products[i].line);
    cudaStream_t stream = nullptr;
    check_cublas(cublasGetStream(handle, &stream), "cublasGetStream");
    check_cuda(cudaStreamSynchronize(stream), "the products");
    Results results;
    for (const auto& product : cases) {
        results.push_back(product->result());
        product->restore();
    }
    return results;
}

bool same_bits(const Results& first, const Results& second) {
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i].size() != second[i].size() ||
            std::memcmp(first[i].data(), second[i].data(), first[i].size() * sizeof(float)) != 0)
            return false;
    }
    return first.size() == second.size();
}

/// Compared with FP64: whatever has the same bits is right, too.
Results results_of_one_thread() {
    const Handle handle;
    Cases cases = make_cases();
    for (std::size_t i = 0; i < cases.size(); ++i)
        CHECK(run_case(cases[i]->description(), handle, {products[i].function, EntryWidth::bits_32}) == "");
    const Results results = multiply(cases, handle, EntryWidth::bits_32);
    CHECK(same_bits(multiply(cases, handle, EntryWidth::bits_64), results));
    return results;
}

/// A stream and a handle with everything to multiply.
struct Lane {
    Stream stream;
    Handle handle;
    Cases cases = make_cases();
    Lane() { check_cublas(cublasSetStream(handle, stream), "cublasSetStream"); }
};

std::vector<std::unique_ptr<Lane>> make_lanes() {
    check_cuda(cudaSetDevice(0), "cudaSetDevice");
    std::vector<std::unique_ptr<Lane>> lanes;
    for (int i = 0; i < streams_per_thread; ++i) lanes.push_back(std::make_unique<Lane>());
    return lanes;
}

/// What goes wrong in a thread that does everything in each of its lanes.
std::string multiply_repeatedly(const Results& expected, std::barrier<>& start) {
    std::vector<std::unique_ptr<Lane>> lanes;
    try {
        lanes = make_lanes();
    } catch (...) {
        start.arrive_and_drop();  // or the others would wait for ever
        throw;
    }
    start.arrive_and_wait();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        for (const auto& lane : lanes) {
            for (const EntryWidth width : both_widths) {
                if (!same_bits(multiply(lane->cases, lane->handle, width), expected)) return "other bits";
            }
        }
    }
    return "";
}

/// Runs `work()` in 8 threads, and checks that each returns nothing to complain about.
template <class Work>
void in_threads(Work work) {
    std::vector<std::string> findings(thread_count);
    std::vector<std::thread> threads;
    for (std::string& finding : findings) {
        threads.emplace_back([&finding, &work] {
            try {
                finding = work();
            } catch (const std::exception& error) {
                finding = error.what();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& finding : findings) CHECK(finding == "");
}

TEST_CASE("8 threads with streams and handles of their own get the bits that one gets") {
    const Results expected = results_of_one_thread();
    std::barrier start(thread_count);
    in_threads([&] { return multiply_repeatedly(expected, start); });
}

TEST_CASE("8 threads on one handle get the bits that one gets") {
    const Results expected = results_of_one_thread();
    const Handle shared;
    in_threads([&]() -> std::string {
        check_cuda(cudaSetDevice(0), "cudaSetDevice");
        // The pointer mode is the handle's, and so everybody's: only products with host scalars here.
        Cases cases = make_cases();
        for (int repeat = 0; repeat < repeats; ++repeat) {
            for (std::size_t i = 0; i < cases.size(); ++i) {
                if (cases[i]->description().pointer_mode == PointerMode::device) continue;
                check_cublas(cases[i]->call(shared, {products[i].function, both_widths[repeat % 2]}),
                             products[i].line);
                check_cuda(cudaDeviceSynchronize(), products[i].line);
                if (!same_bits({cases[i]->result()}, {expected[i]}))
                    return std::string("other bits: ") + products[i].line;
                cases[i]->restore();
            }
        }
        return "";
    });
}

}  // namespace
}  // namespace sgemm_shim::testing
