// What the doctor says about one program: whether a preloaded library can reach its cuBLAS calls at all.
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cublas_names.hpp"
#include "doctor.hpp"

namespace sgemm_shim::launcher {
namespace {

namespace fs = std::filesystem;

/// In every copy of cuBLAS, a stripped static one too; a program that only calls cuBLAS does not hold it.
constexpr std::string_view inside_cublas = "CUBLAS_LOGINFO_DBG";
/// In this project's own files, which hold the name above as well.
constexpr std::string_view inside_shim = "SGEMM_SHIM_DISABLE";

bool contains(std::string_view bytes, std::string_view text) {
    return memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
}

std::string file_name(const std::string& path) {
    return fs::path(path).filename().string();
}

/// As execvp() finds it; empty if there is none.
std::string find_program(const std::string& name) {
    std::error_code error;  // a folder that may not be searched is one without the program
    if (name.find('/') != std::string::npos) return fs::exists(name, error) ? name : std::string();
    const char* path = std::getenv("PATH");
    for (const std::string& directory : split_path(path != nullptr ? path : "/bin:/usr/bin")) {
        const std::string candidate = (fs::path(directory) / name).string();
        if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

/// The program that runs a script: what stands after "#!", or for env(1) the first word after it that is a
/// name.
std::string interpreter_of(std::string_view bytes) {
    std::string line(bytes.substr(2, std::min(bytes.find('\n'), std::size_t{4096}) - 2));
    std::vector<std::string> words;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string::npos;) {
        const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    if (words.empty()) return {};
    if (file_name(words[0]) != "env") return words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i][0] != '-' && words[i].find('=') == std::string::npos) return words[i];
    }
    return {};
}

/// The loader ignores LD_PRELOAD's paths where the program has more rights than its caller.
void examine_rights(const std::string& path, Report& report) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return;
    if (status.st_mode & (S_ISUID | S_ISGID))
        report.problem(
            "it is setuid or setgid: the loader ignores LD_PRELOAD; run a copy without those bits");
    if (getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
        report.problem("it has file capabilities: the loader ignores LD_PRELOAD; run a copy without them");
    if (access(path.c_str(), X_OK) != 0) report.problem("it is not executable; chmod +x");
}

/// cuBLAS copies among the program's libraries, and copies inside other files. Returns whether there was any.
bool examine_dependencies(const std::string& path, const LoaderPaths& paths, Report& report) {
    bool has_cublas = false;
    for (const Dependency& dependency : dependencies_of(path, paths)) {
        if (dependency.path.empty()) {
            report.problem(dependency.name + ", needed by " + dependency.needed_by +
                           ", is not found; add its directory to LD_LIBRARY_PATH");
        } else if (is_file_name_of_cublas(dependency.name.c_str())) {
            report.good("linked to " + dependency.name + " through " + file_name(dependency.needed_by) +
                        ": forwarded calls go to " + dependency.path + " (found by " + dependency.found_by +
                        ")");
            has_cublas = true;
        } else if (!dependency.name.starts_with("libcublasLt.so")) {
            const FileBytes file(dependency.path);
            if (contains(file.bytes(), inside_cublas) && !contains(file.bytes(), inside_shim)) {
                report.problem("a static copy of cuBLAS is inside " + dependency.path +
                               ": calls inside a file cannot be intercepted; link it to libcublas.so");
                has_cublas = true;
            }
        }
    }
    return has_cublas;
}

void examine_lookup(std::string_view bytes, const std::string& name, Report& report) {
#ifdef SGEMM_SHIM_DLSYM_HOOK
    const bool has_hook = true;
#else
    const bool has_hook = false;
#endif
    if (contains(bytes, "libcublas.so") || contains(bytes, "cublasSgemm_v2")) {
        const std::string what =
            "not linked to cuBLAS, but its name is in the file: it seems to look cuBLAS up at run "
            "time with dlopen and dlsym";
        if (has_hook)
            report.good(what + ", which this version catches");
        else
            report.problem(what + ", which this version does not catch");
    } else {
        report.note(
            name +
            " is not linked to cuBLAS; what it loads at run time (as Python loads its modules) is not "
            "seen here: run it with --log summary, which prints nothing if no call arrived");
    }
}

void examine_binary(const std::string& path, std::string_view bytes, const ElfFile& elf,
                    const LoaderPaths& paths, Report& report) {
    if (!elf.is_native) {
        report.problem("it is built for another processor or for 32 bits, and the library is not");
        return;
    }
    if (!elf.has_interpreter) {
        report.problem("it is statically linked: nothing can be preloaded; link it dynamically");
        return;
    }
    if (!elf.rpath.empty()) report.note("RPATH " + elf.rpath + " (goes before LD_LIBRARY_PATH)");
    if (!elf.runpath.empty()) report.note("RUNPATH " + elf.runpath + " (goes after LD_LIBRARY_PATH)");
    bool has_cublas = false;
    if (contains(bytes, inside_cublas) && !contains(bytes, inside_shim)) {
        report.problem(
            "a static copy of cuBLAS is inside the program: calls inside a file cannot be intercepted; "
            "link it to libcublas.so (-lcublas, or CUDA::cublas in CMake)");
        has_cublas = true;
    }
    has_cublas = examine_dependencies(path, paths, report) || has_cublas;
    if (!has_cublas) examine_lookup(bytes, file_name(path), report);
}

}  // namespace

bool is_cublas(std::string_view bytes) {
    const auto elf = read_elf(bytes);
    return elf && elf->is_native && elf->is_dynamic && defines(bytes, "cublasSgemm_v2") &&
           !contains(bytes, inside_shim);
}

void examine_program(const std::string& program, const LoaderPaths& paths, Report& report) {
    std::string name = program;
    constexpr int script_limit = 5;  // the kernel follows no more
    for (int scripts = 0; scripts < script_limit; ++scripts) {
        report.heading("program " + name);
        const std::string path = find_program(name);
        if (path.empty()) {
            report.problem("not found");
            return;
        }
        if (path != name) report.note("it is " + path);
        examine_rights(path, report);
        const FileBytes file(path);
        if (!file.is_open()) {
            report.problem("not a file that can be read");
            return;
        }
        if (const auto elf = read_elf(file.bytes())) {
            examine_binary(path, file.bytes(), *elf, paths, report);
            return;
        }
        if (!file.bytes().starts_with("#!")) {
            report.problem("neither an ELF program nor a script with a #! line");
            return;
        }
        name = interpreter_of(file.bytes());
        report.note("a script" + (name.empty() ? " without an interpreter" : ", run by " + name));
        if (name.empty()) return;
    }
    report.problem("too many scripts that run scripts");
}

}  // namespace sgemm_shim::launcher
