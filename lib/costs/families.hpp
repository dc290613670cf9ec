// What a launch takes, in microseconds, by family of kernels. What is measured here is measured on one NVIDIA
// H200, by fitting the constants of each file to the times of every kernel over 386 shapes, 321 of them
// random (bench/fit_costs.py). What differs between GPUs - multiprocessors, clock, memory - comes from the
// device's own figures.
#pragma once

#include "figures.hpp"

namespace sgemm_shim::costs {

float pipeline_us(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost, float tiles,
                  const ClusterSize& cluster);
/// Where as many blocks as the GPU holds share the tiles.
float shared_tiles_us(const CallFigures& call, const TileFigures& tile, const PipelineCost& cost,
                      float tiles);

float registers_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost, float tiles,
                   const ClusterSize& cluster);
/// With parts that meet in a workspace.
float meeting_parts_us(const CallFigures& call, const TileFigures& tile, const RegistersCost& cost,
                       float tiles, unsigned parts);

float staged_us(const CallFigures& call, const TileFigures& tile, const StagedCost& cost, float tiles,
                const ClusterSize& cluster);

/// one_fetch.
float fetch_us(const CallFigures& call, const ClusterSize& cluster);
/// tiny_matrices.
float tiny_us(const CallFigures& call);

}  // namespace sgemm_shim::costs
