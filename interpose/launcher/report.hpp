// The doctor's lines: one finding each, with a mark that a person and grep can read.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "text_buffer.hpp"

namespace sgemm_shim::launcher {

/// Without control characters, which a terminal would obey: parts of a message come from files and variables.
inline std::string printable(std::string text) {
    std::ranges::replace_if(text, TextBuffer::is_control, '?');
    return text;
}

/// Not at any length.
inline std::string shortened(const std::string& text) {
    return text.size() <= TextBuffer::foreign_limit ? text
                                                    : text.substr(0, TextBuffer::foreign_limit) + "...";
}

class Report {
  public:
    void heading(const std::string& text) { std::printf("%s\n", printable(text).c_str()); }
    void good(const std::string& text) { line("ok", text); }
    void note(const std::string& text) { line("note", text); }
    /// Something that keeps calls from being served; says what to do about it.
    void problem(const std::string& text) {
        line("FAIL", text);
        has_problem_ = true;
    }

    bool has_problem() const { return has_problem_; }

  private:
    static void line(const char* mark, const std::string& text) {
        std::printf("  %-4s  %s\n", mark, printable(text).c_str());
    }

    bool has_problem_ = false;
};

}  // namespace sgemm_shim::launcher
