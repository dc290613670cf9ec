#include "double_buffer.cuh"

#include "dispatch.hpp"

namespace sgemm_shim::double_buffer {
namespace {

struct Instances {
    static constexpr int tile_m = Shape::m, tile_n = Shape::n, threads = Shape::threads;
    template <Major major_a, Major major_b, int vector_width>
    static constexpr auto instance() {
        return kernel<major_a, major_b, vector_width>;
    }
};

}  // namespace
}  // namespace sgemm_shim::double_buffer

namespace sgemm_shim::kernels {
extern const KernelImplementation double_buffer = TiledKernel<double_buffer::Instances>::implementation();
}
