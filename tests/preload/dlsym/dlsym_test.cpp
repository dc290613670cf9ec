// Programs that look cuBLAS up with dlopen and dlsym, under LD_PRELOAD of the shim: who answers them, and
// that nothing else about dlsym changes.
#include <algorithm>
#include <sstream>

#include "preload_run.hpp"

using namespace sgemm_shim::testing;

namespace {

std::string dlsym_program(const std::string& name) {
    return built("dlsym/" + name);
}

/// What lookup_caller prints of a library of this major version.
std::string line_of(const std::string& major) {
    return "create=0 logger=" + major + " null=1 sgemm=" + major + " sgemm_64=" + major + "\n";
}

/// Three products a call and library, all passed on: there is no GPU to serve them, or the handle is NULL.
void check_forwarded(const ChildResult& result, int calls) {
    CHECK(result.exit_status == 0);
    CHECK(contains(result.errors, ": " + std::to_string(calls) + " calls, 0 served, " +
                                      std::to_string(calls) + " forwarded"));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// The answer that lookup_answers got to a question.
std::string answer(const ChildResult& result, const std::string& question) {
    for (const std::string& line : lines_of(result.output)) {
        if (line.starts_with(question + ": ")) return line.substr(question.size() + 2);
    }
    return "not asked: " + question;
}

std::vector<std::string> answers_command() {
    return {dlsym_program("lookup_answers"), stand_in_file("13"), dlsym_program("foreign.so")};
}

/// The lines that must not change.
std::vector<std::string> unchanged(const ChildResult& result) {
    std::vector<std::string> lines = lines_of(result.output);
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("* "); });
    return lines;
}

const std::string found_in_shim = "libsgemm_shim.so.0.1.0, error: none, then: none";

}  // namespace

TEST_CASE("looked up by absolute path, cuBLAS is caught") {
    const ChildResult plain = run_program({dlsym_program("lookup_caller"), stand_in_file("13")});
    CHECK(plain.output == line_of("13") + line_of("13"));
    const ChildResult result = run_shimmed({dlsym_program("lookup_caller"), stand_in_file("13")});
    CHECK(result.output == plain.output);
    check_forwarded(result, 6);
    CHECK(contains(result.errors, "cublasSgemm_v2 "));
    CHECK(contains(result.errors, "cublasSgemm_v2_64 "));
}

TEST_CASE("looked up by soname, cuBLAS is caught") {
    const ChildResult result = run_shimmed({dlsym_program("lookup_caller"), "libcublas.so.12"},
                                           {{"LD_LIBRARY_PATH", built("stand_in_12")}});
    CHECK(result.output == line_of("12") + line_of("12"));
    check_forwarded(result, 6);
}

TEST_CASE("programs built for the oldest dlsym are caught, too") {
    const std::vector<std::string> command = {dlsym_program("lookup_caller_old"), stand_in_file("13")};
    CHECK(run_program(command).output == line_of("13") + line_of("13"));
    const ChildResult result = run_shimmed(command);
    CHECK(result.output == line_of("13") + line_of("13"));
    check_forwarded(result, 6);
}

TEST_CASE("opened with RTLD_DEEPBIND, as Julia does, cuBLAS is caught") {
    const ChildResult result =
        run_shimmed({dlsym_program("lookup_caller"), "--deepbind", stand_in_file("13")});
    CHECK(result.output == line_of("13") + line_of("13"));
    check_forwarded(result, 6);
}

TEST_CASE("two majors in one module, looked up before either is called: each pointer keeps its own") {
    for (const auto& [first, second] : {std::pair("12", "13"), std::pair("13", "12")}) {
        const ChildResult result =
            run_shimmed({dlsym_program("lookup_caller"), stand_in_file(first), stand_in_file(second)});
        const std::string once = line_of(first) + line_of(second);
        CHECK(result.output == once + once);
        check_forwarded(result, 12);
    }
}

