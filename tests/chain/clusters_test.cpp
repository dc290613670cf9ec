// What a program in a green context, or in a share of MPS, can meet: the device's attributes speak of all its
// multiprocessors, and a cluster of blocks that the library has reckoned with does not fit into those that
// are left. To be run with SOFTWARE_GPU_LARGEST_CLUSTER.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sgemm_shim/sgemm_shim.h"
#include "tests/gpu/cublas_program.hpp"

namespace sgemm_shim::testing {
namespace {

/// Deep enough for every kernel to divide them among clusters on a GPU that is otherwise idle.
constexpr const char* deep_products[] = {"ops=TN m=4 n=4 k=3000 beta=1 data=integers",
                                         "ops=NT m=33 n=2 k=800 alpha=-1 beta=0.5 data=integers"};
constexpr const char* flat_product = "ops=NN m=40 n=24 k=9 beta=1 data=integers";

/// How many clusters of so many blocks the device says it can hold.
int active_clusters(unsigned blocks) {
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {blocks, 1, 1};
    cudaLaunchConfig_t configuration{};
    configuration.attrs = &cluster;
    configuration.numAttrs = 1;
    int count = -1;
    check_cuda(cudaOccupancyMaxActiveClusters(&count, &cluster, &configuration), "occupancy");
    return count;
}

struct Counts {
    std::uint64_t served = 0, failed_launches = 0, others = 0;
};

Counts read_counts() {
    std::vector<sgemm_shim_counter> rows(sgemm_shim_read_counters(nullptr, 0));
    rows.resize(std::min(rows.size(), sgemm_shim_read_counters(rows.data(), rows.size())));
    Counts counts;
    for (const sgemm_shim_counter& row : rows) {
        const bool launch = row.forwarded && std::string_view(row.reason_name) == "launch failed";
        (launch ? counts.failed_launches : row.forwarded ? counts.others : counts.served) += row.calls;
    }
    return counts;
}

TEST_CASE("a product in clusters that do not fit ends right, by another way, and leaves nothing behind") {
    const char* limit = std::getenv("SOFTWARE_GPU_LARGEST_CLUSTER");
    REQUIRE(limit != nullptr);
    const auto largest = static_cast<unsigned>(std::atoi(limit));
    CHECK(active_clusters(largest) > 0);
    CHECK(active_clusters(largest + 1) == 0);
    int multiprocessors = 0;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "attribute");
    CHECK(multiprocessors == 8);

    const Handle handle;
    const Stream stream;
    check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
    std::uint64_t failed_launches = 0;
    for (const char* kernel : {"auto", "dot", "one_fetch", "tile_32x32"}) {
        CAPTURE(kernel);
        CHECK(sgemm_shim_choose_kernel(kernel) == 0);
        sgemm_shim_reset_counters();
        for (const char* line : deep_products) {
            CHECK(run_case(parse_case(line), handle) == "");
            CHECK(cudaGetLastError() == cudaSuccess);
            CublasCase product(line);
            const Graph graph(stream, [&] { CHECK(product.call(handle) == CUBLAS_STATUS_SUCCESS); });
            graph.replay(stream);
            CHECK(product.finding() == "");
        }
        const Counts deep = read_counts();
        CHECK(deep.others == 0);
        // A cluster of two is one already.
        if (largest == 1) CHECK(deep.failed_launches > 0);
        failed_launches += deep.failed_launches;
        // What needs no cluster is served as ever.
        sgemm_shim_reset_counters();
        CHECK(run_case(parse_case(flat_product), handle) == "");
        CHECK(read_counts().served == 1);
    }
    CHECK(failed_launches > 0);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
}

}  // namespace
}  // namespace sgemm_shim::testing
