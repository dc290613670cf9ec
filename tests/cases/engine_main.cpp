// Runs the rows of tests/data/cases.csv that belong to this program's machine, on every kernel of the table.
//     PROGRAM CASES.CSV [--id=ID] [--kernel=NAME] [--seed=N] [--times]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "engine_rows.hpp"
#include "tests/engine/backend.hpp"

namespace sgemm_shim::testing {
namespace {

struct Options {
    std::string path, id;
    Selection selection;
    bool times = false;
};

Options parse_arguments(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto value = [&] { return argument.substr(argument.find('=') + 1); };
        if (argument.starts_with("--id=")) {
            options.id = value();
        } else if (argument.starts_with("--kernel=")) {
            const Kernel* kernel = find_kernel(value());
            if (kernel == nullptr || kernel->implementation == nullptr)
                throw std::invalid_argument("no kernel '" + value() + "'");
            options.selection.kernel = kernel->name;
        } else if (argument.starts_with("--seed=")) {
            options.selection.seed = std::stoull(value());
        } else if (argument == "--times") {
            options.times = true;
        } else if (!argument.starts_with("-") && options.path.empty()) {
            options.path = argument;
        } else {
            throw std::invalid_argument("usage: " + std::string(argv[0]) +
                                        " CASES.CSV [--id=ID] [--kernel=NAME] [--seed=N] [--times]");
        }
    }
    if (options.path.empty()) throw std::invalid_argument("which cases.csv?");
    return options;
}

struct Totals {
    std::size_t passed = 0, failed = 0, rows = 0, elsewhere = 0, tests = 0, pending = 0;
};

void run_row(const CaseRow& row, const Options& options, Totals& totals) {
    const Report report = [&](const std::string& line, const std::string& finding) {
        ++(finding.empty() ? totals.passed : totals.failed);
        if (!finding.empty()) std::printf("FAILED %s: %s\n", line.c_str(), finding.c_str());
    };
    const auto start = std::chrono::steady_clock::now();
    const std::size_t before = totals.passed + totals.failed;
    try {
        row.runner == "large" ? run_large_row(row, options.selection, report)
                              : run_engine_row(row, options.selection, report);
    } catch (const std::exception& error) {
        report(row.id + ": " + row.call, error.what());
    }
    // A row that names one kernel has nothing to do when another one was asked for.
    if (totals.passed + totals.failed == before && options.selection.kernel.empty())
        report(row.id + ": " + row.call, "nothing ran");
    if (options.times)
        std::printf("%7.2f s %5zu runs  line %d %s %s %s\n",
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                    totals.passed + totals.failed - before, row.line, row.id.c_str(), row.runner.c_str(),
                    row.call.c_str());
    std::fflush(stdout);
}

int run(int argc, char** argv) {
    Options options = parse_arguments(argc, argv);
    const std::vector<CaseRow> rows = read_case_rows(options.path);
    if (const char* reason = reason_backend_is_missing()) {
        std::printf("skipped: %s\n", reason);
        return 77;
    }
    const bool software = std::string_view(backend_name()) == "software GPU";
    options.selection.all_kernels_everywhere = !software;
    Totals totals;
    for (const CaseRow& row : rows) {
        if (!options.id.empty() && options.id != row.id) continue;
        if (row.runner == "pending") {
            ++totals.pending;
            std::printf("pending: %s: %s\n", row.id.c_str(), row.call.c_str());
        } else if (row.runner == "test") {
            ++totals.tests;
        } else if (!row.runs_on(software ? "software" : "gpu")) {
            ++totals.elsewhere;
        } else {
            ++totals.rows;
            run_row(row, options, totals);
        }
    }
    std::printf(
        "rows: %zu run here, %zu need another machine, %zu are tests of other programs, %zu pending\n",
        totals.rows, totals.elsewhere, totals.tests, totals.pending);
    std::printf("cases: %zu passed, %zu failed (%s, seed %llu)\n", totals.passed, totals.failed,
                backend_name(), static_cast<unsigned long long>(options.selection.seed));
    return totals.failed == 0 && totals.passed != 0 ? 0 : 1;
}

}  // namespace
}  // namespace sgemm_shim::testing

int main(int argc, char** argv) {
    try {
        return sgemm_shim::testing::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
