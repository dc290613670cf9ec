#include "large_call.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "device.hpp"
#include "kernel_table.hpp"
#include "periodic_operand.hpp"
#include "plan.hpp"
#include "tests/engine/reference.hpp"

namespace sgemm_shim::testing {
namespace {

/// Primes, so that no leading dimension is a whole number of periods.
constexpr std::size_t period_a = 1048583, period_b = 786433, period_c = 524309;

/// Steps on the host for one call, of which every checked element costs some besides its k, and floats of C
/// that are copied at once. Every kernel of the table pays for them.
constexpr double work_limit = 2e7;
constexpr double steps_an_element = 32;
constexpr std::int64_t download_limit = std::int64_t{1} << 25;
/// Columns of a larger C that are looked at: each is a copy of its own.
constexpr double sparse_columns = 2000;

std::int64_t extent(std::int64_t rows, std::int64_t columns, std::int64_t leading_dimension,
                    std::int64_t stride, std::int64_t batch_count) {
    return leading_dimension * (columns - 1) + rows + stride * (batch_count - 1);
}

/// At most about `limit` places below `count`, evenly spaced, the last one among them.
std::vector<std::int64_t> sample(std::int64_t count, std::int64_t limit) {
    std::vector<std::int64_t> places;
    const std::int64_t step = std::max<std::int64_t>(1, (count + limit - 1) / limit);
    for (std::int64_t place = 0; place < count; place += step) places.push_back(place);
    if (places.back() != count - 1) places.push_back(count - 1);
    return places;
}

struct Samples {
    std::vector<std::int64_t> matrices, rows, columns;
    std::size_t size() const { return matrices.size() * rows.size() * columns.size(); }
};

/// All of C if that is affordable; otherwise a grid of rows and columns, as square as C permits.
Samples choose_samples(const LargeCall& call) {
    const double budget = work_limit / (static_cast<double>(call.k / call.sparsity) + steps_an_element);
    const auto at_least_two = [](double limit) {
        return std::max<std::int64_t>(2, static_cast<std::int64_t>(limit));
    };
    Samples samples;
    samples.matrices = sample(call.batch_count, at_least_two(budget / 4));
    const double each = budget / static_cast<double>(samples.matrices.size());
    const double shorter = std::min(static_cast<double>(std::min(call.m, call.n)), std::sqrt(each));
    samples.rows = sample(call.m, at_least_two(call.m <= call.n ? shorter : each / shorter));
    const double columns = each / static_cast<double>(samples.rows.size());
    samples.columns = sample(
        call.n, at_least_two(call.floats_c() > download_limit ? std::min(columns, sparse_columns) : columns));
    return samples;
}

float integer(std::uint64_t bits) {
    return static_cast<float>(static_cast<int>((bits >> 40) % 17) - 8);
}
float uniform(std::uint64_t bits) {
    return static_cast<float>(bits >> 40) * 0x1p-23f - 1.0f;
}

std::vector<float> pattern(const LargeCall& call, std::size_t period, std::uint64_t seed, int sparsity) {
    return make_pattern(period, seed, [&](std::uint64_t bits) {
        if (sparsity > 1 && bits % static_cast<std::uint64_t>(sparsity) != 0) return 0.0f;
        return call.random ? uniform(bits) : integer(bits);
    });
}

/// The operands on the device and what the host knows about them.
class LargeProblem {
  public:
    explicit LargeProblem(const LargeCall& call)
        : call_(call),
          a_(call.floats_a(), pattern(call, period_a, 1, call.sparsity)),
          b_(call.floats_b(), pattern(call, period_b, 2, 1)),
          old_c_(pattern(call, period_c, 3, 1)),
          samples_(choose_samples(call)) {
        make_c();
        expect_samples();
    }

    /// On a C of its own. nullptr: whatever plan() chooses.
    std::string run(const Kernel* kernel);
    bool is_supported_by(const Kernel& kernel) const { return kernel.implementation->supports(gemm_call()); }

