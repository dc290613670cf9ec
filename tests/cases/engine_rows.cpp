#include "engine_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>

#include "loose_case.hpp"
#include "tests/engine/case_runner.hpp"

namespace sgemm_shim::testing {
namespace {

constexpr int repeats_for_same_bits = 20;

/// Where not everything runs everywhere: how many kernels a neighbour of a row's case runs on, and how many
/// of the production family, which is a few sources, the case itself. By turns; the ladder's run on every
/// row.
constexpr std::size_t kernels_of_a_neighbour = 1;
constexpr std::size_t production_kernels_of_a_row = 3;

std::vector<const Kernel*> kernels_for(const std::string& wanted, const Selection& selection) {
    std::vector<const Kernel*> kernels;
    for (const Kernel& kernel : kernel_table())
        if (is_wanted(kernel, wanted, selection)) kernels.push_back(&kernel);
    return kernels;
}

/// What the property asks for besides a right result.
class PropertyJudge {
  public:
    PropertyJudge(const std::string& property, const GemmCase& gemm_case)
        : property_(property), k_(static_cast<double>(gemm_case.k)) {
        if (property == "correct" || property == "same_bits") return;
        problem_ = make_problem(gemm_case);
        expectation_ = expect(gemm_case, problem_);
    }

    std::string judge(const std::vector<float>& result) const {
        if (property_ == "correct" || property_ == "same_bits") return "";
        if (property_ == "exact")
            return expectation_.exact || expectation_.keeps_bits ? ""
                                                                 : "the row's data does not make it exact";
        const double limit = property_ == "error_1e-6" ? 1e-6 : 2 * std::sqrt(k_) * 0x1p-23;  // error_sqrt_k
        const double error = compare(problem_, result, expectation_).largest_error * unit_roundoff;
        // Not "error > limit": a NaN must fail.
        return error <= limit
                   ? ""
                   : "error " + std::to_string(error) + " of |A||B|, limit " + std::to_string(limit);
    }

  private:
    std::string property_;
    double k_;
    Problem problem_;
    Expectation expectation_;
};

std::string run_product(PreparedCase& prepared, const Kernel& kernel, const std::string& property) {
    std::string finding = prepared.run(kernel);
    if (property != "same_bits") return finding;
    const std::vector<float> first = prepared.result();
    for (int i = 1; i < repeats_for_same_bits && finding.empty(); ++i) {
        finding = prepared.run(kernel);
        if (finding.empty() &&
            std::memcmp(first.data(), prepared.result().data(), first.size() * sizeof(float)) != 0)
            finding = "other bits in run " + std::to_string(i + 1);
    }
    return finding;
}

void run_case_of_row(const CaseRow& row, const GemmCase& gemm_case, std::span<const Kernel* const> kernels,
                     const Report& report) {
    std::unique_ptr<PreparedCase> prepared;
    if (row.runner == "product") prepared = std::make_unique<PreparedCase>(gemm_case);
    const PropertyJudge judge(row.property, gemm_case);
    for (const Kernel* kernel : kernels) {
        GemmCase reproduction = gemm_case;
        reproduction.kernel = kernel->name;
        const std::string line =
            row.id + " (" + row.runner + ", " + row.property + "): --case='" + to_line(reproduction) + "'";
        if (row.runner == "pointers") {
            report(line, run_by_pointers(gemm_case, *kernel));
        } else if (row.runner == "late_scalars") {
            report(line, run_with_late_scalars(gemm_case, *kernel));
        } else if (!prepared->is_supported_by(*kernel)) {
            report(line, "the kernel does not support it");
        } else {
            std::string finding = run_product(*prepared, *kernel, row.property);
            if (finding.empty()) finding = judge.judge(prepared->result());
            report(line, finding);
        }
    }
}

void run_products(const CaseRow& row, const Selection& selection, const Report& report) {
    GemmCase base = parse_product_call(row.call).gemm_case;
    base.seed = selection.seed * 1000 + static_cast<std::uint64_t>(row.line);
    const std::vector<const Kernel*> all = kernels_for(base.kernel, selection);
    const std::vector<GemmCase> cases = neighbourhood(base, row.around);
    if (selection.all_kernels_everywhere) {
        for (const GemmCase& gemm_case : cases) run_case_of_row(row, gemm_case, all, report);
        return;
    }
    std::vector<const Kernel*> ladder, production;
    for (const Kernel* kernel : all) (is_production(*kernel) ? production : ladder).push_back(kernel);
    std::size_t turn = selection.seed + static_cast<std::size_t>(row.line) * production_kernels_of_a_row;
    const auto add_by_turns = [&](std::vector<const Kernel*>& kernels, std::span<const Kernel* const> from,
                                  std::size_t count) {
        for (std::size_t i = 0; i < std::min(count, from.size()); ++i)
            kernels.push_back(from[turn++ % from.size()]);
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::vector<const Kernel*> kernels;
        if (i == 0) {
            kernels = ladder;
            add_by_turns(kernels, production, production_kernels_of_a_row);
        } else {
            add_by_turns(kernels, all, kernels_of_a_neighbour);
        }
        run_case_of_row(row, cases[i], kernels, report);
    }
}

void run_overlap(const CaseRow& row, const Selection& selection, const Report& report) {
    const ProductCall call = parse_product_call(row.call);
    for (const Kernel* kernel : kernels_for(call.gemm_case.kernel, selection))
        report(row.id + " on " + kernel->name + ": " + row.call, run_overlapping(call, *kernel));
}

void run_plan(const CaseRow& row, const Selection& selection, const Report& report) {
    const GemmCall call = parse_any_call(row.call).call;
    for (const Kernel* kernel : kernels_for("", selection)) {
        Settings settings;
        settings.kernel = kernel;
        const Plan decided = plan(call, backend_figures(), settings);
        const std::string found =
            decided.kernel == kernel ? "served" : std::string("forwarded: ") + to_string(decided.reason);
        report(row.id + " (plan, " + kernel->name + "): " + row.call, found == row.property ? "" : found);
    }
}

}  // namespace

bool is_wanted(const Kernel& kernel, const std::string& wanted, const Selection& selection) {
    if (kernel.implementation == nullptr) return false;
    if (!selection.kernel.empty() && selection.kernel != kernel.name) return false;
    // Whatever plan() may choose by itself.
    const bool is_automatic = kernel.cost.kind != CostFigures::Kind::none || &kernel == &last_rung();
    return wanted.empty() || wanted == kernel.name || (wanted == "auto" && is_automatic);
}

void run_engine_row(const CaseRow& row, const Selection& selection, const Report& report) {
    if (row.runner == "plan") return run_plan(row, selection, report);
    if (row.runner == "overlap") return run_overlap(row, selection, report);
    run_products(row, selection, report);
}

}  // namespace sgemm_shim::testing
