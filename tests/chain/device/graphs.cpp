#include "streams.hpp"

namespace software_gpu {
namespace {

struct CapturedGraph {
    explicit CapturedGraph(int its_device) : device(its_device) {}

    int device;
    std::vector<Node> nodes;
    std::vector<cudaGraphNodeType> types;
};

struct ExecutableGraph {
    int device;
    std::shared_ptr<std::vector<Node>> nodes;  ///< shared with launches that wait in their stream
};

struct Graphs {
    std::map<cudaGraph_t, std::unique_ptr<CapturedGraph>> captured;
    std::map<cudaGraphExec_t, ExecutableGraph> executable;
};

Graphs& graphs() {
    static Graphs* const all = new Graphs;
    return *all;
}

}  // namespace

void forget_graphs(int device) {
    std::erase_if(graphs().captured, [=](const auto& entry) { return entry.second->device == device; });
    std::erase_if(graphs().executable, [=](const auto& entry) { return entry.second.device == device; });
}

cudaError_t begin_capture(cudaStream_t handle, cudaStreamCaptureMode mode) {
    return in_context([&] {
        const std::shared_ptr<Stream> stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (is_legacy(*stream)) return cudaErrorStreamCaptureUnsupported;
        if (stream->capture() != nullptr) return cudaErrorIllegalState;
        auto capture = std::make_shared<Capture>();
        capture->mode = mode;
        capture->thread = std::this_thread::get_id();
        capture->origin = stream.get();
        capture->device = stream->device();
        capture->blocking = stream->blocking();
        stream->set_capture(capture);
        captures().push_back(capture);
        return cudaSuccess;
    });
}

cudaError_t end_capture(cudaStream_t handle, cudaGraph_t& graph) {
    return in_context([&] {
        graph = nullptr;
        const std::shared_ptr<Stream> stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        const std::shared_ptr<Capture> capture = stream->capture();
        if (capture == nullptr) return cudaErrorIllegalState;
        if (capture->origin != stream.get()) return cudaErrorStreamCaptureUnmatched;
        if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
            return cudaErrorStreamCaptureWrongThread;
        end_capture_everywhere(capture);
        if (capture->invalidated) return cudaErrorStreamCaptureInvalidated;
        auto captured = std::make_unique<CapturedGraph>(capture->device);
        captured->nodes = std::move(capture->nodes);
        for (const Node& node : captured->nodes) captured->types.push_back(node.type);
        graph = reinterpret_cast<cudaGraph_t>(captured.get());
        graphs().captured.emplace(graph, std::move(captured));
        return cudaSuccess;
    });
}

cudaError_t capture_status(cudaStream_t handle, cudaStreamCaptureStatus& status) {
    return in_context([&] {
        status = cudaStreamCaptureStatusNone;
        const std::shared_ptr<Stream> stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (stream->capture() != nullptr) {
            status = stream->capture()->invalidated ? cudaStreamCaptureStatusInvalidated
                                                    : cudaStreamCaptureStatusActive;
            return cudaSuccess;
        }
        // Asking alone loses no capture.
        return capture_in_the_way(*stream) != nullptr ? cudaErrorStreamCaptureImplicit : cudaSuccess;
    });
}

const std::vector<cudaGraphNodeType>* nodes_of(cudaGraph_t graph) {
    const std::lock_guard lock(device_mutex());
    const auto found = graphs().captured.find(graph);
    return found != graphs().captured.end() ? &found->second->types : nullptr;
}

cudaError_t destroy_graph(cudaGraph_t graph) {
    return in_context(
        [&] { return graphs().captured.erase(graph) == 1 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t instantiate(cudaGraphExec_t& executable, cudaGraph_t graph) {
    return in_context([&] {
        const auto found = graphs().captured.find(graph);
        if (found == graphs().captured.end()) return cudaErrorInvalidValue;
        auto nodes = std::make_shared<std::vector<Node>>(found->second->nodes);
        executable = reinterpret_cast<cudaGraphExec_t>(nodes.get());
        graphs().executable.emplace(executable, ExecutableGraph{found->second->device, std::move(nodes)});
        return cudaSuccess;
    });
}

cudaError_t destroy_executable(cudaGraphExec_t executable) {
    return in_context(
        [&] { return graphs().executable.erase(executable) == 1 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t launch(cudaGraphExec_t executable, cudaStream_t handle) {
    return in_context([&] {
        const auto found = graphs().executable.find(executable);
        if (found == graphs().executable.end()) return cudaErrorInvalidValue;
        const std::shared_ptr<Stream> stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        return enqueue_locked(*stream, cudaGraphNodeTypeGraph, [nodes = found->second.nodes] {
            for (const Node& node : *nodes) node.work();
        });
    });
}

}  // namespace software_gpu
