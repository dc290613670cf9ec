#include "tile_kernel.hpp"

namespace sgemm_shim::kernels {
extern const KernelImplementation sliced_64x32 = TileKernel<
    tile_pipeline::PipelineShape<WarpTiling<1, 1, 8, 8, 8, 4>, 4, 32, 4, 3, 40, 120>>::implementation();
}
