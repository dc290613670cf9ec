#include "device.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>

#include <array>
#include <atomic>

#include "stream_workspaces.hpp"

namespace sgemm_shim {
namespace {

/// A name of a context that is never used again, unlike its address.
using ContextId = unsigned long long;

/// Driver functions, found through the runtime so that nothing links to libcuda.
struct Driver {
    CUresult (*get_context)(CUcontext*) = nullptr;
    CUresult (*get_context_id)(CUcontext, ContextId*) = nullptr;
    CUresult (*get_context_device)(CUdevice*) = nullptr;
    bool usable = false;
};

template <class Function>
bool find_entry_point(const char* name, unsigned int cuda_version, Function& function) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion(name, &address, cuda_version, cudaEnableDefault, &found);
    if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) return false;
    function = reinterpret_cast<Function>(address);
    return true;
}

Driver find_driver() {
    // Within a major version the runtime works with every driver (minor version compatibility).
    constexpr int oldest_driver = CUDART_VERSION / 1000 * 1000;
    Driver driver;
    int version = 0;
    driver.usable = cudaDriverGetVersion(&version) == cudaSuccess && version >= oldest_driver &&
                    find_entry_point("cuCtxGetCurrent", 4000, driver.get_context) &&
                    find_entry_point("cuCtxGetId", 12000, driver.get_context_id) &&
                    find_entry_point("cuCtxGetDevice", 2000, driver.get_context_device);
    return driver;
}

pthread_once_t driver_once = PTHREAD_ONCE_INIT;
constinit Driver the_driver;

const Driver& driver() {
    pthread_once(&driver_once, [] { the_driver = find_driver(); });
    return the_driver;
}

/// Figures by context. Slots fill once and are never emptied, so readers need no lock; a process that makes
/// more contexts than there are slots has the calls of the later ones forwarded.
struct Slot {
    std::atomic<ContextId> context{0};  ///< 0: free. Set after the figures, with release order.
    DeviceFigures figures;
    StreamWorkspaces workspaces;
};
constinit std::array<Slot, 256> slots;
pthread_mutex_t slots_mutex = PTHREAD_MUTEX_INITIALIZER;

constexpr DeviceFigures unusable(ForwardReason obstacle) {
    DeviceFigures figures;
    figures.obstacle = obstacle;
    return figures;
}
constexpr DeviceFigures no_driver = unusable(ForwardReason::driver);
constexpr DeviceFigures no_context = unusable(ForwardReason::context);
constexpr DeviceFigures in_capture = unusable(ForwardReason::capture);

Slot* find_slot(ContextId context) {
    if (context == 0) return nullptr;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        Slot& slot = slots[(context + i) % slots.size()];
        const ContextId found = slot.context.load(std::memory_order_acquire);
        if (found == context) return &slot;
        if (found == 0) return nullptr;
    }
    return nullptr;
}

enum class Loading : std::uint8_t {
    ready,       ///< every function has machine code of this GPU's own major version, and is loaded
    impossible,  ///< there is no such machine code
    not_now,     ///< it may go better at another time
};

Loading load(const KernelImplementation& kernel, const DeviceFigures& device) {
    if (device.compute_capability() < kernel.least_compute_capability) return Loading::impossible;
    for (const void* function : kernel.functions) {
        // Another library's constructor can run before those of this one, which fill in the functions.
        if (function == nullptr) return Loading::not_now;
        cudaFuncAttributes attributes{};
        const cudaError_t status = cudaFuncGetAttributes(&attributes, function);
        if (status == cudaErrorMemoryAllocation) return Loading::not_now;
        if (status != cudaSuccess || attributes.binaryVersion / 10 != device.compute_capability_major)
            return Loading::impossible;
    }
    if (kernel.prepare != nullptr && kernel.prepare() != cudaSuccess) return Loading::impossible;
    return Loading::ready;
}

