#include "float4.cuh"

#include "dispatch.hpp"

namespace sgemm_shim::float4_loads {
namespace {

struct Instances {
    static constexpr int tile_m = Shape::m, tile_n = Shape::n, threads = Shape::threads;
    template <Major major_a, Major major_b, int vector_width>
    static constexpr auto instance() {
        return kernel<major_a, major_b, vector_width>;
    }
};

}  // namespace
}  // namespace sgemm_shim::float4_loads

namespace sgemm_shim::kernels {
extern const KernelImplementation float4_loads = TiledKernel<float4_loads::Instances>::implementation();
}
