#include "record.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "log_file.hpp"
#include "settings.hpp"
#include "text_buffer.hpp"

namespace sgemm_shim {
namespace {

struct Counter {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<double> flops{0};
};

constexpr std::size_t entry_count = static_cast<std::size_t>(EntryPoint::count);
constexpr std::size_t reason_count = static_cast<std::size_t>(ForwardReason::count);

/// Never destroyed: threads may still call while the process exits.
struct Counters {
    std::array<std::array<Counter, kernel_limit>, entry_count> served;
    std::array<std::array<Counter, reason_count>, entry_count> forwarded;
};
constinit Counters counters;

Counter& counter_of(EntryPoint entry_point, const Plan& plan) {
    const auto entry = static_cast<std::size_t>(entry_point);
    return plan.kernel != nullptr ? counters.served[entry][kernel_index(*plan.kernel)]
                                  : counters.forwarded[entry][static_cast<std::size_t>(plan.reason)];
}

template <class Visit>
void for_each_counter(Visit visit) {
    for (std::size_t entry = 0; entry < entry_count; ++entry) {
        for (const Kernel& kernel : kernel_table())
            visit(static_cast<EntryPoint>(entry), &kernel, ForwardReason::none,
                  counters.served[entry][kernel_index(kernel)]);
        for (std::size_t reason = 0; reason < reason_count; ++reason)
            visit(static_cast<EntryPoint>(entry), nullptr, static_cast<ForwardReason>(reason),
                  counters.forwarded[entry][reason]);
    }
}

char operation_letter(Operation operation) {
    switch (operation) {
        case Operation::none:
            return 'N';
        case Operation::transpose:
            return 'T';
        case Operation::conjugate_transpose:
            return 'C';
    }
    return '?';
}

/// What matters of a scalar to whoever replays the call; the value itself would depend on the locale's
/// decimal point. Only where cuBLAS reads the scalar too is it safe to look.
const char* scalar_class(const float* scalar, const GemmCall& call) {
    if (scalar == nullptr) return "null";
    if (call.pointer_mode == PointerMode::device) return "device";
    if (call.pointer_mode != PointerMode::host || call.demand != Demand::fp32 ||
        validate(call) != Validity::computes)
        return "unread";
    if (*scalar == 0.0f) return "0";
    if (*scalar == 1.0f) return "1";
    return "other";
}

/// Floats between the address and the last 16-byte boundary: decides which loads a kernel may use.
int misalignment(const void* address) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) / sizeof(float) % 4);
}

const char* kernel_or_cublas(const Plan& plan) {
    return plan.kernel != nullptr ? plan.kernel->name : "cublas";
}

const char* reason_or_nothing(const Plan& plan) {
    return plan.kernel != nullptr ? "" : to_string(plan.reason);
}

pthread_once_t header_once = PTHREAD_ONCE_INIT;

void write_header() {
    constexpr char header[] =
        "entry_point,operation_a,operation_b,m,n,k,lda,ldb,ldc,batch,stride_a,stride_b,stride_c,"
        "alpha,beta,misalignment_a,misalignment_b,misalignment_c,kernel,reason,status\n";
    write_log(header, sizeof header - 1);
}

void log_call(EntryPoint entry_point, const GemmCall& call, const Plan& plan, int status) {
    pthread_once(&header_once, write_header);
    char storage[1024];
    TextBuffer line(storage);
    line.append(
        "%s,%c,%c,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%s,%s,%d,%d,%d,%s,%s,%d\n",
        to_string(entry_point), operation_letter(call.operation_a), operation_letter(call.operation_b),
        static_cast<long long>(call.m), static_cast<long long>(call.n), static_cast<long long>(call.k),
        static_cast<long long>(call.a.leading_dimension), static_cast<long long>(call.b.leading_dimension),
        static_cast<long long>(call.c.leading_dimension), static_cast<long long>(call.batch_count),
        static_cast<long long>(call.a.stride), static_cast<long long>(call.b.stride),
        static_cast<long long>(call.c.stride), scalar_class(call.alpha, call), scalar_class(call.beta, call),
        misalignment(call.a.first), misalignment(call.b.first), misalignment(call.c.first),
        kernel_or_cublas(plan), reason_or_nothing(plan), status);
    write_log(line.data(), line.length());
}

