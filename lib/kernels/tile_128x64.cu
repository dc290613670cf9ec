#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation tile_128x64 =
    TileKernel<tile_pipeline::PipelineShape<WarpTiling<2, 2, 8, 8>, 4, 16, 4, 2, 88, 168>>::implementation();
}
