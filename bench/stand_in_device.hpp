// The GPU that is meant where there is none.
#pragma once

#include "plan.hpp"

namespace sgemm_bench {

/// An H200 on which every kernel is loaded.
inline sgemm_shim::DeviceFigures h200_figures() {
    sgemm_shim::DeviceFigures figures;
    figures.compute_capability_major = 9;
    figures.multiprocessor_count = 132;
    figures.ready_kernels = ~std::uint64_t{0};
    return figures;
}

}  // namespace sgemm_bench
