#include "naive.cuh"

#include "dispatch.hpp"

namespace sgemm_shim::naive {
namespace {

struct Instances {
    static constexpr int tile_m = tile, tile_n = tile, threads = element_per_thread::threads;
    template <Major major_a, Major major_b, int vector_width>
    static constexpr auto instance() {
        constexpr int k_per_load = major_a == Major::k && major_b == Major::k ? vector_width : 1;
        return kernel<major_a, major_b, k_per_load>;
    }
};

}  // namespace
}  // namespace sgemm_shim::naive

namespace sgemm_shim::kernels {
extern const KernelImplementation naive = TiledKernel<naive::Instances>::implementation();
}
