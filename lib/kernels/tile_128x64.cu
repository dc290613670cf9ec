#include "tile_kernel.hpp"

namespace sgemm_shim {
namespace {

using Shape = tile_pipeline::PipelineShape<WarpTiling<2, 2, 8, 8>, 2, 16, 4, 2>;

}  // namespace

namespace kernels {
extern const KernelImplementation tile_128x64 = TileKernel<Shape>::implementation();
}
}  // namespace sgemm_shim
