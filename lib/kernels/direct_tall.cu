#include "register_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation direct_tall =
    RegisterTileKernel<register_tile::Shape<32, 1, 2, 1, 4, 4, 6>>::implementation();
}
