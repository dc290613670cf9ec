#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_128x128 = TileKernel<
    tile_pipeline::PipelineShape<WarpTiling<2, 2, 16, 8, 4>, 4, 16, 4, 2, 48, 208>>::implementation();
}