/// A set of hashes that only grows. When it is full, further shapes count as seen.
class SeenShapes {
  public:
    /// True the first time. Zero stands for a free slot.
    bool insert(std::uint64_t hash) {
        hash |= 1;
        for (std::size_t i = 0; i < probe_limit; ++i) {
            std::atomic<std::uint64_t>& slot = slots_[(hash + i) % slots_.size()];
            std::uint64_t found = slot.load(std::memory_order_relaxed);
            if (found == 0 && slot.compare_exchange_strong(found, hash)) return true;
            if (found == hash) return false;
        }
        return false;
    }

    void clear() {
        for (std::atomic<std::uint64_t>& slot : slots_) slot.store(0, std::memory_order_relaxed);
    }

  private:
    /// A set that is nearly full must not make every call slow.
    static constexpr std::size_t probe_limit = 32;
    std::array<std::atomic<std::uint64_t>, 16384> slots_{};
};
constinit SeenShapes seen_shapes;

std::uint64_t shape_hash(EntryPoint entry_point, const GemmCall& call, const Plan& plan) {
    std::uint64_t hash = 1469598103934665603ull;  // FNV-1a over whole words
    const auto mix = [&](std::int64_t value) {
        hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211ull;
        hash ^= hash >> 29;
    };
    mix(static_cast<int>(entry_point));
    mix(static_cast<int>(call.operation_a));
    mix(static_cast<int>(call.operation_b));
    mix(call.m);
    mix(call.n);
    mix(call.k);
    mix(call.batch_count);
    mix(plan.kernel != nullptr ? static_cast<std::int64_t>(kernel_index(*plan.kernel))
                               : -static_cast<std::int64_t>(plan.reason));
    return hash;
}

void log_shape(EntryPoint entry_point, const GemmCall& call, const Plan& plan) {
    if (!seen_shapes.insert(shape_hash(entry_point, call, plan))) return;
    char storage[512];
    TextBuffer line(storage);
    line.append("sgemm-shim: %s %c%c m=%lld n=%lld k=%lld batch=%lld -> %s", to_string(entry_point),
                operation_letter(call.operation_a), operation_letter(call.operation_b),
                static_cast<long long>(call.m), static_cast<long long>(call.n),
                static_cast<long long>(call.k), static_cast<long long>(call.batch_count),
                kernel_or_cublas(plan));
    if (plan.kernel == nullptr) line.append(" (%s)", to_string(plan.reason));
    line.append("\n");
    write_log(line.data(), line.length());
}

/// "1.234 TFLOP": three decimals by integer arithmetic, for the locale's sake.
void append_flops(TextBuffer& text, double flops) {
    constexpr const char* units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
    std::size_t unit = 0;
    while (flops >= 1000.0 && unit + 1 < std::size(units)) {
        flops /= 1000.0;
        ++unit;
    }
    const auto thousandths = static_cast<unsigned long long>(flops * 1000.0 + 0.5);
    text.append("%6llu.%03llu %s", thousandths / 1000, thousandths % 1000, units[unit]);
}

/// A child process starts its own counters, and its summary tells of its own calls only. So does a log file
/// of its own; one that it shares with its parent goes on as it was.
void start_over_in_child() {
    reset_counters();
    if (!reopen_log_in_child()) return;
    header_once = PTHREAD_ONCE_INIT;
    if (process_settings().log == LogLevel::shapes) seen_shapes.clear();
}

pthread_once_t fork_handler_once = PTHREAD_ONCE_INIT;

}  // namespace

const char* to_string(EntryPoint entry_point) {
    switch (entry_point) {
#define SGEMM_SHIM_SYMBOL(enumerator, symbol) \
    case EntryPoint::enumerator:              \
        return #symbol;
        SGEMM_SHIM_PRODUCTS(SGEMM_SHIM_SYMBOL, SGEMM_SHIM_SYMBOL)
#undef SGEMM_SHIM_SYMBOL
        case EntryPoint::api_sgemm:
            return "sgemm_shim_sgemm";
        case EntryPoint::count:
            break;
    }
    return "unknown";
}

