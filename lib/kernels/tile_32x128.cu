#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_32x128 =
    TileKernel<tile_pipeline::PipelineShape<WarpTiling<1, 4, 4, 8>, 2, 16, 4, 4>>::implementation();
}
