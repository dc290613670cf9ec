#include "register_cache.cuh"

#include "dispatch.hpp"

namespace sgemm_shim::register_cache {
namespace {

struct Instances {
    static constexpr int tile_m = Shape::m, tile_n = Shape::n, threads = Shape::threads;
    template <Major major_a, Major major_b, int vector_width>
    static constexpr auto instance() {
        return kernel<major_a, major_b>;
    }
};

}  // namespace
}  // namespace sgemm_shim::register_cache

namespace sgemm_shim::kernels {
extern const KernelImplementation register_cache = TiledKernel<register_cache::Instances>::implementation();
}
