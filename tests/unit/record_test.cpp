#include "record.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "child_process.hpp"
#include "kernel_table.hpp"
#include "sample_calls.hpp"

using namespace sgemm_shim;
using namespace sgemm_shim::testing;

namespace {

const Plan served = {find_kernel("naive"), ForwardReason::none};

std::vector<CounterRow> counters() {
    std::array<CounterRow, 64> rows;
    const std::size_t count = read_counters(rows);
    REQUIRE(count <= rows.size());
    return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::string summary() {
    std::array<char, 8192> text;
    return {text.data(), write_summary(text)};
}

using Environment = std::map<std::string, std::string>;

ChildResult play(const std::string& scene, const Environment& environment) {
    const char* program = std::getenv("RECORD_PROGRAM");
    REQUIRE(program != nullptr);
    ChildResult result = run_program({program, scene}, environment);
    CHECK(result.exit_status == 0);
    CHECK(result.output.empty());  // standard output belongs to the program
    return result;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line + ",");
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    return fields;
}

/// A folder that goes away with the object.
class ScratchFolder {
  public:
    ScratchFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "sgemm-shim-XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~ScratchFolder() { std::filesystem::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }
    std::vector<std::string> contents() const {
        std::vector<std::string> texts;
        for (const auto& entry : std::filesystem::directory_iterator(path_))
            texts.push_back(read(entry.path()));
        return texts;
    }
    static std::string read(const std::filesystem::path& path) {
        std::ifstream stream(path);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

  private:
    std::filesystem::path path_;
};

const std::string header =
    "entry_point,operation_a,operation_b,m,n,k,lda,ldb,ldc,batch,stride_a,stride_b,stride_c,alpha,beta,"
    "misalignment_a,misalignment_b,misalignment_c,kernel,reason,status";

}  // namespace

TEST_CASE("calls are counted by entry point, kernel and reason") {
    reset_counters();
    CHECK(counters().empty());
    const GemmCall call = legal_call();
    for (int i = 0; i < 3; ++i) record(EntryPoint::sgemm, call, served, 0);
    record(EntryPoint::sgemm_64, call, served, 0);
    record(EntryPoint::sgemm, call, {nullptr, ForwardReason::tf32}, 0);
    record(EntryPoint::sgemm, {}, {nullptr, ForwardReason::handle}, 1);

    const std::vector<CounterRow> rows = counters();
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].entry_point == EntryPoint::sgemm);
    CHECK(rows[0].kernel == served.kernel);
    CHECK(rows[0].calls == 3);
    CHECK(rows[0].flops == 3 * 420.0);
    CHECK(rows[1].kernel == nullptr);
    CHECK(rows[1].reason == ForwardReason::handle);
    CHECK(rows[1].calls == 1);
    CHECK(rows[1].flops == 0);  // m is 0
    CHECK(rows[2].reason == ForwardReason::tf32);
    CHECK(rows[2].flops == 420.0);
    CHECK(rows[3].entry_point == EntryPoint::sgemm_64);
    CHECK(rows[3].calls == 1);

    std::array<CounterRow, 2> few;
    CHECK(read_counters(few) == 4);
    CHECK(few[1].reason == ForwardReason::handle);
    reset_counters();
    CHECK(counters().empty());
}

TEST_CASE("an illegal call adds no FLOPs, whatever its sizes") {
    reset_counters();
    GemmCall call = legal_call();
    call.m = -1000;
    record(EntryPoint::sgemm, call, {nullptr, ForwardReason::invalid}, 7);
    REQUIRE(counters().size() == 1);
    CHECK(counters().front().flops == 0);
    reset_counters();
}

TEST_CASE("a call that cuBLAS refused adds no FLOPs") {
    reset_counters();
    record(EntryPoint::sgemm, legal_call(), {nullptr, ForwardReason::handle}, 1);
    record(EntryPoint::sgemm, legal_call(), {nullptr, ForwardReason::launch}, 13);
    REQUIRE(counters().size() == 2);
    for (const CounterRow& row : counters()) {
        CHECK(row.calls == 1);
        CHECK(row.flops == 0);
    }
    reset_counters();
}

