#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_128x256 = TileKernel<
    tile_pipeline::PipelineShape<WarpTiling<2, 4, 16, 8, 4>, 4, 32, 4, 1, 56, 224>>::implementation();
}
