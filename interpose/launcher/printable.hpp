// Parts of messages that come from command lines, variables and files.
#pragma once

#include <algorithm>
#include <string>

#include "text_buffer.hpp"

namespace sgemm_shim::launcher {

/// Without control characters: a message is one line, and a terminal would obey them.
inline std::string printable(std::string text) {
    std::ranges::replace_if(text, TextBuffer::is_control, '?');
    return text;
}

/// Not at any length.
inline std::string shortened(const std::string& text) {
    return text.size() <= TextBuffer::foreign_limit ? text
                                                    : text.substr(0, TextBuffer::foreign_limit) + "...";
}

}  // namespace sgemm_shim::launcher
