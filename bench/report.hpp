// Results as a table, CSV and JSON.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "provenance.hpp"
#include "shape.hpp"
#include "statistics.hpp"

namespace sgemm_bench {

/// One kernel on one shape, warm or cold, beside cuBLAS.
struct Result {
    Shape shape;
    std::string asked;   ///< the kernel of the command line
    std::string kernel;  ///< the name of the row that served it; cublas: forwarded
    std::string choice;  ///< how that row was launched, if not with one block for each tile
    bool cold = false;
    std::string status = "ok";  ///< ok, or what went wrong: then there are no times
    std::string note;           ///< why the call was forwarded, and the like
    Figures ours, cublas;
    double ratio_low = 0;  ///< lowest and highest of the rounds
    double ratio_high = 0;
    double event_us = 0;  ///< confirmation by plain launches; 0: not measured
    double cublas_event_us = 0;
    std::size_t rounds = 0;
    std::int64_t launches = 0;  ///< timed calls of ours for each round
    std::int64_t rotations = 1;
    std::size_t allocation_nodes = 0;  ///< of cuBLAS's graph
    double difference = 0;             ///< largest difference from cuBLAS's C, in units of what is tolerated
    unsigned sm_clock_mhz = 0;         ///< while it ran

    /// How many times faster than cuBLAS.
    double ratio() const { return cublas.us / ours.us; }
    /// Whether the shim would have handed the call to cuBLAS, whose own speed `ours` then is.
    bool is_forwarded() const { return kernel == "cublas" && asked != "cublas"; }
    bool is_timed() const { return status == "ok"; }
};

struct Summary;

/// Comments before a CSV.
void write_provenance(std::ostream& out, const Provenance& provenance);
void write_csv_header(std::ostream& out, const Provenance& provenance);
void write_csv_row(std::ostream& out, const Result& result);

void write_json(std::ostream& out, const Provenance& provenance, std::span<const Result> results,
                std::span<const std::string> left_out, std::span<const Summary> summaries);

void write_table_header(std::ostream& out);
void write_table_row(std::ostream& out, const Result& result);

}  // namespace sgemm_bench