TEST_CASE("counting loses nothing between threads") {
    reset_counters();
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread) {
        threads.emplace_back([] {
            for (int i = 0; i < 10000; ++i) record(EntryPoint::sgemm, legal_call(), served, 0);
        });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(counters().size() == 1);
    CHECK(counters().front().calls == 80000);
    CHECK(counters().front().flops == 80000 * 420.0);
    reset_counters();
}

TEST_CASE("the summary has a line for the process and one for each counter") {
    reset_counters();
    GemmCall large = legal_call();
    large.m = large.n = large.k = 4096;
    large.a.leading_dimension = large.b.leading_dimension = large.c.leading_dimension = 4096;
    record(EntryPoint::sgemm, large, served, 0);
    record(EntryPoint::sgemm_64, legal_call(), {nullptr, ForwardReason::tf32}, 0);
    const std::vector<std::string> lines = lines_of(summary());
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "sgemm-shim: process " + std::to_string(getpid()) + ": 2 calls, 1 served, 1 forwarded");
    CHECK(contains(lines[1], "cublasSgemm_v2 "));
    CHECK(contains(lines[1], " naive "));
    CHECK(contains(lines[1], " 1 calls "));
    CHECK(contains(lines[1], "137.439 GFLOP"));
    CHECK(contains(lines[2], "cublasSgemm_v2_64 "));
    CHECK(contains(lines[2], "forwarded: tf32"));
    CHECK(contains(lines[2], "420.000 FLOP"));
    reset_counters();
}

TEST_CASE("a summary in a small buffer is cut and ended, and reaches no further") {
    reset_counters();
    record(EntryPoint::sgemm, legal_call(), served, 0);
    const std::string whole = summary();
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{2}, std::size_t{20}, whole.size(), whole.size() + 1}) {
        CAPTURE(size);
        std::vector<char> text(size + 1, '#');
        const std::size_t length = write_summary({text.data(), size});
        CHECK(length == std::min(size - 1, whole.size()));
        CHECK(std::string(text.data()) == whole.substr(0, length));
        CHECK(text.back() == '#');
    }
    reset_counters();
}

TEST_CASE("entry points are named as the program names them") {
    CHECK(std::string(to_string(EntryPoint::sgemm)) == "cublasSgemm_v2");
    CHECK(std::string(to_string(EntryPoint::sgemm_64)) == "cublasSgemm_v2_64");
    for (int i = 0; i < static_cast<int>(EntryPoint::count); ++i)
        CHECK(std::string(to_string(static_cast<EntryPoint>(i))) != "unknown");
}

TEST_CASE("SGEMM_SHIM_LOG=calls writes one CSV row a call, below one header") {
    const ChildResult result = play("two calls", {{"SGEMM_SHIM_LOG", "calls"}});
    const std::vector<std::string> lines = lines_of(result.errors);
    REQUIRE(lines.size() >= 3);
    CHECK(lines[0] == header);
    CHECK(lines[1] == "cublasSgemm_v2,T,N,5,6,7,7,7,5,1,0,0,0,1,0,1,2,3,naive,,0");
    CHECK(lines[2] ==
          "cublasSgemm_v2_64,N,?,-1,1099511627776,7,5,6,5,1,-3,0,0,null,unread,0,0,0,cublas,invalid "
          "argument,7");
    CHECK(lines.size() == 3);  // no summary: it would not be CSV
    CHECK(fields_of(lines[1]).size() == fields_of(header).size());
}

