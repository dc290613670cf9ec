#include "uncoalesced.cuh"

#include "dispatch.hpp"

namespace sgemm_shim::uncoalesced {
namespace {

struct Instances {
    static constexpr int tile_m = tile, tile_n = tile, threads = element_per_thread::threads;
    template <Major major_a, Major major_b, int vector_width>
    static constexpr auto instance() {
        return kernel<major_a, major_b>;
    }
};

}  // namespace
}  // namespace sgemm_shim::uncoalesced

namespace sgemm_shim::kernels {
extern const KernelImplementation uncoalesced = TiledKernel<uncoalesced::Instances>::implementation();
}
