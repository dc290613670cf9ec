#include "double_buffer.cuh"

#include "../kernel_table.hpp"
#include "dispatch.hpp"

namespace sgemm_shim::double_buffer {
namespace {

/// A 16-byte load along mn must not reach past the operand's last row, which the last column of the storage
/// need not pad.
bool has_whole_vectors(const MatrixBatch<const float>& operand, Major major, std::int64_t count_mn,
                       std::int64_t batch_count) {
    return has_aligned_columns(operand, batch_count) && (major == Major::k || count_mn % square == 0);
}

bool supports(const GemmCall& call) {
    return grid_size(call, tile_mn, tile_mn) != 0;
}

cudaError_t launch_kernel(const GemmCall& call, cudaStream_t stream) {
    const bool vectors = has_whole_vectors(call.a, major_of_a(call), call.m, call.batch_count) &&
                         has_whole_vectors(call.b, major_of_b(call), call.n, call.batch_count);
    return dispatch_majors(call, [&]<Major major_a, Major major_b>() {
        return launch(vectors ? kernel<major_a, major_b, 4> : kernel<major_a, major_b, 1>,
                      grid_size(call, tile_mn, tile_mn), threads, 0, stream, gemm_arguments(call),
                      has_aligned_columns(call.c, call.batch_count));
    });
}

const void* const functions[] = {
    reinterpret_cast<const void*>(kernel<Major::mn, Major::mn, 4>),
    reinterpret_cast<const void*>(kernel<Major::mn, Major::k, 4>),
    reinterpret_cast<const void*>(kernel<Major::k, Major::mn, 4>),
    reinterpret_cast<const void*>(kernel<Major::k, Major::k, 4>),
    reinterpret_cast<const void*>(kernel<Major::mn, Major::mn, 1>),
    reinterpret_cast<const void*>(kernel<Major::mn, Major::k, 1>),
    reinterpret_cast<const void*>(kernel<Major::k, Major::mn, 1>),
    reinterpret_cast<const void*>(kernel<Major::k, Major::k, 1>),
};

}  // namespace
}  // namespace sgemm_shim::double_buffer

namespace sgemm_shim::kernels {
extern const KernelImplementation double_buffer{sgemm_shim::double_buffer::launch_kernel,
                                                sgemm_shim::double_buffer::supports,
                                                sgemm_shim::double_buffer::functions};
}
