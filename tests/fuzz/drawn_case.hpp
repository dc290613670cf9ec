// A test case from a fuzzer's bytes. Every case that comes out is legal.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/engine/gemm_case.hpp"

namespace sgemm_shim::testing {

GemmCase draw_case(FuzzedDataProvider& bytes);

/// The fuzzer's bytes, and behind them, as FuzzedDataProvider reads, as many as a case can need, which depend
/// on all of the fuzzer's: it likes short inputs, and what is drawn from none is always the same.
std::vector<std::uint8_t> extended(const std::uint8_t* data, std::size_t size);

}  // namespace sgemm_shim::testing
