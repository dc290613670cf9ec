// The part of the software GPU that a driver would be: devices with their contexts, memory, streams and
// graphs, shared by every copy of the stand-in CUDA runtime in a process. Work waits in its stream until
// somebody needs it: code that reads too early, or a host variable too late, is found out.
//
// Any thread may call. Everything answers as the function of the CUDA runtime that it serves.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "machine/launch.hpp"

namespace software_gpu {

// ---- devices and contexts ---------------------------------------------------------------------------------

/// SOFTWARE_GPU_DEVICES; 1 if it is not set.
int device_count();
/// The calling thread's.
int current_device();
cudaError_t set_device(int device);

/// Each device has one fewer than the one before, so that figures of another device show.
int multiprocessors(int device);
/// Blocks of the largest cluster that can run, SOFTWARE_GPU_LARGEST_CLUSTER. In a green context, or a
/// partition of MPS, it can be less than what the device's attributes and the functions' allow.
unsigned largest_cluster();

/// What every call of the runtime begins with that needs a context: makes the device's current in the calling
/// thread. An error in a child of fork(), as with CUDA, and for good after a kernel that failed.
cudaError_t enter();

/// The name of the calling thread's context, never used again after a reset; 0: none is current.
unsigned long long current_context();

/// cudaDeviceReset(): a new context of the device, without memory, streams, loaded kernels and their limits.
cudaError_t reset();

// ---- memory -----------------------------------------------------------------------------------------------

enum class MemoryKind { device, pinned, managed };

cudaError_t allocate(void** address, std::size_t bytes, MemoryKind kind);
/// Waits for all work first.
cudaError_t release(void* address);
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t copy_later(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream);
cudaError_t fill_later(void* to, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t attributes_of(cudaPointerAttributes& attributes, const void* address);
cudaError_t memory_left(std::size_t& free, std::size_t& total);

// ---- streams ----------------------------------------------------------------------------------------------

cudaError_t create_stream(cudaStream_t& stream, unsigned flags);
cudaError_t destroy_stream(cudaStream_t stream);
cudaError_t id_of(cudaStream_t stream, unsigned long long& id);
cudaError_t check_stream(cudaStream_t stream);
/// Puts work on a stream, or into the graph that it is being captured for. Kernels go to streams of the
/// current device alone.
cudaError_t enqueue(cudaStream_t stream, cudaGraphNodeType type, std::function<void()> work);
/// A launch is judged at once, and runs later; a kernel that does wrong says so on stderr.
cudaError_t launch(const sgemm_shim::simt::LaunchRequest& request);
/// Into the context, unless it is there: a capture can forbid that.
cudaError_t load(const void* kernel);
cudaError_t allow_shared_memory(const void* kernel, std::size_t bytes);
cudaError_t allow_large_clusters(const void* kernel);
/// What allow_shared_memory() has allowed.
cudaError_t shared_memory_of(const void* kernel, std::size_t& bytes);
cudaError_t synchronize(cudaStream_t stream);
cudaError_t synchronize_device();
/// An error if a capture forbids the calling thread what could wait or load.
cudaError_t check_unsafe_call();

cudaError_t create_event(cudaEvent_t& event);
cudaError_t destroy_event(cudaEvent_t event);
cudaError_t record(cudaEvent_t event, cudaStream_t stream);
cudaError_t wait_for(cudaStream_t stream, cudaEvent_t event);
cudaError_t synchronize(cudaEvent_t event);
cudaError_t elapsed(float& milliseconds, cudaEvent_t from, cudaEvent_t to);

// ---- graphs -----------------------------------------------------------------------------------------------

cudaError_t begin_capture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t end_capture(cudaStream_t stream, cudaGraph_t& graph);
cudaError_t capture_status(cudaStream_t stream, cudaStreamCaptureStatus& status);
void exchange_capture_mode(cudaStreamCaptureMode& mode);
/// NULL if there is no such graph.
const std::vector<cudaGraphNodeType>* nodes_of(cudaGraph_t graph);
cudaError_t destroy_graph(cudaGraph_t graph);
cudaError_t instantiate(cudaGraphExec_t& executable, cudaGraph_t graph);
cudaError_t destroy_executable(cudaGraphExec_t executable);
cudaError_t launch(cudaGraphExec_t executable, cudaStream_t stream);

// ---- faults on purpose ------------------------------------------------------------------------------------

/// From now on, call number `call` (1: the next) of the runtime in the file whose name begins so
/// ("libsgemm_shim") answers `status` instead of being made. Call 0 switches it off.
void inject_fault(const char* file, unsigned call, cudaError_t status);
/// The function that was made to fail; NULL: none so far.
const char* fault_injected();
/// For the runtime in a file: what the call is to answer, or cudaSuccess.
cudaError_t fault_for(const char* file, const char* function);

}  // namespace software_gpu
