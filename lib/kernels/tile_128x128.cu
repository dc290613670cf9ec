#include "tile_kernel.hpp"

namespace sgemm_shim {
namespace {

using Shape = tile_pipeline::PipelineShape<WarpTiling<2, 2, 16, 8, 4>, 4, 16, 4, 2, 48, 208>;

}  // namespace

namespace kernels {
extern const KernelImplementation tile_128x128 = TileKernel<Shape>::implementation();
}
}  // namespace sgemm_shim
