#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_32x64 =
    TileKernel<tile_pipeline::PipelineShape<WarpTiling<1, 4, 4, 4>, 2, 16, 4, 5>>::implementation();
}
