// Streams, events and captures inside the device; all of it under the device's lock.
#pragma once

#include <deque>
#include <thread>
#include <vector>

#include "state.hpp"

namespace software_gpu {

struct Node {
    cudaGraphNodeType type;
    std::function<void()> work;
};

/// What a stream is being captured into. Streams that join by events share it.
struct Capture {
    cudaStreamCaptureMode mode;
    std::thread::id thread;
    const Stream* origin = nullptr;
    int device = 0;         ///< of the origin
    bool blocking = false;  ///< whether the legacy stream would have to wait for it
    bool invalidated = false;
    std::vector<Node> nodes;
};

/// Work in the order in which it was enqueued. Every piece has a number, the same counter for all streams, so
/// that "what came before" has a meaning between them.
class Stream {
  public:
    Stream(bool blocking, int device) : blocking_(blocking), device_(device), id_(++last_id) {}

    bool blocking() const { return blocking_; }
    int device() const { return device_; }
    /// Never that of another stream.
    unsigned long long id() const { return id_; }
    const std::shared_ptr<Capture>& capture() const { return capture_; }
    void set_capture(std::shared_ptr<Capture> capture) { capture_ = std::move(capture); }

    void push(std::function<void()> work);
    /// Runs what is numbered `last` or lower, and before each piece whatever it has to wait for.
    void run_until(std::uint64_t last);

  private:
    struct Piece {
        std::uint64_t number;
        std::function<void()> work;
    };
    std::deque<Piece> pieces_;
    bool blocking_;
    int device_;
    static inline unsigned long long last_id = 0;
    unsigned long long id_;
    std::shared_ptr<Capture> capture_;
};

/// The number of the latest piece of work.
std::uint64_t latest_work();

/// The stream of a handle, or NULL: the current device's legacy one, the calling thread's on it, or one that
/// was created on any device.
std::shared_ptr<Stream> find_stream(cudaStream_t stream);

bool is_legacy(const Stream& stream);

/// The capture that keeps the stream from being used, as one that is invalid does, and for the legacy stream
/// any of a stream that would wait for it; NULL: none.
std::shared_ptr<Capture> capture_in_the_way(const Stream& stream);
/// Whether the stream can be used now; if not, the capture is lost.
cudaError_t check_capture(const Stream& stream);

/// As the public enqueue(), with the lock held.
cudaError_t enqueue_locked(Stream& stream, cudaGraphNodeType type, std::function<void()> work);

/// The captures that go on at the moment.
std::vector<std::weak_ptr<Capture>>& captures();
/// Lets every stream that takes part in it go.
void end_capture_everywhere(const std::shared_ptr<Capture>& capture);
/// Those that were captured on the device.
void forget_graphs(int device);

}  // namespace software_gpu