/// False if they could not be had now; nothing is to be remembered then.
bool read_figures(DeviceFigures& figures) {
    figures = {};
    CUdevice device{};
    if (driver().get_context_device(&device) != CUDA_SUCCESS ||
        cudaDeviceGetAttribute(&figures.compute_capability_major, cudaDevAttrComputeCapabilityMajor,
                               device) != cudaSuccess ||
        cudaDeviceGetAttribute(&figures.compute_capability_minor, cudaDevAttrComputeCapabilityMinor,
                               device) != cudaSuccess ||
        cudaDeviceGetAttribute(&figures.multiprocessor_count, cudaDevAttrMultiProcessorCount, device) !=
            cudaSuccess) {
        return false;
    }
    int clock_khz = 0;
    int memory_clock_khz = 0;
    int bus_bits = 0;
    if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device) == cudaSuccess && clock_khz > 0)
        figures.clock_mhz = static_cast<float>(clock_khz) * 1e-3f;
    if (cudaDeviceGetAttribute(&memory_clock_khz, cudaDevAttrMemoryClockRate, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device) == cudaSuccess &&
        memory_clock_khz > 0 && bus_bits > 0)  // two transfers a clock
        figures.memory_gb_per_s =
            2e-6f * static_cast<float>(memory_clock_khz) * static_cast<float>(bus_bits) / 8;
    for (const Kernel& kernel : kernel_table()) {
        if (kernel.implementation == nullptr) continue;
        const Loading loading = load(*kernel.implementation, figures);
        if (loading == Loading::not_now) return false;
        if (loading == Loading::ready) figures.ready_kernels |= std::uint64_t{1} << kernel_index(kernel);
    }
    return true;
}

/// Loading inside a capture can invalidate it, and a captured launch must not use what later ones use, so ask
/// first. An error means that the legacy stream would join a capture.
bool is_capturing(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

/// Another thread's capture in global mode would be invalidated by the calls of a thread in the default mode.
class RelaxedCaptureMode {
  public:
    RelaxedCaptureMode() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~RelaxedCaptureMode() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    RelaxedCaptureMode(const RelaxedCaptureMode&) = delete;
    RelaxedCaptureMode& operator=(const RelaxedCaptureMode&) = delete;

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

const DeviceFigures& fill_slot(ContextId context) {
    pthread_mutex_lock(&slots_mutex);
    const Slot* filled = find_slot(context);
    for (std::size_t i = 0; filled == nullptr && i < slots.size(); ++i) {
        Slot& slot = slots[(context + i) % slots.size()];
        if (slot.context.load(std::memory_order_relaxed) != 0) continue;
        const RelaxedCaptureMode relaxed;
        if (!read_figures(slot.figures)) break;
        slot.context.store(context, std::memory_order_release);
        filled = &slot;
    }
    pthread_mutex_unlock(&slots_mutex);
    return filled != nullptr ? filled->figures : no_context;
}

/// A failed query must not show up in the error state of a program that shares this runtime.
class KeptErrorState {
  public:
    KeptErrorState() : earlier_(cudaPeekAtLastError()) {}
    ~KeptErrorState() {
        if (earlier_ == cudaSuccess) cudaGetLastError();
    }
    KeptErrorState(const KeptErrorState&) = delete;
    KeptErrorState& operator=(const KeptErrorState&) = delete;

  private:
    cudaError_t earlier_;
};

/// The current context's id, or 0.
ContextId current_context() {
    CUcontext context = nullptr;
    ContextId id = 0;
    if (driver().get_context(&context) != CUDA_SUCCESS || context == nullptr) return 0;
    return driver().get_context_id(context, &id) == CUDA_SUCCESS ? id : 0;
}

/// What is known of the current context, if anything.
Slot* current_slot() {
    return driver().usable ? find_slot(current_context()) : nullptr;
}

}  // namespace

const DeviceFigures& current_device_figures(cudaStream_t stream) {
    if (!driver().usable) return no_driver;
    const ContextId context = current_context();
    if (context == 0) return no_context;
    if (const Slot* slot = find_slot(context)) return slot->figures;

    const KeptErrorState kept;
    return is_capturing(stream) ? in_capture : fill_slot(context);
}

Workspace current_workspace(cudaStream_t stream, const Partition& partition) {
    if (!partition.shares_tiles && partition.meeting_parts == 0) return {};
    Slot* const slot = current_slot();
    if (slot == nullptr) return {};
    const KeptErrorState kept;
    return is_capturing(stream) ? Workspace{} : slot->workspaces.of(stream, partition);
}

void load_kernels_ahead() {
    current_device_figures(cudaStreamPerThread);
    Slot* const slot = current_slot();
    if (slot == nullptr) return;
    const KeptErrorState kept;
    pthread_mutex_lock(&slots_mutex);
    {
        const RelaxedCaptureMode relaxed;
        slot->workspaces.take(slot->figures);
    }
    pthread_mutex_unlock(&slots_mutex);
}

}  // namespace sgemm_shim