TEST_CASE("a library looked up beside one that is linked") {
    // The call goes by the pointer, although the module is linked to 13.
    const ChildResult result = run_shimmed(
        {"plugin_host", built("plugin_13.so"), dlsym_program("lookup_plugin.so"), built("plugin_12.so")},
        {{"LOOKUP_LIBRARY", stand_in_file("12")}});
    CHECK(result.output == "13 12 12 13 12 12 \n");
    check_forwarded(result, 6);
}

TEST_CASE("SGEMM_SHIM_CUBLAS comes before what was looked up") {
    const ChildResult result = run_shimmed({dlsym_program("lookup_caller"), stand_in_file("13")},
                                           {{"SGEMM_SHIM_CUBLAS", stand_in_file("12")}});
    CHECK(result.output == line_of("12") + line_of("12"));
}

TEST_CASE("an SGEMM_SHIM_CUBLAS that is none leaves each pointer its own library") {
    const ChildResult result =
        run_shimmed({dlsym_program("lookup_caller"), stand_in_file("12"), stand_in_file("13")},
                    {{"SGEMM_SHIM_CUBLAS", "/no/such/file"}, {"SGEMM_SHIM_LOG", ""}});
    const std::string once = line_of("12") + line_of("13");
    CHECK(result.output == once + once);
    CHECK(line_count(result.errors) == 1);
}

TEST_CASE("more libraries than there are stubs: those left over are not caught, and work") {
    std::vector<std::string> command = {dlsym_program("lookup_caller")};
    std::string once;
    for (const char* copy : {"one", "two", "three", "four", "five"}) {
        const std::string folder = dlsym_program(copy);
        REQUIRE(run_program({"/bin/mkdir", "-p", folder}).exit_status == 0);
        REQUIRE(run_program({"/bin/cp", stand_in_file("13"), folder + "/libcublas.so." + copy}).exit_status ==
                0);
        command.push_back(folder + "/libcublas.so." + copy);
        once += line_of("13");
    }
    const ChildResult result = run_shimmed(command);
    CHECK(result.output == once + once);
    check_forwarded(result, 4 * 6);
}

TEST_CASE("a wheel's renamed copy is caught") {
    const std::string renamed = dlsym_program("libcublas-1a2b3c4d.so.13.1");
    REQUIRE(run_program({"/bin/cp", stand_in_file("13"), renamed}).exit_status == 0);
    check_forwarded(run_shimmed({dlsym_program("lookup_caller"), renamed}), 6);
}

TEST_CASE("a file of another name is known by its soname") {
    const std::string renamed = dlsym_program("blas_backend.so");
    REQUIRE(run_program({"/bin/cp", stand_in_file("13"), renamed}).exit_status == 0);
    check_forwarded(run_shimmed({dlsym_program("lookup_caller"), renamed}), 6);
}

TEST_CASE("a cuBLAS that lacks a function: its users are told so, and leave no error behind") {
    const std::string old = built("stand_in_13_old/libcublas.so.13");
    const ChildResult result = run_shimmed({dlsym_program("lookup_caller"), old});
    const std::string once = "create=0 logger=13 null=1 sgemm=13 sgemm_64=-1\n";
    CHECK(result.output == once + once);
    check_forwarded(result, 4);
    const ChildResult answers =
        run_shimmed({dlsym_program("lookup_answers"), old, dlsym_program("foreign.so")});
    CHECK(answer(answers, "* cublasSgemm_v2") == found_in_shim);
}

TEST_CASE("the real cuBLAS answers as without the shim") {
    const std::vector<std::string> command = {dlsym_program("lookup_caller"), variable("REAL_CUBLAS")};
    const ChildResult plain = run_program(command);
    const ChildResult result = run_shimmed(command);
    CHECK(contains(plain.output, "null=1"));
    if (contains(plain.output, "logger=0 null=1\n")) {  // without a GPU there is no handle
        CHECK(result.output == plain.output);
        check_forwarded(result, 2);
    }
    CHECK(contains(result.errors, "forwarded: handle "));
}

TEST_CASE("eight threads look up and call at once") {
    const ChildResult result =
        run_shimmed({dlsym_program("lookup_caller"), "--threads", stand_in_file("13")});
    CHECK(result.output == "13 13 13 13 13 13 13 13 \n");
    check_forwarded(result, 8);
}

