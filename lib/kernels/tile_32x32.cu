#include "tile_kernel.hpp"

namespace sgemm_shim {
namespace {

using Shape = tile_pipeline::PipelineShape<WarpTiling<1, 2, 4, 4>, 2, 16, 4, 8>;

}  // namespace

namespace kernels {
extern const KernelImplementation tile_32x32 = TileKernel<Shape>::implementation();
}
}  // namespace sgemm_shim
