#include "staged_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation staged_16x16 =
    StagedTileKernel<staged_tile::Shape<16, 16, 32, 1, 1>>::implementation();
}