TEST_CASE("ctypes, whose calls come from libffi: two majors") {
    const std::string script =
        "import ctypes, sys\n"
        "libraries = [ctypes.CDLL(path) for path in sys.argv[1:]]\n"
        "one = ctypes.byref(ctypes.c_float(1)); nowhere = ctypes.c_void_p(4096)\n"
        "handles = [ctypes.c_void_p() for _ in libraries]\n"
        "for library, handle in zip(libraries, handles): library.cublasCreate_v2(ctypes.byref(handle))\n"
        "for library, handle in list(zip(libraries, handles)) * 2:\n"
        "    for h in (None, handle):\n"
        "        print(library.cublasSgemm_v2(h, 0, 0, 8, 8, 8, one, nowhere, 8, nowhere, 8, one, nowhere, "
        "8))\n";
    const std::vector<std::string> command = {"python3", "-c", script, stand_in_file("12"),
                                              stand_in_file("13")};
    const ChildResult plain = run_program(command);
    CHECK(plain.output == "1\n12\n1\n13\n1\n12\n1\n13\n");
    const ChildResult result = run_shimmed(command);
    CHECK(result.output == plain.output);
    check_forwarded(result, 8);
}

TEST_CASE("a look-up in a constructor, before this library's and after") {
    for (const std::string& preload : {dlsym_program("lookup_plugin_constructor.so") + ":" + shim(),
                                       shim() + ":" + dlsym_program("lookup_plugin_constructor.so")}) {
        const ChildResult result =
            run_shimmed({"true"}, {{"LD_PRELOAD", preload}, {"LOOKUP_LIBRARY", stand_in_file("13")}});
        CHECK(result.output == "constructor=13\n");
        check_forwarded(result, 1);
    }
}

TEST_CASE("what is not to be caught gets the answers and the messages that it gets without the shim") {
    const ChildResult plain = run_program(answers_command());
    const ChildResult result = run_shimmed(answers_command());
    REQUIRE(plain.exit_status == 0);
    CHECK(result.exit_status == 0);
    CHECK(unchanged(result) == unchanged(plain));
    CHECK(unchanged(plain).size() == 19);

    // And these are the answers:
    CHECK(answer(result, "before") == "none");
    CHECK(answer(result, "no such name") ==
          "nowhere, error: " + stand_in_file("13") + ": undefined symbol: no_such_function, then: none");
    CHECK(contains(answer(result, "not of that library"), "libm.so.6: undefined symbol: cublasSgemm_v2"));
    CHECK(contains(answer(result, "another function"), "libcublas.so.13, error: none"));
    CHECK(contains(answer(result, "foreign"), "foreign.so, error: none"));
    CHECK(contains(answer(result, "from inside cuBLAS"), "libcublas.so.13"));
    CHECK(contains(answer(result, "dlvsym"), "libcublas.so.13"));  // not caught
}

TEST_CASE("RTLD_NEXT is relative to the library that asks") {
    const ChildResult result = run_shimmed(answers_command());
    CHECK(answer(result, "constructor's next") == "back");
    CHECK(answer(result, "next of front") == "back");
    CHECK(answer(result, "next cublasSgemm_v2 of front") == "libcublas.so.13");
}

TEST_CASE("what is caught, by the file that the answer lies in, and no error stays behind") {
    const ChildResult plain = run_program(answers_command());
    const ChildResult result = run_shimmed(answers_command());
    for (const char* question : {"* RTLD_DEFAULT", "* dlopen(NULL)", "* cublasSgemm_v2",
                                 "* of a library behind it", "* after an error that nobody read"}) {
        CAPTURE(question);
        CHECK(answer(plain, question) == "libcublas.so.13, error: none, then: none");
        CHECK(answer(result, question) == found_in_shim);
    }
}

