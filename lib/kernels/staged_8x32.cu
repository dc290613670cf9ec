#include "staged_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation staged_8x32 =
    StagedTileKernel<staged_tile::Shape<8, 32, 32, 1, 1>>::implementation();
}
