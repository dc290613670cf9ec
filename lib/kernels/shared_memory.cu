#include "shared_memory.cuh"

#include "dispatch.hpp"

namespace sgemm_shim::shared_memory_tile {
namespace {

struct Instances {
    static constexpr int tile_m = Shape::m, tile_n = Shape::n, threads = Shape::threads;
    template <Major major_a, Major major_b, int vector_width>
    static constexpr auto instance() {
        return kernel<major_a, major_b>;
    }
};

}  // namespace
}  // namespace sgemm_shim::shared_memory_tile

namespace sgemm_shim::kernels {
extern const KernelImplementation shared_memory =
    TiledKernel<shared_memory_tile::Instances>::implementation();
}
