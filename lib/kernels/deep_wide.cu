#include "register_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation deep_wide =
    RegisterTileKernel<register_tile::Shape<1, 1, 1, 4, 4, 4, 6>>::implementation();
}
