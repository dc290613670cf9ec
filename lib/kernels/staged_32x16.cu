#include "staged_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation staged_32x16 =
    StagedTileKernel<staged_tile::Shape<32, 16, 32, 2, 1>>::implementation();
}
