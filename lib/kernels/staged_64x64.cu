#include "staged_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation staged_64x64 =
    StagedTileKernel<staged_tile::Shape<64, 64, 16, 4, 4>>::implementation();
}
