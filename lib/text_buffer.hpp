// printf into a fixed buffer, cut at its end: the shared library allocates nothing and must not depend on the
// program's locale, so no streams and no floating-point conversions.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>

namespace sgemm_shim {

class TextBuffer {
  public:
    explicit TextBuffer(std::span<char> storage) : storage_(storage) {
        if (!storage.empty()) storage.front() = '\0';
    }

    [[gnu::format(printf, 2, 3)]] void append(const char* format, ...) {
        if (length_ + 1 >= storage_.size()) return;
        va_list arguments;
        va_start(arguments, format);
        const int wanted =
            std::vsnprintf(storage_.data() + length_, storage_.size() - length_, format, arguments);
        va_end(arguments);
        if (wanted < 0) return;
        const std::size_t room = storage_.size() - length_ - 1;
        length_ += static_cast<std::size_t>(wanted) < room ? static_cast<std::size_t>(wanted) : room;
    }

    /// Text that somebody else wrote, for a message: without control characters, which a terminal would obey,
    /// and cut where it is longer than a line bears.
    void append_foreign(std::string_view text) {
        for (const char c : text.substr(0, foreign_limit)) append("%c", is_control(c) ? '?' : c);
        if (text.size() > foreign_limit) append("...");
    }

    static constexpr std::size_t foreign_limit = 300;

    static bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

    const char* data() const { return storage_.data(); }
    std::size_t length() const { return length_; }

  private:
    std::span<char> storage_;
    std::size_t length_ = 0;
};

}  // namespace sgemm_shim
