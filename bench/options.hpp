// The command line of the benchmark.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "provenance.hpp"
#include "shape.hpp"
#include "statistics.hpp"

namespace sgemm_bench {

struct Options {
    std::vector<std::string> kernels;  ///< numbers, names, `auto`, `all`, `production`
    std::vector<std::int64_t> sizes;
    bool squares = false;
    bool second_source = false;
    std::vector<std::string> shapes;  ///< each --shapes
    std::string shapes_file;
    std::vector<std::string> logs;  ///< each --replay
    std::int64_t random_count = 0;
    std::optional<std::uint64_t> seed;   ///< of the random shapes; there is one whenever random_count > 0
    std::vector<Operations> operations;  ///< empty: the default of each kind of shape
    bool row_major = false;
    Variation variation;  ///< of every shape
    bool with_unaligned = false;
    std::optional<float> beta;
    bool cold = false;
    bool every_choice = false;
    int rounds = 7;
    double min_time_ms = 40;
    double time_budget_s = 0;    ///< 0: none
    double longest_call_ms = 0;  ///< 0: no limit
    Roofline roofline;
    bool host_cost = false;
    bool list_shapes = false;
    bool list_plans = false;
    bool list_figures = false;
    std::string csv_file;
    std::string json_file;
    std::string commit;
    bool help = false;
};

/// Throws InputError. Random shapes without a seed get a new one.
Options parse_options(std::span<const char* const> arguments);

/// The text of --help.
std::string help_text();

/// What is to be measured, and what a reader of the results must know of it: the roofline, the seed of random
/// shapes, what came of the logs.
struct Selection {
    std::vector<Shape> shapes;
    Provenance facts;
};

/// Everything that the options ask for, in the order of the command line's description. Reads the files.
Selection select_shapes(const Options& options);

}  // namespace sgemm_bench
