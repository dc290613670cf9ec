// What a served call costs the host before the GPU has it.
#pragma once

#include <iosfwd>
#include <vector>

#include "options.hpp"
#include "runner.hpp"

namespace sgemm_bench {

/// Times plan(), plan and the launch path with cudaLaunchKernelExC stubbed out, and the same with the
/// counters, for each contestant over its shapes; prints nanoseconds a call. Needs no GPU: the figures of an
/// H200 stand in for it. False if a call did not end in exactly one launch.
bool report_host_cost(std::ostream& out, const std::vector<Contestant>& contestants);

}  // namespace sgemm_bench
