#include "streams.hpp"

#include <chrono>
#include <utility>

namespace software_gpu {
namespace {

using Clock = std::chrono::steady_clock;

struct Event {
    explicit Event(int its_device) : device(its_device) {}

    int device;
    // Of the latest record:
    std::shared_ptr<Stream> stream;
    std::uint64_t number = 0;
    std::shared_ptr<Capture> capture;
    std::shared_ptr<Clock::time_point> time;
};

/// Those of a device that nobody creates.
struct DefaultStreams {
    std::shared_ptr<Stream> legacy;
    std::map<std::thread::id, std::shared_ptr<Stream>> of_thread;

    explicit DefaultStreams(int device) : legacy(std::make_shared<Stream>(true, device)) {}
};

struct Streams {
    std::uint64_t counter = 0;
    std::vector<DefaultStreams> defaults;  ///< by device
    std::map<cudaStream_t, std::shared_ptr<Stream>> created;
    std::map<cudaEvent_t, std::unique_ptr<Event>> events;
    std::vector<std::weak_ptr<Capture>> captures;

    Streams() {
        for (int device = 0; device < device_count(); ++device) defaults.emplace_back(device);
    }
};

Streams& streams() {
    static Streams* const all = new Streams;
    return *all;
}

DefaultStreams& defaults_of(int device) {
    return streams().defaults[static_cast<std::size_t>(device)];
}

template <class Visit>
void for_each_stream(int device, Visit visit) {
    visit(*defaults_of(device).legacy);
    for (const auto& [thread, stream] : defaults_of(device).of_thread) visit(*stream);
    for (const auto& [handle, stream] : streams().created) {
        if (stream->device() == device) visit(*stream);
    }
}

thread_local cudaStreamCaptureMode capture_mode_of_thread = cudaStreamCaptureModeGlobal;

/// A call that could wait for everything must not be made during a capture, unless its thread said so.
bool is_forbidden_by(const Capture& capture) {
    if (capture_mode_of_thread == cudaStreamCaptureModeRelaxed) return false;
    if (capture.mode == cudaStreamCaptureModeRelaxed) return false;
    const bool own = capture.thread == std::this_thread::get_id();
    return own || (capture.mode == cudaStreamCaptureModeGlobal &&
                   capture_mode_of_thread == cudaStreamCaptureModeGlobal);
}

Event* find_event(cudaEvent_t event) {
    const auto found = streams().events.find(event);
    return found != streams().events.end() ? found->second.get() : nullptr;
}

cudaError_t refuse_in_capture(Capture& capture) {
    capture.invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
}

}  // namespace

bool is_legacy(const Stream& stream) {
    return &stream == defaults_of(stream.device()).legacy.get();
}

std::uint64_t latest_work() {
    return streams().counter;
}

std::vector<std::weak_ptr<Capture>>& captures() {
    return streams().captures;
}

void Stream::push(std::function<void()> work) {
    pieces_.push_back({++streams().counter, std::move(work)});
}

void Stream::run_until(std::uint64_t last) {
    while (!pieces_.empty() && pieces_.front().number <= last) {
        // Taken out first: what it waits for may come back to this stream.
        const Piece piece = std::move(pieces_.front());
        pieces_.pop_front();
        if (is_legacy(*this)) {
            for_each_stream(device_, [&](Stream& other) {
                if (&other != this && other.blocking()) other.run_until(piece.number);
            });
        } else if (blocking()) {
            defaults_of(device_).legacy->run_until(piece.number);
        }
        piece.work();
    }
}

std::shared_ptr<Stream> find_stream(cudaStream_t stream) {
    const int device = current_device();
    if (stream == nullptr || stream == cudaStreamLegacy) return defaults_of(device).legacy;
    if (stream == cudaStreamPerThread) {
        std::shared_ptr<Stream>& own = defaults_of(device).of_thread[std::this_thread::get_id()];
        if (own == nullptr) own = std::make_shared<Stream>(true, device);
        return own;
    }
    const auto found = streams().created.find(stream);
    return found != streams().created.end() ? found->second : nullptr;
}

void run_everything(int device) {
    for_each_stream(device, [](Stream& stream) { stream.run_until(latest_work()); });
}

void forget_streams(int device) {
    run_everything(device);
    forget_graphs(device);
    defaults_of(device) = DefaultStreams(device);
    std::erase_if(streams().created, [=](const auto& entry) { return entry.second->device() == device; });
    std::erase_if(streams().events, [=](const auto& entry) { return entry.second->device == device; });
    std::erase_if(streams().captures, [=](const auto& weak) {
        const std::shared_ptr<Capture> capture = weak.lock();
        return capture == nullptr || capture->device == device;
    });
}

std::shared_ptr<Capture> capture_in_the_way(const Stream& stream) {
    if (stream.capture() != nullptr) return stream.capture()->invalidated ? stream.capture() : nullptr;
    if (!is_legacy(stream)) return nullptr;
    for (const auto& weak : captures()) {
        const std::shared_ptr<Capture> capture = weak.lock();
        if (capture != nullptr && capture->blocking && capture->device == stream.device()) return capture;
    }
    return nullptr;
}

cudaError_t check_capture(const Stream& stream) {
    const std::shared_ptr<Capture> capture = capture_in_the_way(stream);
    if (capture == nullptr) return cudaSuccess;
    if (capture == stream.capture()) return cudaErrorStreamCaptureInvalidated;
    capture->invalidated = true;
    return cudaErrorStreamCaptureImplicit;
}

void end_capture_everywhere(const std::shared_ptr<Capture>& capture) {
    for (int device = 0; device < device_count(); ++device) {
        for_each_stream(device, [&](Stream& stream) {
            if (stream.capture() == capture) stream.set_capture(nullptr);
        });
    }
    std::erase_if(captures(), [&](const auto& weak) { return weak.lock() == capture; });
}

cudaError_t check_unsafe_call() {
    const std::lock_guard lock(device_mutex());
    for (const auto& weak : captures()) {
        const std::shared_ptr<Capture> capture = weak.lock();
        if (capture != nullptr && is_forbidden_by(*capture)) return refuse_in_capture(*capture);
    }
    return cudaSuccess;
}

void exchange_capture_mode(cudaStreamCaptureMode& mode) {
    std::swap(mode, capture_mode_of_thread);
}

cudaError_t create_stream(cudaStream_t& stream, unsigned flags) {
    if ((flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) return cudaErrorInvalidValue;
    return in_context([&] {
        auto created = std::make_shared<Stream>(flags == cudaStreamDefault, current_device());
        stream = reinterpret_cast<cudaStream_t>(created.get());
        streams().created.emplace(stream, std::move(created));
        return cudaSuccess;
    });
}

cudaError_t destroy_stream(cudaStream_t stream) {
    return in_context([&] {
        const auto found = streams().created.find(stream);
        if (found == streams().created.end()) return cudaErrorInvalidResourceHandle;
        const int device = found->second->device();
        found->second->run_until(latest_work());
        streams().created.erase(found);
        return context(device).failure;
    });
}

cudaError_t id_of(cudaStream_t stream, unsigned long long& id) {
    return in_context([&] {
        const std::shared_ptr<Stream> found = find_stream(stream);
        if (found == nullptr) return cudaErrorInvalidResourceHandle;
        id = found->id();
        return cudaSuccess;
    });
}

cudaError_t check_stream(cudaStream_t stream) {
    return in_context(
        [&] { return find_stream(stream) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t enqueue_locked(Stream& stream, cudaGraphNodeType type, std::function<void()> work) {
    if (const cudaError_t status = check_capture(stream); status != cudaSuccess) return status;
    if (stream.capture() != nullptr)
        stream.capture()->nodes.push_back({type, std::move(work)});
    else
        stream.push(std::move(work));
    return cudaSuccess;
}

cudaError_t enqueue(cudaStream_t handle, cudaGraphNodeType type, std::function<void()> work) {
    return in_context([&] {
        const std::shared_ptr<Stream> stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        // Copies may go to a stream of another device.
        if (type == cudaGraphNodeTypeKernel && stream->device() != current_device())
            return cudaErrorInvalidResourceHandle;
        return enqueue_locked(*stream, type, std::move(work));
    });
}

cudaError_t synchronize(cudaStream_t handle) {
    return in_context([&] {
        const std::shared_ptr<Stream> stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (const cudaError_t status = check_capture(*stream); status != cudaSuccess) return status;
        if (stream->capture() != nullptr) return refuse_in_capture(*stream->capture());
        stream->run_until(latest_work());
        // Also work of the streams that the legacy one waits for, even if it has none of its own.
        if (is_legacy(*stream)) {
            for_each_stream(stream->device(), [](Stream& other) {
                if (other.blocking()) other.run_until(latest_work());
            });
        }
        return context(stream->device()).failure;
    });
}

cudaError_t synchronize_device() {
    if (const cudaError_t status = check_unsafe_call(); status != cudaSuccess) return status;
    return in_context([] {
        run_everything(current_device());
        return context().failure;
    });
}

cudaError_t create_event(cudaEvent_t& event) {
    return in_context([&] {
        auto created = std::make_unique<Event>(current_device());
        event = reinterpret_cast<cudaEvent_t>(created.get());
        streams().events.emplace(event, std::move(created));
        return cudaSuccess;
    });
}

cudaError_t destroy_event(cudaEvent_t event) {
    return in_context(
        [&] { return streams().events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t record(cudaEvent_t handle, cudaStream_t stream_handle) {
    return in_context([&] {
        Event* event = find_event(handle);
        const std::shared_ptr<Stream> stream = find_stream(stream_handle);
        if (event == nullptr || stream == nullptr || event->device != stream->device())
            return cudaErrorInvalidResourceHandle;
        if (const cudaError_t status = check_capture(*stream); status != cudaSuccess) return status;
        event->capture = stream->capture();
        if (event->capture != nullptr) return cudaSuccess;  // an edge of the graph, no work
        event->stream = stream;
        event->time = std::make_shared<Clock::time_point>();
        stream->push([time = event->time] { *time = Clock::now(); });
        event->number = latest_work();
        return cudaSuccess;
    });
}

cudaError_t wait_for(cudaStream_t stream_handle, cudaEvent_t handle) {
    return in_context([&] {
        const Event* event = find_event(handle);
        const std::shared_ptr<Stream> stream = find_stream(stream_handle);
        if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (event->capture != nullptr) {
            // The stream joins the capture. Nodes are kept in the order of capture, which respects every
            // edge.
            if (stream->capture() != nullptr && stream->capture() != event->capture)
                return cudaErrorStreamCaptureMerge;
            stream->set_capture(event->capture);
            return cudaSuccess;
        }
        if (stream->capture() != nullptr) return cudaErrorStreamCaptureIsolation;
        if (event->stream == nullptr) return cudaSuccess;  // never recorded
        stream->push([other = event->stream, number = event->number] { other->run_until(number); });
        return cudaSuccess;
    });
}

cudaError_t synchronize(cudaEvent_t handle) {
    return in_context([&] {
        const Event* event = find_event(handle);
        if (event == nullptr) return cudaErrorInvalidResourceHandle;
        if (event->capture != nullptr) return refuse_in_capture(*event->capture);
        if (event->stream != nullptr) event->stream->run_until(event->number);
        return context(event->device).failure;
    });
}

cudaError_t elapsed(float& milliseconds, cudaEvent_t from, cudaEvent_t to) {
    return in_context([&] {
        const Event* first = find_event(from);
        const Event* last = find_event(to);
        if (first == nullptr || last == nullptr || first->device != last->device || first->time == nullptr ||
            last->time == nullptr)
            return cudaErrorInvalidResourceHandle;
        for (const Event* event : {first, last}) {
            if (*event->time == Clock::time_point{}) return cudaErrorNotReady;
        }
        milliseconds = std::chrono::duration<float, std::milli>(*last->time - *first->time).count();
        return cudaSuccess;
    });
}

}  // namespace software_gpu
