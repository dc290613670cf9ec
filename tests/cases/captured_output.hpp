// What the process writes to standard output meanwhile, the libraries included.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace sgemm_shim::testing {

class CapturedOutput {
  public:
    CapturedOutput() : file_(std::tmpfile()), saved_(dup(STDOUT_FILENO)) {
        if (file_ == nullptr || saved_ < 0) throw std::runtime_error("cannot capture the output");
        std::fflush(stdout);
        dup2(fileno(file_), STDOUT_FILENO);
    }
    ~CapturedOutput() {
        if (saved_ >= 0) end();
        std::fclose(file_);
    }
    CapturedOutput(const CapturedOutput&) = delete;
    CapturedOutput& operator=(const CapturedOutput&) = delete;

    std::string end() {
        std::fflush(stdout);
        dup2(saved_, STDOUT_FILENO);
        close(saved_);
        saved_ = -1;
        std::rewind(file_);
        std::string text(4096, '\0');
        text.resize(std::fread(text.data(), 1, text.size(), file_));
        return text;
    }

  private:
    std::FILE* file_;
    int saved_;
};

}  // namespace sgemm_shim::testing