  private:
    struct Sum {
        double value = 0, magnitude = 0;
    };

    Sum sum(std::int64_t matrix, std::int64_t row, std::int64_t column) const;
    void expect_samples();
    void make_c() {
        c_.emplace(call_.floats_c(), call_.beta != 0.0f ? old_c_ : std::vector<float>{std::nanf("")});
    }
    GemmCall gemm_call() const;
    std::string check_samples() const;

    LargeCall call_;
    PeriodicOperand a_, b_;
    std::vector<float> old_c_;
    std::optional<PeriodicOperand> c_;
    Samples samples_;
    Expectation expectation_;
};

LargeProblem::Sum LargeProblem::sum(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    const bool plain_a = call_.operation_a == Operation::none, plain_b = call_.operation_b == Operation::none;
    const std::int64_t first_a = matrix * call_.stride_a + (plain_a ? row : row * call_.lda);
    const std::int64_t step_a = plain_a ? call_.lda : 1;
    const std::int64_t first_b = matrix * call_.stride_b + (plain_b ? column * call_.ldb : column);
    const std::int64_t step_b = plain_b ? 1 : call_.ldb;
    Sum result;
    const auto add = [&](double a, double b) {
        result.value += a * b;
        result.magnitude += std::abs(a * b);
    };
    if (call_.sparsity == 1) {
        std::vector<float> column_of_b(static_cast<std::size_t>(call_.k));
        b_.walk(first_b, step_b, call_.k,
                [&](std::int64_t l, float b) { column_of_b[static_cast<std::size_t>(l)] = b; });
        a_.walk(first_a, step_a, call_.k,
                [&](std::int64_t l, float a) { add(a, column_of_b[static_cast<std::size_t>(l)]); });
    } else {
        a_.walk(first_a, step_a, call_.k, [&](std::int64_t l, float a) {
            if (a != 0.0f) add(a, b_.at(first_b + l * step_b));
        });
    }
    return result;
}

void LargeProblem::expect_samples() {
    expectation_.k = call_.k;
    expectation_.exact = !call_.random;
    const auto period = static_cast<std::int64_t>(old_c_.size());
    for (const std::int64_t matrix : samples_.matrices) {
        for (const std::int64_t column : samples_.columns) {
            for (const std::int64_t row : samples_.rows) {
                const Sum product = sum(matrix, row, column);
                const std::int64_t place = matrix * call_.stride_c + row + column * call_.ldc;
                const double old =
                    call_.beta == 0.0f ? 0.0 : old_c_[static_cast<std::size_t>(place % period)];
                expectation_.value.push_back(call_.alpha * product.value + call_.beta * old);
                expectation_.magnitude.push_back(std::abs(call_.alpha) * product.magnitude +
                                                 std::abs(call_.beta * old));
            }
        }
    }
}

GemmCall LargeProblem::gemm_call() const {
    GemmCall call;
    call.operation_a = call_.operation_a;
    call.operation_b = call_.operation_b;
    call.m = call_.m;
    call.n = call_.n;
    call.k = call_.k;
    call.alpha = &call_.alpha;
    call.beta = &call_.beta;
    call.a = {a_.data(), nullptr, call_.lda, call_.stride_a};
    call.b = {b_.data(), nullptr, call_.ldb, call_.stride_b};
    call.c = {const_cast<float*>(c_->data()), nullptr, call_.ldc, call_.stride_c};
    call.batch_count = call_.batch_count;
    call.pointer_mode = PointerMode::host;
    return call;
}

std::string LargeProblem::run(const Kernel* kernel) {
    make_c();
    const Stream stream;
    Settings settings;
    settings.kernel = kernel;
    const GemmCall call = gemm_call();
    Plan decided = plan(call, current_device_figures(stream), settings);
    // plan() leaves C = beta * C to cuBLAS; the kernels can do it all the same.
    if (decided.reason == ForwardReason::empty) decided = {kernel != nullptr ? kernel : &last_rung()};
    if (decided.kernel == nullptr) return std::string("forwarded: ") + to_string(decided.reason);
    const cudaError_t status = decided.kernel->implementation->launch(call, decided.partition, {}, stream);
    if (status != cudaSuccess) return std::string("launch: ") + cudaGetErrorString(status);
    stream.synchronize();
    return check_samples();
}

std::string LargeProblem::check_samples() const {
    const std::int64_t floats = call_.floats_c();
    std::vector<float> held;
    std::int64_t held_first = 0;
    // Places come in rising order, so a window that moves forward serves them all.
    const auto element = [&](std::int64_t place) {
        if (place < held_first || place >= held_first + static_cast<std::int64_t>(held.size())) {
            const bool sparse = floats > download_limit;
            held_first = sparse ? place : 0;
            held.resize(static_cast<std::size_t>(sparse ? std::min(call_.m, floats - place) : floats));
            check_cuda(cudaMemcpy(held.data(), c_->data() + held_first, held.size() * sizeof(float),
                                  cudaMemcpyDeviceToHost),
                       "download");
        }
        return held[static_cast<std::size_t>(place - held_first)];
    };
    std::size_t index = 0, wrong = 0;
    char first[200] = "";
    for (const std::int64_t matrix : samples_.matrices) {
        for (const std::int64_t column : samples_.columns) {
            for (const std::int64_t row : samples_.rows) {
                const float actual = element(matrix * call_.stride_c + row + column * call_.ldc);
                if (!is_acceptable(expectation_, index, actual) && wrong++ == 0)
                    std::snprintf(first, sizeof first,
                                  "matrix %lld row %lld column %lld is %.9g, expected %.12g",
                                  static_cast<long long>(matrix), static_cast<long long>(row),
                                  static_cast<long long>(column), static_cast<double>(actual),
                                  expectation_.value[index]);
                ++index;
            }
        }
    }
    return wrong == 0 ? ""
                      : first + (" (" + std::to_string(wrong) + " of " + std::to_string(index) + " wrong)");
}

}  // namespace

std::int64_t LargeCall::floats_a() const {
    return extent(rows_a(), operation_a == Operation::none ? k : m, lda, stride_a, batch_count);
}
std::int64_t LargeCall::floats_b() const {
    return extent(rows_b(), operation_b == Operation::none ? n : k, ldb, stride_b, batch_count);
}
std::int64_t LargeCall::floats_c() const {
    return extent(m, n, ldc, stride_c, batch_count);
}
double LargeCall::gibibytes() const {
    return static_cast<double>(floats_a() + floats_b() + floats_c()) * sizeof(float) / 0x1p30;
}

LargeCall complete(LargeCall call) {
    if (call.lda == 0) call.lda = call.rows_a();
    if (call.ldb == 0) call.ldb = call.rows_b();
    if (call.ldc == 0) call.ldc = call.m;
    return call;
}

std::vector<std::string> run_large(const LargeCall& call, const std::string& only_kernel, int& kernels_run) {
    LargeProblem problem(call);
    std::vector<std::string> findings;
    const auto run = [&](const char* name, const Kernel* kernel) {
        ++kernels_run;
        const std::string finding = problem.run(kernel);
        if (!finding.empty()) findings.push_back(std::string(name) + ": " + finding);
    };
    if (only_kernel.empty() || only_kernel == "auto") run("auto", nullptr);
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation == nullptr || (!only_kernel.empty() && only_kernel != kernel.name))
            continue;
        if (!problem.is_supported_by(kernel)) {
            findings.push_back(std::string(kernel.name) + " does not support it");
            continue;
        }
        run(kernel.name, &kernel);
    }
    return findings;
}

}  // namespace sgemm_shim::testing
