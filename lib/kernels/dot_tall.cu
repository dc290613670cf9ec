#include "register_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation dot_tall = RegisterTileKernel<
    register_tile::ByMajorOfA<register_tile::Shape<4, 8, 1, 4, 4, 1, 6, 2>,
                              register_tile::Shape<1, 32, 4, 1, 4, 1, 6, 2>>>::implementation();
}
