// What every function of the stand-in CUDA runtime does around its work.
#pragma once

#include <cuda_runtime_api.h>

#include "tests/chain/device/device.hpp"

namespace stand_in_runtime {

/// Of the calling thread, and of this copy of the runtime: the program's and those of the libraries do not
/// see each other's errors.
extern thread_local cudaError_t last_error;

/// The name of the file that this copy of the runtime is linked into.
const char* own_file();

/// Makes the call, unless it is to fail on purpose, and keeps its error.
template <class Call>
cudaError_t make_call(const char* function, Call call) {
    cudaError_t status = software_gpu::fault_for(own_file(), function);
    if (status == cudaSuccess) status = call();
    if (status != cudaSuccess) last_error = status;
    return status;
}

/// The body of a function: MAKE_CALL(return software_gpu::...).
#define MAKE_CALL(...) return stand_in_runtime::make_call(__func__, [&]() -> cudaError_t { __VA_ARGS__; })

}  // namespace stand_in_runtime
