// A test case from a fuzzer's bytes. Every case that comes out is legal.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include "tests/engine/gemm_case.hpp"

namespace sgemm_shim::testing {

GemmCase draw_case(FuzzedDataProvider& bytes);

}  // namespace sgemm_shim::testing
