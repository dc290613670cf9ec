// What the GPU test programs share: CUDA calls that throw, memory and streams that free themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sgemm_shim::testing {

inline void check_cuda(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

inline const char* reason_without_gpu() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? nullptr : "no CUDA device";
}

template <class Element>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        check_cuda(cudaMalloc(reinterpret_cast<void**>(&data_), (count > 0 ? count : 1) * sizeof(Element)),
                   "cudaMalloc");
        fill_with_nan();
    }
    explicit DeviceArray(const std::vector<Element>& values) : DeviceArray(values.size()) { upload(values); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    Element* data() const { return data_; }
    std::size_t size() const { return count_; }

    void fill_with_nan() {
        check_cuda(cudaMemset(data_, 0xff, count_ * sizeof(Element)), "cudaMemset");
        finish();
    }
    void upload(std::span<const Element> values, std::size_t first = 0) {
        check_cuda(cudaMemcpy(data_ + first, values.data(), values.size_bytes(), cudaMemcpyHostToDevice),
                   "upload");
        finish();
    }
    void download(std::span<Element> values, std::size_t first = 0) const {
        check_cuda(cudaMemcpy(values.data(), data_ + first, values.size_bytes(), cudaMemcpyDeviceToHost),
                   "download");
    }
    std::vector<Element> download() const {
        std::vector<Element> values(count_);
        download(values);
        return values;
    }

  private:
    /// Copies and fills may return early, and the tests' streams do not wait for the legacy stream.
    static void finish() { check_cuda(cudaStreamSynchronize(cudaStreamLegacy), "a copy"); }

    Element* data_ = nullptr;
    std::size_t count_ = 0;
};

class Stream {
  public:
    Stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    operator cudaStream_t() const { return stream_; }
    void synchronize() const { check_cuda(cudaStreamSynchronize(stream_), "the stream"); }

  private:
    cudaStream_t stream_ = nullptr;
};

class Event {
  public:
    Event() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate"); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    operator cudaEvent_t() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

/// A captured graph, ready to be replayed.
class Graph {
  public:
    /// Captures what `enqueue()` puts on the stream.
    template <class Enqueue>
    Graph(cudaStream_t stream, Enqueue enqueue, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
        check_cuda(cudaStreamBeginCapture(stream, mode), "begin of capture");
        enqueue();
        check_cuda(cudaStreamEndCapture(stream, &graph_), "end of capture");
        check_cuda(cudaGraphInstantiate(&executable_, graph_, 0), "cudaGraphInstantiate");
    }
    ~Graph() {
        cudaGraphExecDestroy(executable_);
        cudaGraphDestroy(graph_);
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    /// Does not wait.
    void launch(cudaStream_t stream) const {
        check_cuda(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
    }
    void replay(cudaStream_t stream) const {
        launch(stream);
        check_cuda(cudaStreamSynchronize(stream), "replay");
    }

    std::vector<cudaGraphNodeType> node_types() const {
        std::size_t count = 0;
        check_cuda(cudaGraphGetNodes(graph_, nullptr, &count), "cudaGraphGetNodes");
        std::vector<cudaGraphNode_t> nodes(count);
        check_cuda(cudaGraphGetNodes(graph_, nodes.data(), &count), "cudaGraphGetNodes");
        std::vector<cudaGraphNodeType> types(count);
        for (std::size_t i = 0; i < count; ++i)
            check_cuda(cudaGraphNodeGetType(nodes[i], &types[i]), "cudaGraphNodeGetType");
        return types;
    }

  private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

}  // namespace sgemm_shim::testing