TEST_CASE("SGEMM_SHIM_DLSYM=off: dlsym answers as without the shim") {
    const Environment off = {{"SGEMM_SHIM_DLSYM", "off"}};
    const ChildResult result = run_shimmed({dlsym_program("lookup_caller"), stand_in_file("13")}, off);
    CHECK(result.output == line_of("13") + line_of("13"));
    CHECK(result.errors.empty());
    const ChildResult plain = run_program(answers_command());
    const ChildResult answers = run_shimmed(answers_command(), off);
    CHECK(unchanged(answers) == unchanged(plain));
    CHECK(answer(answers, "* cublasSgemm_v2") == answer(plain, "* cublasSgemm_v2"));
    CHECK(answer(answers, "* RTLD_DEFAULT") == found_in_shim);  // the loader's doing
}

TEST_CASE("another hook before or behind: both do their work") {
    const std::string other = dlsym_program("other_hook.so");
    for (const std::string& preload : {other + ":" + shim(), shim() + ":" + other}) {
        CAPTURE(preload);
        const ChildResult result =
            run_shimmed({dlsym_program("lookup_caller"), stand_in_file("12"), stand_in_file("13")},
                        {{"LD_PRELOAD", preload}});
        const std::string once = line_of("12") + line_of("13");
        CHECK(result.output == once + once);
        check_forwarded(result, 12);
        CHECK(contains(result.errors, "other hook: asked"));

        const ChildResult answers = run_shimmed(answers_command(), {{"LD_PRELOAD", preload}});
        CHECK(unchanged(answers) == unchanged(run_program(answers_command())));
        CHECK(answer(answers, "* cublasSgemm_v2") == found_in_shim);
        CHECK(contains(answer(answers, "* of the other hook"), "other_hook.so"));
    }
}

TEST_CASE("a hook that skips those behind it hides this one, and nothing breaks") {
    const std::string other = dlsym_program("other_hook.so");
    const std::vector<std::string> command = {dlsym_program("lookup_caller"), stand_in_file("13")};
    const ChildResult before =
        run_shimmed(command, {{"LD_PRELOAD", other + ":" + shim()}, {"OTHER_HOOK_PAST", "1"}});
    CHECK(before.output == line_of("13") + line_of("13"));
    CHECK(before.errors == "other hook: asked\n");
    const ChildResult behind =
        run_shimmed(command, {{"LD_PRELOAD", shim() + ":" + other}, {"OTHER_HOOK_PAST", "1"}});
    CHECK(behind.output == line_of("13") + line_of("13"));
    check_forwarded(behind, 6);
}

TEST_CASE("plugins loaded with RTLD_DEEPBIND see the C library before any preload: not caught, and right") {
    const Environment lookup = {{"LOOKUP_LIBRARY", stand_in_file("12")}};
    // Linked to cuBLAS: its calls go there directly.
    const ChildResult linked = run_shimmed({"plugin_host", "--deepbind", built("plugin_13.so")});
    CHECK(linked.output == "13 13 \n");
    CHECK(linked.errors.empty());
    // With dlsym of its own: that is the C library's.
    const ChildResult looking =
        run_shimmed({"plugin_host", "--deepbind", dlsym_program("lookup_plugin.so")}, lookup);
    CHECK(looking.output == "12 12 \n");
    CHECK(looking.errors.empty());
    // The same plugin loaded in the ordinary way is caught.
    check_forwarded(run_shimmed({"plugin_host", dlsym_program("lookup_plugin.so")}, lookup), 2);
}

TEST_CASE("a bad setting is told in a process that looks cuBLAS up, and in no other") {
    const Environment bad = {{"SGEMM_SHIM_LOG", ""}, {"SGEMM_SHIM_DLSYM", "maybe"}};
    const ChildResult result = run_shimmed({dlsym_program("lookup_caller"), stand_in_file("13")}, bad);
    CHECK(result.output == line_of("13") + line_of("13"));
    CHECK(line_count(result.errors) == 1);
    CHECK(contains(result.errors, "SGEMM_SHIM_DLSYM=maybe is not valid; valid values: on, off"));
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"true"},
          {"sh", "-c", ":"},
          {"python3", "-c", "import ctypes; ctypes.CDLL(None).puts"}})
        CHECK(run_shimmed(command, bad).errors.empty());
}
