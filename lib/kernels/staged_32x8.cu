#include "staged_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation staged_32x8 =
    StagedTileKernel<staged_tile::Shape<32, 8, 32, 1, 1>>::implementation();
}
