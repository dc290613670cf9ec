#include "staged_tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation staged_32x32 =
    StagedTileKernel<staged_tile::Shape<32, 32, 16, 2, 2>>::implementation();
}
