#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_16x128 = TileKernel<
    tile_pipeline::PipelineShape<WarpTiling<1, 4, 4, 4, 4>, 4, 16, 6, 4, 40, 88>>::implementation();
}
