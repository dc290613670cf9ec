#include "loader_search.hpp"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>

namespace sgemm_shim::launcher {
namespace {

namespace fs = std::filesystem;

/// A file whose dependencies are still to be found, with the RPATHs that it inherits.
struct Visit {
    std::string path;
    std::vector<std::string> inherited_rpath;
};

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

/// The directories of an RPATH or RUNPATH of the file at `path`.
std::vector<std::string> expand(const std::string& list, const std::string& path) {
    if (list.empty()) return {};
    std::error_code error;
    const std::string origin = fs::weakly_canonical(path, error).parent_path().string();
    std::vector<std::string> directories = split_path(list);
    for (std::string& directory : directories) {
        replace_all(directory, "${ORIGIN}", origin);
        replace_all(directory, "$ORIGIN", origin);
    }
    return directories;
}

/// The loader passes over files for another processor, and so do we.
bool is_loadable(const std::string& path) {
    const FileBytes file(path);
    if (!file.is_open()) return false;
    const std::optional<ElfFile> elf = read_elf(file.bytes());
    return elf && elf->is_native;
}

bool search(const std::vector<std::string>& directories, const char* how, Dependency& dependency) {
    for (const std::string& directory : directories) {
        const std::string candidate = (fs::path(directory) / dependency.name).string();
        if (!is_loadable(candidate)) continue;
        dependency.path = candidate;
        dependency.found_by = how;
        return true;
    }
    return false;
}

void find(Dependency& dependency, const std::vector<std::string>& rpath,
          const std::vector<std::string>& runpath, const LoaderPaths& paths) {
    if (dependency.name.find('/') != std::string::npos) {
        if (is_loadable(dependency.name)) dependency.path = dependency.name;
        dependency.found_by = "its path";
        return;
    }
    if (search(rpath, "RPATH", dependency)) return;
    if (search(paths.library_path, "LD_LIBRARY_PATH", dependency)) return;
    if (search(runpath, "RUNPATH", dependency)) return;
    for (const auto& [name, path] : paths.cache) {
        if (name != dependency.name || !is_loadable(path)) continue;
        dependency.path = path;
        dependency.found_by = "ld.so.cache";
        return;
    }
    search(paths.default_directories, "default directory", dependency);
}

std::vector<std::pair<std::string, std::string>> read_cache() {
    std::vector<std::pair<std::string, std::string>> cache;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
        popen("PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null", "r"), pclose);
    if (pipe == nullptr) return cache;
    char line[4096];
    while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
        // "\tlibc.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libc.so.6\n"
        const std::string text = line;
        const std::size_t name_end = text.find(" (");
        const std::size_t arrow = text.find(" => ");
        if (text[0] != '\t' || name_end == std::string::npos || arrow == std::string::npos) continue;
        cache.emplace_back(text.substr(1, name_end - 1), text.substr(arrow + 4, text.size() - arrow - 5));
    }
    return cache;
}

}  // namespace

std::vector<std::string> split_path(const std::string& path) {
    std::vector<std::string> entries;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        entries.push_back(end > begin ? path.substr(begin, end - begin) : ".");
        begin = end + 1;
    }
    return entries;
}

LoaderPaths read_loader_paths() {
    LoaderPaths paths;
    if (const char* value = std::getenv("LD_LIBRARY_PATH"); value != nullptr && *value != '\0')
        paths.library_path = split_path(value);
    paths.cache = read_cache();
    paths.default_directories = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
    return paths;
}

Dependency find_by_name(const std::string& name, const LoaderPaths& paths) {
    Dependency dependency;
    dependency.name = name;
    find(dependency, {}, {}, paths);
    return dependency;
}

std::vector<Dependency> dependencies_of(const std::string& path, const LoaderPaths& paths) {
    std::vector<Dependency> found;
    std::set<std::string> seen;
    std::deque<Visit> queue{{path, {}}};
    for (; !queue.empty(); queue.pop_front()) {
        const Visit visit = queue.front();
        const FileBytes file(visit.path);
        const std::optional<ElfFile> elf = file.is_open() ? read_elf(file.bytes()) : std::nullopt;
        if (!elf) continue;
        // A file with a RUNPATH ignores every RPATH, its own and those of the files that led to it.
        std::vector<std::string> rpath;
        if (elf->runpath.empty()) {
            rpath = expand(elf->rpath, visit.path);
            rpath.insert(rpath.end(), visit.inherited_rpath.begin(), visit.inherited_rpath.end());
        }
        const std::vector<std::string> runpath = expand(elf->runpath, visit.path);
        for (const std::string& name : elf->needed) {
            if (!seen.insert(name).second) continue;
            Dependency dependency{name, {}, visit.path, {}};
            find(dependency, rpath, runpath, paths);
            if (!dependency.path.empty()) queue.push_back({dependency.path, rpath});
            found.push_back(std::move(dependency));
        }
    }
    return found;
}

}  // namespace sgemm_shim::launcher
