// Where and how the numbers came about.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sgemm_bench {

/// Names and values, in the order in which they are written.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// Reads the GPU's clocks through NVML, which is looked up at run time; changes nothing. Where NVML is
/// missing, the clocks are 0 and the driver "unknown".
class GpuMonitor {
  public:
    /// Watches the CUDA device of this process.
    explicit GpuMonitor(int cuda_device);

    unsigned sm_clock_mhz() const { return clock(sm_clock_); }
    unsigned memory_clock_mhz() const { return clock(memory_clock_); }
    unsigned highest_sm_clock_mhz() const;
    std::string driver_version() const;

  private:
    static constexpr int sm_clock_ = 1;  // NVML_CLOCK_SM
    static constexpr int memory_clock_ = 2;

    unsigned clock(int kind) const;

    int (*clock_info_)(void*, int, unsigned*) = nullptr;
    int (*highest_clock_info_)(void*, int, unsigned*) = nullptr;
    int (*driver_version_)(char*, unsigned) = nullptr;
    void* device_ = nullptr;
};

/// The GPU before the run: its name, driver, CUDA, cuBLAS, clocks. `cublas_version` as cublasGetVersion has
/// it.
Provenance read_gpu_facts(int cuda_device, const GpuMonitor& monitor, int cublas_version);

/// The run itself: processor, date, commit, command line.
Provenance read_run_facts(const std::string& commit, std::span<char* const> arguments);

}  // namespace sgemm_bench
