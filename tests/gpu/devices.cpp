// Two GPUs in one process, with a handle, a stream and operands on each: used by turns, and by two threads at
// the same time. What the library keeps of a device (its figures, the kernels that are loaded there, the
// limits of their functions, workspaces) is of no use on another one. To be run under the shim, as
// graphs.cpp.
#include <doctest/doctest.h>

#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "cublas_program.hpp"
#include "tests/support/test_program.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr int two = 2;

bool has_two_devices() {
    int count = 0;
    check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    if (count >= two) return true;
    note_skipped_case("one CUDA device, and this takes two");
    return false;
}

struct Product {
    const char* line;
    Function function;
};

/// Every function. Among the shapes are ones that auto divides along k, in clusters or in a workspace.
/// Integers only with beta != 0, because of the signs of zeros.
constexpr Product products[] = {
    {"ops=TN m=64 n=64 k=600 beta=1 data=integers", Function::sgemm},
    {"ops=NN m=1 n=2 k=800 beta=1 data=integers", Function::sgemm},
    {"ops=TT m=1 n=51 k=300 scalars=device data=random", Function::sgemm},
    {"ops=NT m=33 n=18 k=70 alpha=-1 beta=1 data=integers", Function::sgemm_ex},
    {"ops=NN m=65 n=33 k=100 lda=68 beta=0.5 data=random", Function::gemm_ex},
    {"ops=TN m=36 n=20 k=41 batch=3 stride_a=1476 stride_b=820 stride_c=720 beta=0.5 data=random",
     Function::strided_batched},
    {"ops=NN m=36 n=20 k=41 batch=3 stride_a=1476 stride_b=820 stride_c=720 data=random", Function::batched},
    {"ops=NT m=16 n=48 k=32 batch=4 stride_a=512 stride_b=1536 stride_c=768 data=random",
     Function::strided_batched_ex},
    {"ops=CN m=16 n=48 k=32 batch=4 stride_a=512 stride_b=1536 stride_c=768 data=random",
     Function::batched_ex},
    {"ops=TN m=129 n=65 k=50 data=random", Function::grouped},
    {"ops=CN m=31 n=130 k=90 beta=1 data=integers", Function::grouped_ex},
};

/// Too much for the software GPU: the shape that was reported, tiles that blocks share, deep products.
constexpr Product larger_products[] = {
    {"ops=NN m=500 n=8235 k=100 beta=1 data=integers", Function::sgemm},
    {"ops=TN m=1152 n=1152 k=1152 beta=1 data=integers", Function::sgemm},
    {"ops=TN m=64 n=64 k=20000 beta=1 data=integers", Function::gemm_ex},
    {"ops=TN m=1 n=2 k=60000 beta=1 data=integers", Function::sgemm},
};

/// What the program has on one device. All of its functions make that one current.
class Lane {
  public:
    Lane(int device, std::span<const Product> all) : device_(device) {
        make_current();
        stream_ = std::make_unique<Stream>();
        handle_ = std::make_unique<Handle>();
        check_cublas(cublasSetStream(*handle_, *stream_), "cublasSetStream");
        for (const Product& product : all)
            cases_.push_back({std::make_unique<CublasCase>(product.line), product.function});
    }
    ~Lane() { cudaSetDevice(device_); }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    std::size_t size() const { return cases_.size(); }
    cudaStream_t stream() const { return *stream_; }

    /// Does not wait.
    void multiply(std::size_t i, EntryWidth width) {
        make_current();
        check_cublas(cases_[i].product->call(*handle_, {cases_[i].function, width}), "a product");
    }
    std::string finding(std::size_t i) {
        make_current();
        stream_->synchronize();
        return cases_[i].product->finding();
    }
    void make_current() const { check_cuda(cudaSetDevice(device_), "cudaSetDevice"); }

  private:
    struct Case {
        std::unique_ptr<CublasCase> product;
        Function function;
    };
    int device_;
    std::unique_ptr<Stream> stream_;
    std::unique_ptr<Handle> handle_;
    std::vector<Case> cases_;
};

/// What is wrong with any product of one lane, which nobody disturbs.
std::string multiply_everything(Lane& lane) {
    for (std::size_t i = 0; i < lane.size(); ++i) {
        for (const EntryWidth width : both_widths) {
            lane.multiply(i, width);
            if (const std::string finding = lane.finding(i); !finding.empty()) return finding;
        }
    }
    return "";
}

/// Each product on both devices before anybody waits.
void multiply_by_turns(std::span<const Product> all) {
    Lane lanes[] = {{0, all}, {1, all}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(all[i].line);
        for (const EntryWidth width : both_widths) {
            for (Lane& lane : lanes) lane.multiply(i, width);
            for (Lane& lane : lanes) CHECK(lane.finding(i) == "");
        }
    }
    CHECK(cudaPeekAtLastError() == cudaSuccess);
}

// First of all, so that it is the first product of the process. Alone in a process it leaves the other cases
// a process that begins on the first device.
TEST_CASE("the first product of the process is on the second device") {
    if (!has_two_devices()) return;
    REQUIRE(calls_made(CallClass::ordinary) == 0);
    Lane second(1, products);
    CHECK(multiply_everything(second) == "");
    Lane first(0, products);
    CHECK(multiply_everything(first) == "");
    CHECK(multiply_everything(second) == "");
    CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("handles of two devices are used by turns") {
    if (has_two_devices()) multiply_by_turns(products);
}

TEST_CASE("larger products on two devices by turns") {
    if (has_two_devices()) multiply_by_turns(larger_products);
}

TEST_CASE("two threads, each with a device of its own") {
    if (!has_two_devices()) return;
    std::string findings[two];
    std::vector<std::thread> threads;
    for (int device = 0; device < two; ++device) {
        threads.emplace_back([device, &finding = findings[device]] {
            try {
                Lane lane(device, products);
                finding = multiply_everything(lane);
            } catch (const std::exception& error) {
                finding = error.what();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& finding : findings) CHECK(finding == "");
}

TEST_CASE("graphs of two devices are replayed by turns") {
    if (!has_two_devices()) return;
    Lane lanes[] = {{0, products}, {1, products}};
    for (std::size_t i = 0; i < std::size(products); ++i) {
        CAPTURE(products[i].line);
        std::vector<std::unique_ptr<Graph>> graphs;
        for (Lane& lane : lanes) {
            lane.make_current();
            graphs.push_back(
                std::make_unique<Graph>(lane.stream(), [&] { lane.multiply(i, EntryWidth::bits_32); }));
        }
        for (int replay = 0; replay < 2; ++replay) {
            for (int device = 0; device < two; ++device) {
                lanes[device].make_current();
                graphs[static_cast<std::size_t>(device)]->launch(lanes[device].stream());
            }
            for (Lane& lane : lanes) CHECK(lane.finding(i) == "");
        }
    }
}

}  // namespace
}  // namespace sgemm_shim::testing
