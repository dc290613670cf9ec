#include "tile_kernel.hpp"

namespace sgemm_shim {
namespace {

using Shape = tile_pipeline::PipelineShape<WarpTiling<1, 4, 4, 4, 4>, 2, 16, 6, 4>;

}  // namespace

namespace kernels {
extern const KernelImplementation tile_16x128 = TileKernel<Shape>::implementation();
}
}  // namespace sgemm_shim