void record(EntryPoint entry_point, const GemmCall& call, const Plan& plan, int status) {
    pthread_once(&fork_handler_once, [] { pthread_atfork(nullptr, nullptr, start_over_in_child); });
    Counter& counter = counter_of(entry_point, plan);
    counter.calls.fetch_add(1, std::memory_order_relaxed);
    // What cuBLAS refused was not computed.
    constexpr int success = 0;  // CUBLAS_STATUS_SUCCESS
    if (status == success && (plan.kernel != nullptr || validate(call) == Validity::computes))
        counter.flops.fetch_add(flop_count(call), std::memory_order_relaxed);

    const LogLevel level = process_settings().log;
    if (level == LogLevel::calls) log_call(entry_point, call, plan, status);
    if (level == LogLevel::shapes) log_shape(entry_point, call, plan);
}

void visit_counters(void (*visit)(void* state, const CounterRow& row), void* state) {
    for_each_counter([&](EntryPoint entry, const Kernel* kernel, ForwardReason reason, Counter& counter) {
        const std::uint64_t calls = counter.calls.load(std::memory_order_relaxed);
        if (calls != 0)
            visit(state, {entry, kernel, reason, calls, counter.flops.load(std::memory_order_relaxed)});
    });
}

std::size_t read_counters(std::span<CounterRow> rows) {
    struct State {
        std::span<CounterRow> rows;
        std::size_t found = 0;
    } state{rows};
    visit_counters(
        [](void* opaque, const CounterRow& row) {
            State& filled = *static_cast<State*>(opaque);
            if (filled.found < filled.rows.size()) filled.rows[filled.found] = row;
            ++filled.found;
        },
        &state);
    return state.found;
}

void reset_counters() {
    for_each_counter([](EntryPoint, const Kernel*, ForwardReason, Counter& counter) {
        counter.calls.store(0, std::memory_order_relaxed);
        counter.flops.store(0, std::memory_order_relaxed);
    });
}

namespace {

void append_total(TextBuffer& text) {
    unsigned long long served = 0;
    unsigned long long forwarded = 0;
    for_each_counter([&](EntryPoint, const Kernel* kernel, ForwardReason, const Counter& counter) {
        (kernel != nullptr ? served : forwarded) += counter.calls.load(std::memory_order_relaxed);
    });
    text.append("sgemm-shim: process %d: %llu calls, %llu served, %llu forwarded\n",
                static_cast<int>(getpid()), served + forwarded, served, forwarded);
}

void append_row(TextBuffer& text, EntryPoint entry_point, const Kernel* kernel, ForwardReason reason,
                const Counter& counter) {
    char what[64];
    TextBuffer name(what);
    if (kernel != nullptr)
        name.append("%s", kernel->name);
    else
        name.append("forwarded: %s", to_string(reason));
    text.append("sgemm-shim:   %-29s %-32s %12llu calls ", to_string(entry_point), what,
                static_cast<unsigned long long>(counter.calls.load(std::memory_order_relaxed)));
    append_flops(text, counter.flops.load(std::memory_order_relaxed));
    text.append("\n");
}

/// Calls visit(line) for each line of the summary.
template <class Visit>
void for_each_line_of_summary(Visit visit) {
    char storage[256];
    TextBuffer total(storage);
    append_total(total);
    visit(total);
    for_each_counter(
        [&](EntryPoint entry_point, const Kernel* kernel, ForwardReason reason, Counter& counter) {
            if (counter.calls.load(std::memory_order_relaxed) == 0) return;
            TextBuffer row(storage);
            append_row(row, entry_point, kernel, reason, counter);
            visit(row);
        });
}

}  // namespace

std::size_t write_summary(std::span<char> storage) {
    TextBuffer text(storage);
    for_each_line_of_summary([&](const TextBuffer& line) { text.append("%s", line.data()); });
    return text.length();
}

void report_at_exit() {
    CounterRow any[1];
    // The counters first: a process without calls must not even read, and complain about, its settings.
    if (read_counters(any) == 0) return;
    // A summary would be in the way of whoever reads the CSV of `calls`.
    const LogLevel level = process_settings().log;
    if (level != LogLevel::summary && level != LogLevel::shapes) return;
    for_each_line_of_summary([](const TextBuffer& line) { write_log(line.data(), line.length()); });
}

}  // namespace sgemm_shim
