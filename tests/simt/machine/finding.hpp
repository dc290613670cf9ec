// What the software GPU found out about a kernel, and the text of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "machine/launch.hpp"

namespace sgemm_shim::simt {

/// Somebody did something somewhere in a kernel. The code address or the place, whichever is known.
struct Event {
    std::string action;  ///< "read 4 bytes"
    unsigned block = 0;
    unsigned thread = 0;
    const void* code = nullptr;
    CallPlace place{};
};

struct Finding {
    std::string problem;  ///< one line, the same for every finding of its kind
    std::string object;   ///< which memory or barrier
    std::optional<Event> event;
    std::optional<Event> earlier;  ///< the other side of a race
};

/// The kernel and launch that a finding belongs to.
std::string describe_launch(const LaunchRequest& request, std::uint64_t seed);

/// Several lines, ended by a newline. Symbolises: not on a small stack.
std::string describe(const Finding& finding);

/// Findings not fetched yet. Few are kept: the first one matters.
class FindingList {
  public:
    /// Made at the first use, never destroyed.
    static FindingList& instance();
    void add(std::string text);
    /// All of them as one text, empty if there are none; forgets them.
    std::string take();

  private:
    static constexpr std::size_t limit = 8;
    std::mutex mutex_;  ///< host code of several threads may come here
    std::vector<std::string> texts_;
    std::size_t dropped_ = 0;
};

}  // namespace sgemm_shim::simt
