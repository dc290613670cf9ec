#include "naive.cuh"

#include "../kernel_table.hpp"
#include "dispatch.hpp"

namespace sgemm_shim::naive {
namespace {

bool supports(const GemmCall& call) {
    return grid_size(call, tile, tile) != 0;
}

cudaError_t launch_kernel(const GemmCall& call, cudaStream_t stream) {
    return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
        return launch(kernel<major_a, major_b>, grid_size(call, tile, tile), threads, 0, stream,
                      gemm_arguments(call));
    });
}

const void* const functions[] = {
    reinterpret_cast<const void*>(kernel<Major::mn, Major::mn>),
    reinterpret_cast<const void*>(kernel<Major::mn, Major::k>),
    reinterpret_cast<const void*>(kernel<Major::k, Major::mn>),
    reinterpret_cast<const void*>(kernel<Major::k, Major::k>),
};

}  // namespace
}  // namespace sgemm_shim::naive

namespace sgemm_shim::kernels {
extern const KernelImplementation naive{sgemm_shim::naive::launch_kernel, sgemm_shim::naive::supports,
                                        sgemm_shim::naive::functions};
}
