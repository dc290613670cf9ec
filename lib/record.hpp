// What happened to the calls: counters, the log, the summary at exit. Free of locks except where a line is
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "entry_points.h"
#include "plan.hpp"

namespace sgemm_shim {

/// The exported GEMM functions: cuBLAS's, and this library's own.
// clang-format off
enum class EntryPoint : std::uint8_t {
#define SGEMM_SHIM_ENUMERATOR(enumerator, symbol) enumerator,
    SGEMM_SHIM_PRODUCTS(SGEMM_SHIM_ENUMERATOR, SGEMM_SHIM_ENUMERATOR)
#undef SGEMM_SHIM_ENUMERATOR
    api_sgemm,
    count
};
// clang-format on

/// The symbol that the program called.
const char* to_string(EntryPoint entry_point);

/// Counts the call and, as the settings say, logs it. `status` is the cublasStatus_t that the program gets.
void record(EntryPoint entry_point, const GemmCall& call, const Plan& plan, int status);

/// One line of the counters.
struct CounterRow {
    EntryPoint entry_point;
    const Kernel* kernel;  ///< nullptr: forwarded
    ForwardReason reason;
    std::uint64_t calls;
    double flops;
};

/// Calls visit(state, row) for each row with at least one call, kernels before reasons.
void visit_counters(void (*visit)(void* state, const CounterRow& row), void* state);

/// Copies the rows with at least one call into `rows`, kernels before reasons; returns how many there are,
/// which can exceed rows.size().
std::size_t read_counters(std::span<CounterRow> rows);

void reset_counters();

/// The summary as text, without a trailing NUL; returns its length, at most text.size().
std::size_t write_summary(std::span<char> text);

/// Prints the summary if the settings ask for one and a call was recorded.
void report_at_exit();

}  // namespace sgemm_shim
