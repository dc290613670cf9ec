#include "options.hpp"

#include <fstream>
#include <random>
#include <string_view>

#include "call_log.hpp"
#include "text.hpp"

namespace sgemm_bench {
namespace {

/// More would take days.
constexpr std::int64_t most_random_shapes = 1'000'000;
constexpr std::int64_t most_padding = 1 << 20;

std::string_view not_empty(std::string_view value, const char* option) {
    if (value.empty()) throw InputError(std::string(option) + " needs a value that is not empty");
    return value;
}

template <class Element>
void append(std::vector<Element>& to, const std::vector<Element>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

std::ifstream open_input(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw InputError("cannot read " + path);
    return file;
}

CallLog read_logs(const std::vector<std::string>& paths) {
    CallLog log;
    for (const std::string& path : paths) {
        std::ifstream file = open_input(path);
        log.read(file, path);
    }
    if (log.shapes().empty()) throw InputError(paths.front() + ": no call to replay");
    return log;
}

struct OptionRow {
    const char* name;
    const char* value;  ///< nullptr: takes none
    const char* meaning;
    void (*apply)(Options& options, std::string_view value);
};

constexpr OptionRow rows[] = {
    {"--kernels", "LIST",
     "numbers, names or auto, separated by commas; all: every row of the table; production: those behind "
     "the ladder (default: auto)",
     [](Options& options, std::string_view value) { options.kernels = split(value, ','); }},
    {"--sizes", "LIST",
     "squares of these sizes, or ranges FIRST:LAST:STEP of them, in the transpositions of --ops (default "
     "there: NN)",
     [](Options& options, std::string_view value) { append(options.sizes, parse_sizes(value)); }},
    {"--squares", nullptr,
     "256, 512, 1024, 2048, 4096, 5120, 8192 and 16384 in four transpositions (what is measured if nothing "
     "is named)",
     [](Options& options, std::string_view) { options.squares = true; }},
    {"--shapes", "LIST", "m,n,k[,OPS[,BATCH]] separated by semicolons",
     [](Options& options, std::string_view value) { options.shapes.emplace_back(value); }},
    {"--shapes-file", "CSV",
     "name,m,n,k,transA,transB,batch,lda,ldb,ldc,beta,source (see bench/data/shapes.csv)",
     [](Options& options, std::string_view value) {
         options.shapes_file = not_empty(value, "--shapes-file");
     }},
    {"--random", "N",
     "N random shapes, each dimension log-uniform in 1 to 8192, each transposition as likely; a row's name "
     "MxNxK_OPS is repeated by --shapes M,N,K,OPS",
     [](Options& options, std::string_view value) {
         options.random_count = parse_number<std::int64_t>(value, 1, "--random", most_random_shapes);
     }},
    {"--seed", "S", "of the random shapes (default: a new one each time, printed and recorded)",
     [](Options& options, std::string_view value) {
         options.seed = parse_number<std::uint64_t>(value, 0, "--seed");
     }},
    {"--replay", "CSV",
     "the calls of a program's log (SGEMM_SHIM_LOG=calls): each different one once, weighed by how often it "
     "was made; may be given for several logs",
     [](Options& options, std::string_view value) { options.logs.emplace_back(value); }},
    {"--second-source", nullptr, "six row-major shapes of convolutions",
     [](Options& options, std::string_view) { options.second_source = true; }},
    {"--ops", "LIST", "transpositions of squares and shapes: NN,NT,TN,TT",
     [](Options& options, std::string_view value) { options.operations = parse_operations(value); }},
    {"--row-major", nullptr, "the shapes describe row-major matrices (the calls swap A and B)",
     [](Options& options, std::string_view) { options.row_major = true; }},
    {"--misalign", "A,B,C", "move the operands this many elements off their alignment",
     [](Options& options, std::string_view value) {
         const std::vector<std::string> offsets = split(value, ',');
         if (offsets.size() != 3) throw InputError("--misalign takes three numbers");
         for (std::size_t i = 0; i < 3; ++i)
             options.variation.misalignment[i] =
                 parse_number<std::int64_t>(offsets[i], 0, "--misalign", most_padding);
     }},
    {"--ld-pad", "X", "leading dimensions this much larger than they must be",
     [](Options& options, std::string_view value) {
         options.variation.leading_dimension_pad =
             parse_number<std::int64_t>(value, 0, "--ld-pad", most_padding);
     }},
    {"--with-unaligned", nullptr,
     "behind each shape, the same with operands one element off, and with leading dimensions one longer",
     [](Options& options, std::string_view) { options.with_unaligned = true; }},
    {"--beta", "X", "beta of every call (default: 0, or what the shapes file says)",
     [](Options& options, std::string_view value) {
         options.beta = parse_number<float>(value, -1e6f, "--beta", 1e6f);
     }},
    {"--cold", nullptr, "measure again with operands that rotate over three times the L2 cache",
     [](Options& options, std::string_view) { options.cold = true; }},
    {"--every-choice", nullptr,
     "for tuning: each shape by cuBLAS, by what plan() chooses, and by each of --kernels (default there: "
     "production) in every way it can be launched, each alone; see bench/fit_model.py",
     [](Options& options, std::string_view) { options.every_choice = true; }},
    {"--rounds", "N", "rounds of ours, cuBLAS; the medians are reported (default: 7)",
     [](Options& options, std::string_view value) {
         options.rounds = parse_number<int>(value, 1, "--rounds");
     }},
    {"--min-time-ms", "X", "GPU time of each side over all rounds (default: 40)",
     [](Options& options, std::string_view value) {
         options.min_time_ms = parse_number<double>(value, 0.1, "--min-time-ms");
     }},
    {"--time-budget", "SECONDS", "start no measurement after this time, and say what was left out",
     [](Options& options, std::string_view value) {
         options.time_budget_s = parse_number<double>(value, 0.0, "--time-budget");
     }},
    {"--longest-call-ms", "X",
     "leave out what would take longer, judged by the kernel's speed on the shape before",
     [](Options& options, std::string_view value) {
         options.longest_call_ms = parse_number<double>(value, 0.0, "--longest-call-ms");
     }},
    {"--peak-tflops", "X", "peak of the roofline (default: 65.4, an FFMA loop on an H200)",
     [](Options& options, std::string_view value) {
         options.roofline.peak_tflops = parse_number<double>(value, 1e-3, "--peak-tflops");
     }},
    {"--bandwidth-tbs", "X", "bandwidth of the roofline (default: 4.16, a copy on an H200, read and written)",
     [](Options& options, std::string_view value) {
         options.roofline.bandwidth_tbs = parse_number<double>(value, 1e-3, "--bandwidth-tbs");
     }},
    {"--host-cost", nullptr, "host time of a call with the launch stubbed out; needs no GPU",
     [](Options& options, std::string_view) { options.host_cost = true; }},
    {"--list-shapes", nullptr,
     "print the column-major calls as a shapes file instead of timing them; needs no GPU",
     [](Options& options, std::string_view) { options.list_shapes = true; }},
    {"--list-plans", nullptr,
     "print what the kernels, or auto, would do with the shapes on an H200, as CSV, instead of timing them; "
     "needs no GPU",
     [](Options& options, std::string_view) { options.list_plans = true; }},
    {"--list-figures", nullptr, "print the tile sizes of the kernels that have any, for bench/fit_model.py",
     [](Options& options, std::string_view) { options.list_figures = true; }},
    {"--csv", "FILE", "write the results as CSV, line by line",
     [](Options& options, std::string_view value) { options.csv_file = not_empty(value, "--csv"); }},
    {"--json", "FILE", "write the results as JSON, at the end",
     [](Options& options, std::string_view value) { options.json_file = not_empty(value, "--json"); }},
    {"--commit", "ID", "the commit to record (default: that of the build)",
     [](Options& options, std::string_view value) { options.commit = value; }},
    {"--help", nullptr, "this text", [](Options& options, std::string_view) { options.help = true; }},
};

/// The words with `line_break` in the place of a space wherever a line would have more than `width` letters.
std::string wrapped(std::string_view words, std::size_t width, const std::string& line_break) {
    std::string text;
    std::size_t in_line = 0;
    for (const std::string& word : split(words, ' ')) {
        if (in_line > 0 && in_line + 1 + word.size() > width) {
            text += line_break;
            in_line = 0;
        } else if (in_line > 0) {
            text += ' ';
            ++in_line;
        }
        text += word;
        in_line += word.size();
    }
    return text;
}

const OptionRow& find_row(std::string_view name) {
    for (const OptionRow& row : rows) {
        if (name == row.name) return row;
    }
    throw InputError("unknown option " + std::string(name) + " (--help lists them)");
}

}  // namespace

Options parse_options(std::span<const char* const> arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const OptionRow& row = find_row(arguments[i]);
        if (row.value != nullptr && i + 1 == arguments.size())
            throw InputError(std::string(row.name) + " needs a value");
        row.apply(options, row.value != nullptr ? arguments[++i] : "");
    }
    const bool names_shapes = !options.sizes.empty() || !options.shapes.empty() ||
                              !options.shapes_file.empty() || options.second_source ||
                              options.random_count > 0 || !options.logs.empty() || options.host_cost;
    options.squares = options.squares || !names_shapes;
    if (options.every_choice) {
        if (options.kernels.empty()) options.kernels = {"production"};
        options.kernels.insert(options.kernels.begin(), {"cublas", "auto"});
    }
    if (options.kernels.empty()) options.kernels = {"auto"};
    if (options.seed && options.random_count == 0) throw InputError("--seed goes with --random");
    if (options.random_count > 0 && !options.seed) options.seed = std::random_device()();
    return options;
}

std::string help_text() {
    std::string text =
        "Usage: sgemm_bench [options]\n"
        "Times the kernels against the real cuBLAS on the same data, in one process, and checks their "
        "results.\n"
        "Exit status: 0; 1 if a result was wrong or a call failed; 2 for a mistake in the options; 77 "
        "without a GPU.\n\n";
    for (const OptionRow& row : rows) {
        std::string left = "  ";
        left += row.name;
        if (row.value != nullptr) left.append(" ").append(row.value);
        left.resize(std::max<std::size_t>(left.size() + 1, 26), ' ');
        text += left + wrapped(row.meaning, 84, "\n" + std::string(26, ' ')) + "\n";
    }
    return text;
}

Selection select_shapes(const Options& options) {
    const auto operations_or = [&](std::vector<Operations> otherwise) {
        return options.operations.empty() ? otherwise : options.operations;
    };
    std::vector<Shape> shapes = square_shapes(options.sizes, operations_or({{'N', 'N'}}));
    if (options.squares) {
        append(shapes, square_shapes({256, 512, 1024, 2048, 4096, 5120, 8192, 16384},
                                     operations_or({{'N', 'N'}, {'N', 'T'}, {'T', 'N'}, {'T', 'T'}})));
    }
    for (const std::string& text : options.shapes)
        append(shapes, parse_shapes(text, operations_or({{'N', 'N'}})));
    if (!options.shapes_file.empty()) {
        std::ifstream file = open_input(options.shapes_file);
        append(shapes, read_shapes(file));
    }
    if (options.random_count > 0) append(shapes, random_shapes(options.random_count, *options.seed));
    for (Shape& shape : shapes) shape.row_major = options.row_major;
    if (options.second_source) append(shapes, second_source_shapes());
    for (Shape& shape : shapes) shape.variation = options.variation;

    Provenance facts{{"peak_tflops", shortest_text(options.roofline.peak_tflops)},
                     {"bandwidth_tbs", shortest_text(options.roofline.bandwidth_tbs)}};
    if (options.random_count > 0) facts.emplace_back("seed", std::to_string(*options.seed));
    if (!options.logs.empty()) {
        const CallLog log = read_logs(options.logs);
        append(shapes, log.shapes());
        for (const auto& [reason, calls] : log.left_out())
            facts.emplace_back("calls_not_replayed", std::to_string(calls) + ", " + reason);
    }
    for (Shape& shape : shapes) {
        if (options.beta) shape.beta = *options.beta;
    }
    return {options.with_unaligned ? with_unaligned(shapes) : shapes, facts};
}

}  // namespace sgemm_bench
