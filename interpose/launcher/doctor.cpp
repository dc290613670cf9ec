#include "doctor.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "cublas_names.hpp"
#include "library_location.hpp"
#include "settings.hpp"

namespace sgemm_shim::launcher {
namespace {

std::string dotted(int major, int minor) {
    return std::to_string(major) + "." + std::to_string(minor);
}

/// CUDA writes 13.1 as 13010.
std::string cuda_version_text(int version) {
    return dotted(version / 1000, version % 1000 / 10);
}

void examine_library(Report& report) {
    report.heading("library");
    const std::string path = find_library();
    if (path.empty()) {
        report.problem(
            "libsgemm_shim.so is not beside this launcher; install both with `meson install`, or run the "
            "launcher of the build directory");
        return;
    }
    const FileBytes file(path);
    const auto elf = file.is_open() ? read_elf(file.bytes()) : std::nullopt;
    if (!elf || !elf->is_native || !elf->is_dynamic) {
        report.problem(path + " is no shared library for this processor; build it again");
        return;
    }
    report.good(path + ", version " SGEMM_SHIM_VERSION);

    int major = 0;
    int minor = 0;
    const char* here = gnu_get_libc_version();
    std::sscanf(here, "%d.%d", &major, &minor);
    const std::string needed = dotted(elf->glibc_major, elf->glibc_minor);
    if (major > elf->glibc_major || (major == elf->glibc_major && minor >= elf->glibc_minor))
        report.good("glibc " + std::string(here) + " (the library needs " + needed + ")");
    else
        report.problem("glibc " + std::string(here) + " is older than the " + needed +
                       " that the library needs; build it on this machine");
}

void examine_environment(Report& report) {
    report.heading("environment");
    static thread_local Report* current =
        nullptr;  // parse_settings() reports through a plain function pointer
    current = &report;
    const Settings settings = parse_settings(environ, [](const char* line) { current->problem(line); });
    if (settings.disabled) report.problem("SGEMM_SHIM_DISABLE is on: every call is forwarded; unset it");
    if (!settings.dlsym)
        report.problem(
            "SGEMM_SHIM_DLSYM is off: programs that look cuBLAS up with dlsym are not caught; unset it");
    if (settings.kernel != nullptr && settings.kernel->implementation == nullptr)
        report.problem("SGEMM_SHIM_KERNEL=cublas: every call is forwarded; unset it");
    if (settings.arithmetic_overridden)
        report.problem(
            "NVIDIA_TF32_OVERRIDE or CUBLAS_EMULATE_SINGLE_PRECISION forces another arithmetic: every "
            "call is forwarded; unset it");
    if (settings.cublas_logs)
        report.problem(
            "CUBLAS_LOGINFO_DBG switches cuBLAS's own log on, which must see every call: all are "
            "forwarded; unset it");
    for (const SettingDescription& setting : setting_descriptions()) {
        if (const char* value = std::getenv(setting.variable); value != nullptr && *value != '\0')
            report.note(std::string(setting.variable) + "=" + shortened(value));
    }
    if (const char* preload = std::getenv("LD_PRELOAD"); preload != nullptr && *preload != '\0')
        report.note("LD_PRELOAD=" + std::string(preload) + " (kept, behind this library)");
    else
        report.good("LD_PRELOAD is free");
}

/// Machine code runs on its own major version, from its minor version on; "90a" on 9.0 alone.
bool runs_on(const std::string& architecture, int major, int minor) {
    const int number = std::atoi(architecture.c_str());
    const bool exact = architecture.back() == 'a';
    return number / 10 == major && (exact ? number % 10 == minor : number % 10 <= minor);
}

bool has_machine_code(int major, int minor) {
    const std::string all = SGEMM_SHIM_ARCHITECTURES;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find(' ', begin), all.size());
        if (end > begin && runs_on(all.substr(begin, end - begin), major, minor)) return true;
        begin = end + 1;
    }
    return false;
}

