// Streams, events, captures and graphs.
#include <algorithm>

#include "call.hpp"

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    MAKE_CALL(return software_gpu::create_stream(*stream, cudaStreamDefault));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    MAKE_CALL(return software_gpu::create_stream(*stream, flags));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    MAKE_CALL(return software_gpu::create_stream(*stream, flags));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    MAKE_CALL(return software_gpu::destroy_stream(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    MAKE_CALL(return software_gpu::synchronize(stream));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    MAKE_CALL(return software_gpu::id_of(stream, *id));
}

/// Whoever asks wants the work done.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    MAKE_CALL(return software_gpu::synchronize(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    MAKE_CALL(return software_gpu::wait_for(stream, event));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
    MAKE_CALL(return software_gpu::enqueue(stream, cudaGraphNodeTypeHost,
                                           [function, argument] { function(argument); }));
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    MAKE_CALL(return software_gpu::create_event(*event));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    MAKE_CALL(return software_gpu::create_event(*event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    MAKE_CALL(return software_gpu::destroy_event(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    MAKE_CALL(return software_gpu::record(event, stream));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    MAKE_CALL(return software_gpu::synchronize(event));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    MAKE_CALL(return software_gpu::synchronize(event));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    MAKE_CALL(return software_gpu::elapsed(*milliseconds, from, to));
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    MAKE_CALL(return software_gpu::begin_capture(stream, mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    MAKE_CALL(return software_gpu::end_capture(stream, *graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    MAKE_CALL(return software_gpu::capture_status(stream, *status));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    MAKE_CALL(software_gpu::exchange_capture_mode(*mode); return cudaSuccess);
}

/// Nodes are the addresses of their types.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    return stand_in_runtime::make_call(__func__, [&] {
        const std::vector<cudaGraphNodeType>* types = software_gpu::nodes_of(graph);
        if (types == nullptr) return cudaErrorInvalidValue;
        *count = nodes != nullptr ? std::min(*count, types->size()) : types->size();
        for (std::size_t i = 0; nodes != nullptr && i < *count; ++i)
            nodes[i] = reinterpret_cast<cudaGraphNode_t>(const_cast<cudaGraphNodeType*>(&(*types)[i]));
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    MAKE_CALL(*type = *reinterpret_cast<const cudaGraphNodeType*>(node); return cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    MAKE_CALL(return software_gpu::destroy_graph(graph));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    MAKE_CALL(return software_gpu::instantiate(*executable, graph));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    MAKE_CALL(return software_gpu::destroy_executable(executable));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    MAKE_CALL(return software_gpu::launch(executable, stream));
}

}  // extern "C"
