#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation sliced_64x64 = TileKernel<
    tile_pipeline::PipelineShape<WarpTiling<1, 1, 16, 8, 4, 4>, 4, 32, 4, 2, 48, 208>>::implementation();
}
