#include "library_location.hpp"

#include <filesystem>

namespace sgemm_shim::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* multiarch =
#if defined(__x86_64__)
    "x86_64-linux-gnu";
#elif defined(__aarch64__)
    "aarch64-linux-gnu";
#else
    "";
#endif

bool contains_entry(const std::string& list, const std::string& wanted) {
    std::size_t begin = 0;
    while (begin <= list.size()) {
        // The loader takes both as separators.
        const std::size_t end = std::min(list.find_first_of(": ", begin), list.size());
        if (list.compare(begin, end - begin, wanted) == 0) return true;
        begin = end + 1;
    }
    return false;
}

}  // namespace

std::vector<std::string> library_candidates(const std::string& launcher_path) {
    const fs::path here = fs::path(launcher_path).parent_path();
    const fs::path directories[] = {
        here,
        here / ".." / "lib" / multiarch,
        here / ".." / "lib",
        here / ".." / "lib64",
        SGEMM_SHIM_LIBRARY_DIRECTORY,
    };
    std::vector<std::string> candidates;
    for (const fs::path& directory : directories)
        candidates.push_back((directory / SGEMM_SHIM_LIBRARY_NAME).lexically_normal().string());
    return candidates;
}

std::string find_library() {
    std::error_code error;
    const fs::path launcher = fs::read_symlink("/proc/self/exe", error);
    if (error) return {};
    for (const std::string& candidate : library_candidates(launcher.string())) {
        if (fs::is_regular_file(candidate, error)) return candidate;
    }
    return {};
}

std::string with_preload(const std::string& library, const char* present) {
    const std::string others = present != nullptr ? present : "";
    if (others.empty()) return library;
    if (contains_entry(others, library)) return others;
    return library + ":" + others;
}

}  // namespace sgemm_shim::launcher
