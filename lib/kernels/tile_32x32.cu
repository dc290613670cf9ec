#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_32x32 =
    TileKernel<tile_pipeline::PipelineShape<WarpTiling<1, 2, 4, 4>, 2, 16, 4, 6>>::implementation();
}
