#include "machine/finding.hpp"

#include <sanitizer/common_interface_defs.h>

#include <array>
#include <cstring>

#include "machine/clock.hpp"

namespace sgemm_shim::simt {
namespace {

/// Of the instruction before a return address. Frames of inlined functions from the inside out, one a line:
/// "function file:line".
std::string symbolise(const void* code, const char* format, const char* separator) {
    std::array<char, 8192> text{};
    __sanitizer_symbolize_pc(const_cast<void*>(code), format, text.data(), text.size() - 1);
    std::string result;
    for (const char* frame = text.data(); *frame != '\0'; frame += std::strlen(frame) + 1) {
        if (!result.empty()) result += separator;
        result += frame;
    }
    return result;
}

std::string describe_place(const Event& event) {
    if (event.place.file != nullptr) {
        return std::string("in ") + event.place.function + " " + event.place.file + ":" +
               std::to_string(event.place.line);
    }
    return "in " + symbolise(event.code, "%f %S", "\n           in ");
}

std::string describe(const Event& event) {
    std::string text = event.action + " by ";
    if (event.thread >= first_agent)
        text += "the copy engine for mbarrier " + std::to_string(event.thread - first_agent);
    else
        text += "thread " + std::to_string(event.thread) + " of block " + std::to_string(event.block);
    if (event.place.file != nullptr || event.code != nullptr) text += "\n           " + describe_place(event);
    return text + "\n";
}

}  // namespace

std::string describe_launch(const LaunchRequest& request, std::uint64_t seed) {
    return "  kernel   " + symbolise(static_cast<const char*>(request.kernel) + 1, "%f", " ") +
           "\n  launch   " + std::to_string(request.grid) + " blocks of " + std::to_string(request.block) +
           " threads, SGEMM_SIMT_SEED=" + std::to_string(seed) + "\n";
}

std::string describe(const Finding& finding) {
    std::string text = "software GPU: " + finding.problem + "\n";
    if (!finding.object.empty()) text += "  where    " + finding.object + "\n";
    if (finding.event) text += "  what     " + describe(*finding.event);
    if (finding.earlier) text += "  earlier  " + describe(*finding.earlier);
    return text;
}

FindingList& FindingList::instance() {
    static FindingList* const list = new FindingList;
    return *list;
}

void FindingList::add(std::string text) {
    const std::lock_guard lock(mutex_);
    if (texts_.size() < limit)
        texts_.push_back(std::move(text));
    else
        ++dropped_;
}

std::string FindingList::take() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& text : texts_) all += text;
    if (dropped_ != 0) all += "and " + std::to_string(dropped_) + " more findings\n";
    texts_.clear();
    dropped_ = 0;
    return all;
}

}  // namespace sgemm_shim::simt
