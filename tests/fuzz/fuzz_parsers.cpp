// libFuzzer target: the parsers of what users write and of files that others made: settings, the launcher's
// command line, ELF files, search paths.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "elf_file.hpp"
#include "library_location.hpp"
#include "loader_search.hpp"
#include "options.hpp"
#include "settings.hpp"

using namespace sgemm_shim;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

std::vector<std::string> draw_words(FuzzedDataProvider& bytes) {
    std::vector<std::string> words;
    while (bytes.remaining_bytes() > 0 && words.size() < 20) {
        words.push_back(bytes.ConsumeRandomLengthString(200));
        // As the system would hand it over.
        words.back().resize(std::strlen(words.back().c_str()));
    }
    return words;
}

void parse_environment(FuzzedDataProvider& bytes) {
    const std::vector<std::string> words = draw_words(bytes);
    std::vector<const char*> environment;
    for (const std::string& word : words) environment.push_back(word.c_str());
    environment.push_back(nullptr);
    const Settings settings = parse_settings(environment.data(), [](const char* line) {
        require(std::strchr(line, '\n') == nullptr, "a warning of more than one line");
    });
    require(std::memchr(settings.log_file, 0, sizeof settings.log_file) != nullptr, "an endless path");
    require(std::memchr(settings.cublas_path, 0, sizeof settings.cublas_path) != nullptr, "an endless path");
}

void parse_command_line(FuzzedDataProvider& bytes) {
    const std::vector<std::string> words = draw_words(bytes);
    const std::vector<std::string_view> views(words.begin(), words.end());
    const launcher::Options options = launcher::parse_options(views);
    require(options.error.empty() == (options.action != launcher::Action::usage_error),
            "an error without a word, or a word without an error");
    require(options.error.find('\n') == std::string::npos, "an error of more than one line");
    // What the launcher lets through, the library must not complain about.
    std::vector<std::string> assignments;
    for (const launcher::Assignment& setting : options.settings)
        assignments.push_back(setting.variable + "=" + setting.value);
    std::vector<const char*> environment;
    for (const std::string& assignment : assignments) environment.push_back(assignment.c_str());
    environment.push_back(nullptr);
    parse_settings(environment.data(), [](const char* line) { require(false, line); });
}

void read_file(FuzzedDataProvider& bytes) {
    const std::vector<char> content = bytes.ConsumeRemainingBytes<char>();
    launcher::read_elf({content.data(), content.size()});
}

void split_paths(FuzzedDataProvider& bytes) {
    const std::string path = bytes.ConsumeRandomLengthString(1000);
    for (const std::string& directory : launcher::split_path(path))
        require(directory.find(':') == std::string::npos, "a colon in a directory");
    const std::string library = "/l.so";
    const std::string preload = launcher::with_preload(library, path.c_str());
    require(preload.find(library) != std::string::npos, "the library is not there");
    require(launcher::with_preload(library, preload.c_str()) == preload, "the library twice");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    constexpr decltype(&parse_environment) parsers[] = {parse_environment, parse_command_line, read_file,
                                                        split_paths};
    bytes.PickValueInArray(parsers)(bytes);
    return 0;
}
