#include "register_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation dot_wide = RegisterTileKernel<
    register_tile::ByMajorOfB<register_tile::Shape<1, 8, 1, 4, 1, 4, 6, 2>,
                              register_tile::Shape<1, 32, 1, 1, 1, 4, 6, 2>>>::implementation();
}