template <class Function>
bool find_function(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

/// The driver's interface, opened here only: nothing links to libcuda.
struct Driver {
    decltype(&::cuInit) init = nullptr;
    decltype(&::cuDriverGetVersion) get_version = nullptr;
    decltype(&::cuDeviceGetCount) get_count = nullptr;
    decltype(&::cuDeviceGetName) get_name = nullptr;
    decltype(&::cuDeviceGetAttribute) get_attribute = nullptr;

    bool open(void* library) {
        return find_function(library, "cuInit", init) &&
               find_function(library, "cuDriverGetVersion", get_version) &&
               find_function(library, "cuDeviceGetCount", get_count) &&
               find_function(library, "cuDeviceGetName", get_name) &&
               find_function(library, "cuDeviceGetAttribute", get_attribute);
    }
};

void examine_device(const Driver& driver, int device, Report& report) {
    char name[256] = "?";
    int major = 0;
    int minor = 0;
    int multiprocessors = 0;
    driver.get_name(name, sizeof name, device);
    driver.get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    driver.get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    driver.get_attribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    const std::string what = "GPU " + std::to_string(device) + ": " + name + ", compute capability " +
                             dotted(major, minor) + ", " + std::to_string(multiprocessors) +
                             " multiprocessors";
    if (has_machine_code(major, minor))
        report.good(what);
    else
        report.problem(what + ": this build has machine code for " SGEMM_SHIM_ARCHITECTURES
                              " only; build with -Dgpu_archs=all");
}

void examine_gpu(Report& report) {
    report.heading("GPU");
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    Driver driver;
    if (library == nullptr || !driver.open(library)) {
        report.problem(
            "no CUDA driver (libcuda.so.1 is not on the loader's path); install NVIDIA's driver, or pass it "
            "into this container");
        return;
    }
    int version = 0;
    driver.get_version(&version);
    // Within a major version a runtime works with every driver.
    const int oldest = CUDART_VERSION / 1000 * 1000;
    const std::string found = "driver for CUDA " + cuda_version_text(version);
    if (version >= oldest)
        report.good(found + " (the built-in runtime " + cuda_version_text(CUDART_VERSION) + " needs " +
                    cuda_version_text(oldest) + " or newer)");
    else
        report.problem(
            found + " is older than the " + cuda_version_text(oldest) +
            " that the built-in runtime needs: every call is forwarded; update the driver, or build with "
            "the driver's CUDA release");
    int count = 0;
    if (const CUresult status = driver.init(0); status != CUDA_SUCCESS) {
        report.problem("the driver finds no GPU to use (cuInit: error " + std::to_string(status) +
                       "); see nvidia-smi and CUDA_VISIBLE_DEVICES");
        return;
    }
    driver.get_count(&count);
    if (count == 0) report.problem("the driver shows no GPU; see CUDA_VISIBLE_DEVICES");
    for (int device = 0; device < count; ++device) examine_device(driver, device, report);
}

/// What SGEMM_SHIM_CUBLAS names, as the library will find it.
void examine_chosen_cublas(const std::string& chosen, const LoaderPaths& paths, Report& report) {
    const std::string subject = "SGEMM_SHIM_CUBLAS names " + shortened(chosen);
    // As dlopen() has it: a name without a slash is searched for.
    const bool is_name = chosen.find('/') == std::string::npos;
    const std::string path = is_name ? find_by_name(chosen, paths).path : chosen;
    if (path.empty()) {
        report.problem(
            subject +
            ", which is not on the loader's path: it is found only where the program has loaded it "
            "already; give its path");
        return;
    }
    const FileBytes file(path);
    if (!file.is_open())
        report.problem(subject + ", which cannot be read; unset it");
    else if (!is_cublas(file.bytes()))
        report.problem(
            subject +
            ", which is no cuBLAS library for this processor: another one is searched for; unset it");
    else
        report.good(subject + (is_name ? " (" + path + ")" : "") + ": used for every program");
}

/// Every copy on the loader's way, in its order.
void examine_cublas(const LoaderPaths& paths, Report& report) {
    report.heading("cuBLAS, for programs that do not bring their own (conda and pip packages do)");
    if (const char* chosen = std::getenv("SGEMM_SHIM_CUBLAS"); chosen != nullptr && *chosen != '\0')
        examine_chosen_cublas(chosen, paths, report);
    std::set<std::string> reported;
    bool first = true;
    for (const char* name : cublas_sonames) {
        const Dependency found = find_by_name(name, paths);
        if (found.path.empty()) continue;
        reported.insert(found.path);
        report.good(found.path + " (by " + found.found_by + ")" +
                    (first ? ": used unless the program asks for another" : ""));
        first = false;
    }
    for (const auto& [name, path] : paths.cache) {
        const bool is_cublas = is_file_name_of_cublas(name.c_str()) && reported.insert(path).second;
        if (is_cublas) report.note(path + " (hidden by a copy that is found earlier)");
    }
    if (first)
        report.note(
            "none on the loader's path; a program that is linked to cuBLAS without an RPATH will not start: "
            "add its directory to LD_LIBRARY_PATH");
}

}  // namespace

bool examine(const std::string& program) {
    Report report;
    const LoaderPaths paths = read_loader_paths();
    examine_library(report);
    examine_environment(report);
    examine_gpu(report);
    examine_cublas(paths, report);
    if (!program.empty()) examine_program(program, paths, report);
    return !report.has_problem();
}

}  // namespace sgemm_shim::launcher
