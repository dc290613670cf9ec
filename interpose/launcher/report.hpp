// The doctor's lines: one finding each, with a mark that a person and grep can read.
#pragma once

#include <cstdio>
#include <string>

#include "printable.hpp"

namespace sgemm_shim::launcher {

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
