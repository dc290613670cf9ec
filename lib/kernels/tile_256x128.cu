#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_256x128 = TileKernel<
    tile_pipeline::PipelineShape<WarpTiling<4, 2, 16, 8, 4>, 4, 32, 4, 1, 56, 224>>::implementation();
}
