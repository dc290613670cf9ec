#include "loader_search.hpp"

#include <doctest/doctest.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

using namespace sgemm_shim::launcher;
namespace fs = std::filesystem;

TEST_CASE("paths are split as the loader does it") {
    CHECK(split_path("/a:/b") == std::vector<std::string>{"/a", "/b"});
    CHECK(split_path("/a::/b:") == std::vector<std::string>{"/a", ".", "/b", "."});
}

TEST_CASE("this program's own libraries are found where the loader found them") {
    const std::vector<Dependency> found = dependencies_of("/proc/self/exe", read_loader_paths());
    struct Search {
        const std::vector<Dependency>& found;
        int seen = 0;
    } search{found};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            auto& state = *static_cast<Search*>(data);
            const std::string path = info->dlpi_name;
            // Neither the kernel's own library nor the loader itself is searched for.
            if (!path.starts_with('/') || path.find("ld-linux") != std::string::npos) return 0;
            ++state.seen;
            CAPTURE(path);
            CHECK(std::ranges::any_of(state.found, [&](const Dependency& dependency) {
                std::error_code error;
                return !dependency.path.empty() && fs::equivalent(dependency.path, path, error);
            }));
            return 0;
        },
        &search);
    CHECK(search.seen >= 2);  // libc and libstdc++ at least
}

TEST_CASE("LD_LIBRARY_PATH goes before the cache, and files that cannot be loaded are passed over") {
    const fs::path directory = fs::temp_directory_path() / ("loader-search-" + std::to_string(std::rand()));
    fs::create_directories(directory / "good");
    fs::create_directories(directory / "bad");
    const std::string shim = std::getenv("SHIM");
    fs::copy_file(shim, directory / "good" / "libcublas.so.13", fs::copy_options::overwrite_existing);
    fs::copy_file("/proc/self/cmdline", directory / "bad" / "libcublas.so.13",
                  fs::copy_options::overwrite_existing);

    LoaderPaths paths;
    paths.library_path = {(directory / "bad").string(), (directory / "good").string()};
    paths.cache = {{"libcublas.so.13", shim}};
    const Dependency first = find_by_name("libcublas.so.13", paths);
    CHECK(first.path == (directory / "good" / "libcublas.so.13").string());
    CHECK(first.found_by == "LD_LIBRARY_PATH");

    paths.library_path.clear();
    CHECK(find_by_name("libcublas.so.13", paths).path == shim);
    CHECK(find_by_name("libcublas.so.13", paths).found_by == "ld.so.cache");
    CHECK(find_by_name("libcublas.so.12", paths).path.empty());
    fs::remove_all(directory);
}
