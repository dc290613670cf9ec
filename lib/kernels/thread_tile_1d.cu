#include "thread_tile_1d.cuh"

#include "dispatch.hpp"

namespace sgemm_shim::thread_tile_1d {
namespace {

struct Instances {
    static constexpr int tile_m = Shape::m, tile_n = Shape::n, threads = Shape::threads;
    template <Major major_a, Major major_b, int vector_width>
    static constexpr auto instance() {
        return kernel<major_a, major_b>;
    }
};

}  // namespace
}  // namespace sgemm_shim::thread_tile_1d

namespace sgemm_shim::kernels {
extern const KernelImplementation thread_tile_1d = TiledKernel<thread_tile_1d::Instances>::implementation();
}