TEST_CASE("a CSV row tells the kind of scalar and reads none that it may not") {
    const ChildResult result = play("scalars", {{"SGEMM_SHIM_LOG", "calls"}});
    const std::vector<std::string> lines = lines_of(result.errors);
    REQUIRE(lines.size() >= 7);
    const auto scalars = [&](std::size_t line) {
        const std::vector<std::string> fields = fields_of(lines[line]);
        REQUIRE(fields.size() == 21);
        return fields[13] + " " + fields[14];
    };
    CHECK(scalars(1) == "0 0");
    CHECK(scalars(2) == "0 0");
    CHECK(scalars(3) == "1 1");
    CHECK(scalars(4) == "other other");
    CHECK(scalars(5) == "device null");
    CHECK(scalars(6) == "unread null");
}

TEST_CASE("SGEMM_SHIM_LOG=shapes tells each kind of call once") {
    const ChildResult result = play("shapes", {{"SGEMM_SHIM_LOG", "shapes"}});
    std::vector<std::string> lines = lines_of(result.errors);
    REQUIRE(lines.size() >= 5);
    CHECK(lines[0] == "sgemm-shim: cublasSgemm_v2 NN m=5 n=6 k=7 batch=1 -> naive");
    CHECK(lines[1] == "sgemm-shim: cublasSgemm_v2_64 NN m=5 n=6 k=7 batch=1 -> cublas (tf32)");
    CHECK(lines[2] == "sgemm-shim: cublasSgemm_v2 NN m=6 n=6 k=7 batch=1 -> naive");
    CHECK(lines[3] == "sgemm-shim: cublasSgemm_v2 NT m=6 n=6 k=7 batch=1 -> naive");
    CHECK(lines[4] == "sgemm-shim: cublasSgemm_v2 NC m=6 n=6 k=7 batch=1 -> naive");
    CHECK(contains(lines[5], "15 calls, 12 served, 3 forwarded"));
}

TEST_CASE("SGEMM_SHIM_LOG=summary says nothing but the summary, and off nothing at all") {
    const std::string text = play("two calls", {{"SGEMM_SHIM_LOG", "summary"}}).errors;
    CHECK(line_count(text) == 3);
    CHECK(contains(text, "2 calls, 1 served, 1 forwarded"));
    CHECK(play("two calls", {{"SGEMM_SHIM_LOG", "off"}}).errors.empty());
    CHECK(play("two calls", {}).errors.empty());
}

TEST_CASE("a process that makes no call says nothing, not even about bad settings") {
    for (const char* level : {"summary", "shapes", "calls", "bad"}) {
        const ScratchFolder folder;
        const Environment environment = {{"SGEMM_SHIM_LOG", level},
                                         {"SGEMM_SHIM_LOG_FILE", folder.file("%p")}};
        CHECK(play("no call", environment).errors.empty());
        CHECK(folder.contents().empty());
    }
}

TEST_CASE("settings are read once: a bad value gives one line, however many calls there are") {
    const std::string text = play("threads", {{"SGEMM_SHIM_LOG", "bad"}}).errors;
    CHECK(line_count(text) == 1);
    CHECK(contains(text, "SGEMM_SHIM_LOG=bad is not valid; valid values: off, summary, shapes, calls"));
}

TEST_CASE("a log file gets the lines, stderr nothing; it is appended to") {
    const ScratchFolder folder;
    const Environment environment = {{"SGEMM_SHIM_LOG", "summary"},
                                     {"SGEMM_SHIM_LOG_FILE", folder.file("log")}};
    CHECK(play("two calls", environment).errors.empty());
    CHECK(line_count(ScratchFolder::read(folder.file("log"))) == 3);
    CHECK(play("two calls", environment).errors.empty());
    CHECK(line_count(ScratchFolder::read(folder.file("log"))) == 6);
}

TEST_CASE("%p in the log file's name is the process id, wherever it stands") {
    const ScratchFolder folder;
    play("two calls", {{"SGEMM_SHIM_LOG", "summary"}, {"SGEMM_SHIM_LOG_FILE", folder.file("a%p-%p%%x")}});
    REQUIRE(folder.contents().size() == 1);
    const std::string text = folder.contents().front();
    const std::string begin = "sgemm-shim: process ";
    REQUIRE(text.starts_with(begin));
    const std::string id = text.substr(begin.size(), text.find(':', begin.size()) - begin.size());
    CHECK(std::filesystem::exists(folder.file("a" + id + "-" + id + "%%x")));
}

