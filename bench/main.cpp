// sgemm_bench: the kernels against the real cuBLAS. See --help.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <span>

#include "choices.hpp"
#include "host_cost.hpp"
#include "options.hpp"
#include "report.hpp"
#include "runner.hpp"
#include "stand_in_device.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace sgemm_bench {
namespace {

constexpr int exit_wrong = 1;
constexpr int exit_usage = 2;
constexpr int exit_skipped = 77;

std::ofstream open_output(const std::string& path) {
    std::ofstream file;
    if (path.empty()) return file;
    file.open(path);
    if (!file) throw InputError("cannot write " + path);
    return file;
}

/// The clock of the time budget.
class Stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Run {
    std::vector<Result> results;
    std::vector<std::string> left_out;
    bool gpu_lost = false;

    bool all_well() const {
        for (const Result& result : results) {
            if (result.status == "WRONG" || result.status == "failed") return false;
        }
        return !gpu_lost;
    }
};

void run_shapes(Runner& runner, const Options& options, const Stopwatch& stopwatch,
                const std::vector<Shape>& shapes, const std::vector<Contestant>& contestants,
                std::ostream& csv, Run& run) {
    std::map<std::string, double> speeds;  // TFLOP/s of each kernel's last measurement
    const auto is_too_slow = [&](const Shape& shape, const Contestant& contestant) {
        const auto speed = speeds.find(contestant.asked);
        if (options.longest_call_ms == 0 || speed == speeds.end()) return false;
        return to_problem(shape).flops() > speed->second * 1e9 * options.longest_call_ms;
    };
    const auto may_go_on = [&](const Shape& shape, const Contestant& contestant, bool cold) {
        const bool in_time = options.time_budget_s == 0 || stopwatch.seconds() < options.time_budget_s;
        if (in_time && !run.gpu_lost && !is_too_slow(shape, contestant)) return true;
        run.left_out.push_back(shape.name + " " + contestant.asked + (cold ? " cold" : " warm"));
        return false;
    };
    write_table_header(std::cout);
    for (const Shape& shape : shapes) {
        try {
            runner.run(
                shape, contestants,
                [&](const Contestant& contestant, bool cold) { return may_go_on(shape, contestant, cold); },
                [&](const Result& result) {
                    run.results.push_back(result);
                    if (result.is_timed()) speeds[result.asked] = result.ours.tflops;
                    write_table_row(std::cout, result);
                    if (!options.csv_file.empty()) write_csv_row(csv, result);
                });
        } catch (const CudaError& error) {
            std::cout << "the GPU cannot be used any more: " << error.what() << '\n';
            run.gpu_lost = true;
        }
    }
}

int benchmark(const Options& options, std::span<char* const> arguments) {
    const Stopwatch stopwatch;
    const std::vector<Contestant> contestants = find_contestants(options.kernels);
    const auto [shapes, facts] = select_shapes(options);
    for (const Shape& shape : shapes) to_problem(shape);  // finds mistakes before the GPU is asked
    // First of all: a run that fails must be repeatable. A comment where the output is a file of another
    // kind.
    if (options.list_figures) {
        write_figures(std::cout);
        return 0;
    }
    const bool only_lists = options.list_shapes || options.list_plans;
    if (options.seed) std::cout << (only_lists ? "# " : "") << "seed: " << *options.seed << '\n';
    if (options.list_plans) {
        write_csv_header(std::cout, read_run_facts(options.commit, arguments));
        for (const Result& plan : list_plans(shapes, contestants, h200_figures()))
            write_csv_row(std::cout, plan);
        return 0;
    }
    if (options.list_shapes) {
        write_shapes(std::cout, shapes);
        return 0;
    }

    if (options.host_cost) {
        const std::vector<HostCost> costs = measure_host_cost(contestants);
        write_host_cost(std::cout, costs);
        // With shapes, the file is for those.
        std::ofstream csv = open_output(shapes.empty() ? options.csv_file : "");
        if (csv.is_open()) write_host_cost_csv(csv, read_run_facts(options.commit, arguments), costs);
        const bool all_launched =
            std::all_of(costs.begin(), costs.end(), [](const HostCost& cost) { return cost.all_launched; });
        if (!all_launched || (csv.is_open() && !csv.flush())) return exit_wrong;
    }
    if (shapes.empty()) return 0;

    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess || devices == 0) {
        std::printf("skipped: no GPU: %s\n",
                    status != cudaSuccess ? cudaGetErrorString(status) : "none found");
        return exit_skipped;
    }
    std::ofstream csv = open_output(options.csv_file);
    std::ofstream json = open_output(options.json_file);
    check(cudaSetDevice(0), "cudaSetDevice");
    check(cudaFree(nullptr), "making a CUDA context");
    const GpuMonitor monitor(0);
    Runner runner(options, shapes, monitor);
    Provenance provenance = read_gpu_facts(0, monitor, runner.cublas_version());
    for (const Provenance& more : {read_run_facts(options.commit, arguments), facts})
        provenance.insert(provenance.end(), more.begin(), more.end());
    if (csv.is_open()) write_csv_header(csv, provenance);

    runner.warm_up();
    Run run;
    run_shapes(runner, options, stopwatch, shapes, contestants, csv, run);
    provenance.emplace_back("sm_clock_after_mhz", std::to_string(monitor.sm_clock_mhz()));

    std::cout << '\n';
    for (const auto& [name, value] : provenance) std::cout << name << ": " << value << '\n';
    std::vector<Summary> summaries = summarize(run.results);
    // Of candidates a mean says nothing.
    if (options.every_choice)
        std::erase_if(summaries, [](const Summary& summary) { return summary.asked != "auto"; });
    write_summary(std::cout, "", summaries);
    for (const std::string& name : run.left_out) std::cout << "left out: " << name << '\n';
    if (csv.is_open()) {
        csv << "# " << provenance.back().first << ": " << provenance.back().second << '\n';
        for (const std::string& name : run.left_out) csv << "# left out: " << name << '\n';
        write_summary(csv, "# ", summaries);
    }
    if (json.is_open()) write_json(json, provenance, run.results, run.left_out, summaries);
    if ((csv.is_open() && !csv.flush()) || (json.is_open() && !json.flush())) {
        std::cerr << "the results could not be written\n";
        return exit_wrong;
    }
    return run.all_well() ? 0 : exit_wrong;
}

}  // namespace
}  // namespace sgemm_bench

int main(int argc, char** argv) {
    using namespace sgemm_bench;
    try {
        const Options options = parse_options(std::span<const char* const>(argv + 1, argv + argc));
        if (options.help) {
            std::cout << help_text();
            return 0;
        }
        return benchmark(options, std::span<char* const>(argv, static_cast<std::size_t>(argc)));
    } catch (const InputError& error) {
        std::cerr << "sgemm_bench: " << error.what() << '\n';
        return exit_usage;
    } catch (const std::exception& error) {
        std::cerr << "sgemm_bench: " << error.what() << '\n';
        return exit_wrong;
    }
}
