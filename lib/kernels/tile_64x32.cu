#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_64x32 =
    TileKernel<tile_pipeline::PipelineShape<WarpTiling<2, 2, 4, 4>, 4, 16, 4, 4, 40, 88>>::implementation();
}
