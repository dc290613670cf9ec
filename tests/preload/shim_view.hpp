// What a test that runs under the shim can learn from it.
#pragma once

#include <string>

namespace sgemm_shim::testing {

/// The summary since reset_shim(). Throws std::runtime_error if this process is not running under the shim.
std::string shim_summary();

void reset_shim();

/// The reason of a call that could be served if there were a GPU: "driver" without one, "context" where there
/// is one, because nobody here makes a CUDA context.
std::string reason_without_context();

}  // namespace sgemm_shim::testing
