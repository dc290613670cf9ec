#include "thread_tile_2d.cuh"

#include "dispatch.hpp"

namespace sgemm_shim::thread_tile_2d {
namespace {

struct Instances {
    static constexpr int tile_m = Shape::m, tile_n = Shape::n, threads = Shape::threads;
    template <Major major_a, Major major_b, int vector_width>
    static constexpr auto instance() {
        return kernel<major_a, major_b>;
    }
};

}  // namespace
}  // namespace sgemm_shim::thread_tile_2d

namespace sgemm_shim::kernels {
extern const KernelImplementation thread_tile_2d = TiledKernel<thread_tile_2d::Instances>::implementation();
}
