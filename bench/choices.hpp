// The ways in which a kernel can be launched, and their names.
#pragma once

#include <string>
#include <vector>

#include "contestant.hpp"

namespace sgemm_bench {

/// "k_parts=2", "resident_blocks=264;tail_tiles=8;tail_k_parts=4": the members that are not as usual; empty
/// for one block for each tile of C.
std::string to_string(const sgemm_shim::Partition& partition);

/// Each partition that is worth a measurement on so many multiprocessors, the plain one first: k in parts, up
/// to what the kernel takes, with as many steps for each part as the cost model asks for and no more than two
/// waves of blocks; blocks that go from tile to tile; and the tiles of a last wave that is not full in parts
/// of their own, together one wave at most.
std::vector<sgemm_shim::Partition> partitions(const Problem& problem, const sgemm_shim::Kernel& row,
                                              int multiprocessors);

/// Each contestant in every way that it can be launched for the problem; those that choose for themselves
/// stay as they are.
std::vector<Contestant> with_every_choice(const std::vector<Contestant>& contestants, const Problem& problem,
                                          int multiprocessors);

/// The tiled kernels of the table as plain text: a line of names, then one for each; see fit_model.py.
void write_figures(std::ostream& out);

}  // namespace sgemm_bench
