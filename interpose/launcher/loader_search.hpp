// Finds libraries in the order in which the dynamic loader does, without loading them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elf_file.hpp"

namespace sgemm_shim::launcher {

/// The system's side of the search: LD_LIBRARY_PATH, the loader's cache, the default directories.
struct LoaderPaths {
    std::vector<std::string> library_path;
    /// Lines of the cache: file name and full path.
    std::vector<std::pair<std::string, std::string>> cache;
    std::vector<std::string> default_directories;
};

LoaderPaths read_loader_paths();

/// Splits at colons; an empty entry means the working directory, as it does for the loader.
std::vector<std::string> split_path(const std::string& path);

/// One library that a program needs.
struct Dependency {
    std::string name;       ///< as the file that needs it spells it
    std::string path;       ///< empty: not found
    std::string needed_by;  ///< path of the first file that needs it
    std::string found_by;   ///< "RPATH", "LD_LIBRARY_PATH", "RUNPATH", "ld.so.cache", "default directory"
};

/// Every library that the file at `path` needs, directly or not, in the order of loading. Files that are in
/// the loader's own search only at run time (dlopen) are not among them.
std::vector<Dependency> dependencies_of(const std::string& path, const LoaderPaths& paths);

/// Where a plain dlopen(name) from a program without RPATH ends, or an entry with an empty path.
Dependency find_by_name(const std::string& name, const LoaderPaths& paths);

}  // namespace sgemm_shim::launcher
