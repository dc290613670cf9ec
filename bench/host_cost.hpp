// What a served call costs the host before the GPU has it.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "provenance.hpp"

namespace sgemm_bench {

/// Nanoseconds a call, medians. Each part contains the ones before.
struct HostCost {
    std::string asked;       ///< the kernel of the command line
    std::string calls;       ///< which kind of calls
    std::size_t served = 0;  ///< different calls that a kernel serves; the others are not timed
    double plan_ns = 0;
    double launch_ns = 0;  ///< plan() and the kernel's launch path
    /// The whole body of an exported function: finding the real cuBLAS, asking its handle, the driver,
    /// plan(), the launch path, the counters. Absent where there is neither a GPU nor a stand-in for cuBLAS,
    /// and so no handle to ask, or where settings have calls forwarded.
    std::optional<double> whole_ns;
    bool all_launched = true;  ///< whatever plan() gave to a kernel
};

/// A million calls for each contestant, kind and part, with cudaLaunchKernelExC stubbed out. Without a GPU
/// the figures of an H200 stand in for it.
std::vector<HostCost> measure_host_cost(const std::vector<Contestant>& contestants);

void write_host_cost(std::ostream& out, const std::vector<HostCost>& costs);
void write_host_cost_csv(std::ostream& out, const Provenance& provenance, const std::vector<HostCost>& costs);

}  // namespace sgemm_bench
