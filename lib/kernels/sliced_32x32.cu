#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation sliced_32x32 = TileKernel<
    tile_pipeline::PipelineShape<WarpTiling<1, 1, 8, 4, 4, 4>, 4, 32, 4, 4, 40, 88>>::implementation();
}
