#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_64x128 =
    TileKernel<tile_pipeline::PipelineShape<WarpTiling<2, 4, 4, 8>, 4, 16, 4, 2>>::implementation();
}
