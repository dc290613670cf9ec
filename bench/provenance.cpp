#include "provenance.hpp"

#include <dlfcn.h>

#include <ctime>
#include <fstream>

#include "bench_commit.hpp"
#include "cuda_resources.hpp"

namespace sgemm_bench {
namespace {

template <class Function>
bool find_symbol(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

/// 13010 or 130100: cuBLAS and CUDA count differently.
std::string version_text(int version, int major_unit, int minor_unit) {
    return std::to_string(version / major_unit) + "." + std::to_string(version % major_unit / minor_unit) +
           "." + std::to_string(version % minor_unit);
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// As Linux names it, or "unknown".
std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

}  // namespace

GpuMonitor::GpuMonitor(int cuda_device) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    int (*initialize)() = nullptr;
    int (*find_device)(const char*, void**) = nullptr;
    if (!find_symbol(library, "nvmlInit_v2", initialize) || initialize() != 0) return;
    find_symbol(library, "nvmlSystemGetDriverVersion", driver_version_);

    char bus_id[32] = "";
    check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, cuda_device), "cudaDeviceGetPCIBusId");
    if (!find_symbol(library, "nvmlDeviceGetHandleByPciBusId_v2", find_device) ||
        find_device(bus_id, &device_) != 0)
        return;
    find_symbol(library, "nvmlDeviceGetClockInfo", clock_info_);
    find_symbol(library, "nvmlDeviceGetMaxClockInfo", highest_clock_info_);
}

unsigned GpuMonitor::clock(int kind) const {
    unsigned mhz = 0;
    return clock_info_ != nullptr && clock_info_(device_, kind, &mhz) == 0 ? mhz : 0;
}

unsigned GpuMonitor::highest_sm_clock_mhz() const {
    unsigned mhz = 0;
    return highest_clock_info_ != nullptr && highest_clock_info_(device_, sm_clock_, &mhz) == 0 ? mhz : 0;
}

std::string GpuMonitor::driver_version() const {
    char text[96] = "";
    return driver_version_ != nullptr && driver_version_(text, sizeof text) == 0 ? text : "unknown";
}

Provenance read_gpu_facts(int cuda_device, const GpuMonitor& monitor, int cublas_version) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, cuda_device), "cudaGetDeviceProperties");
    int runtime = 0;
    int driver = 0;
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    return {
        {"gpu", properties.name},
        {"compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
        {"multiprocessors", std::to_string(properties.multiProcessorCount)},
        {"l2_bytes", std::to_string(properties.l2CacheSize)},
        {"driver", monitor.driver_version()},
        {"cuda_driver_api", version_text(driver, 1000, 10)},
        {"cuda_runtime", version_text(runtime, 1000, 10)},
        {"cublas", version_text(cublas_version, 10000, 100)},
        {"highest_sm_clock_mhz", std::to_string(monitor.highest_sm_clock_mhz())},
        {"sm_clock_before_mhz", std::to_string(monitor.sm_clock_mhz())},
        {"memory_clock_before_mhz", std::to_string(monitor.memory_clock_mhz())},
    };
}

Provenance read_run_facts(const std::string& commit, std::span<char* const> arguments) {
    std::string command;
    for (const char* argument : arguments) {
        if (!command.empty()) command += ' ';
        command += argument;
    }
    return {
        {"processor", processor_name()},
        {"date", utc_now()},
        {"commit", commit.empty() ? SGEMM_BENCH_COMMIT : commit},
        {"command", command},
    };
}

}  // namespace sgemm_bench