TEST_CASE("a log file that cannot be opened is told once, and the lines go to stderr") {
    const ScratchFolder folder;
    const std::string path = folder.file("no such folder/log");
    const ChildResult result =
        play("two calls", {{"SGEMM_SHIM_LOG", "calls"}, {"SGEMM_SHIM_LOG_FILE", path}});
    const std::vector<std::string> lines = lines_of(result.errors);
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == "sgemm-shim: SGEMM_SHIM_LOG_FILE: cannot open " + path +
                          ": No such file or directory; logging to stderr");
    CHECK(lines[1] == header);
    CHECK(fields_of(lines[3]).size() == fields_of(header).size());
}

TEST_CASE("lines of several threads stay whole") {
    const ScratchFolder folder;
    play("threads", {{"SGEMM_SHIM_LOG", "calls"}, {"SGEMM_SHIM_LOG_FILE", folder.file("log")}});
    const std::vector<std::string> lines = lines_of(ScratchFolder::read(folder.file("log")));
    REQUIRE(lines.size() == 4001);
    int headers = 0;
    int rows = 0;
    for (const std::string& line : lines) {
        headers += line == header;
        rows += line == "cublasSgemm_v2,N,N,5,6,7,5,7,5,1,0,0,0,1,0,0,0,0,naive,,0";
    }
    CHECK(headers == 1);
    CHECK(rows == 4000);
}

TEST_CASE("errno survives a logged call, and the log file is opened once") {
    const ScratchFolder folder;
    play("errno", {{"SGEMM_SHIM_LOG", "calls"}, {"SGEMM_SHIM_LOG_FILE", folder.file("log")}});
    play("errno", {{"SGEMM_SHIM_LOG", "shapes"}, {"SGEMM_SHIM_LOG_FILE", folder.file("missing/log")}});
}

TEST_CASE("after fork a child counts from 0, and one without calls says nothing") {
    const std::string text = play("fork", {{"SGEMM_SHIM_LOG", "summary"}}).errors;
    const std::vector<std::string> lines = lines_of(text);
    REQUIRE(lines.size() == 4);
    CHECK(contains(lines[0], ": 2 calls, 0 served, 2 forwarded"));
    CHECK(contains(lines[2], ": 3 calls, 3 served, 0 forwarded"));
}

TEST_CASE("after fork a file with %p is the child's own, and whole") {
    const ScratchFolder folder;
    play("fork", {{"SGEMM_SHIM_LOG", "calls"}, {"SGEMM_SHIM_LOG_FILE", folder.file("%p.csv")}});
    const std::vector<std::string> texts = folder.contents();
    REQUIRE(texts.size() == 2);
    for (const std::string& text : texts) {
        CAPTURE(text);
        CHECK(text.starts_with(header + "\n"));
        const bool parent = contains(text, ",naive,");
        CHECK(line_count(text) == (parent ? 1 + 3 : 1 + 2));
    }
}

TEST_CASE("after fork a file without %p is shared, under one header") {
    const ScratchFolder folder;
    play("fork", {{"SGEMM_SHIM_LOG", "calls"}, {"SGEMM_SHIM_LOG_FILE", folder.file("shared.csv")}});
    const std::string text = ScratchFolder::read(folder.file("shared.csv"));
    CHECK(text.find(header) == 0);
    CHECK(text.find(header, 1) == std::string::npos);
    CHECK(line_count(text) == 1 + 3 + 2);
}

TEST_CASE("after fork a child's own file tells the shapes of its own calls") {
    const ScratchFolder folder;
    play("fork", {{"SGEMM_SHIM_LOG", "shapes"}, {"SGEMM_SHIM_LOG_FILE", folder.file("%p")}});
    REQUIRE(folder.contents().size() == 2);
    for (const std::string& text : folder.contents()) CHECK(contains(text, "m=5 n=6 k=7"));
}
