#include "staged_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation staged_8x8 =
    StagedTileKernel<staged_tile::Shape<8, 8, 32, 1, 1, 4>>::implementation();
}
