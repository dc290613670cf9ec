// Small text work for the command line and the result files. Everything that cannot be parsed throws
// InputError with a message that names the text.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sgemm_bench {

/// Something the user typed, or a line of a file the user named, is wrong.
class InputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

inline std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (const char character : text) {
        if (character == separator)
            parts.emplace_back();
        else
            parts.back() += character;
    }
    return parts;
}

/// The whole text as a finite number from `least` to `most`; what is meant, for the message, is `what`.
template <class Number>
Number parse_number(std::string_view text, Number least, std::string_view what,
                    Number most = std::numeric_limits<Number>::max()) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most)
        return value;
    std::string message = std::string(what) + ": '" + std::string(text) + "' is not a number of at least " +
                          std::to_string(least);
    if (most < std::numeric_limits<Number>::max()) message += " and at most " + std::to_string(most);
    throw InputError(message);
}

/// As few digits as read back to the same number.
template <class Number>
std::string shortest_text(Number value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

[[gnu::format(printf, 1, 2)]] inline std::string format(const char* pattern, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

/// Six digits; empty for what is no number.
inline std::string number(double value) {
    return std::isfinite(value) ? format("%.6g", value) : "";
}

/// One line of comma-separated values; fields may stand in double quotes, with "" for a quote.
inline std::vector<std::string> csv_fields(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char character = line[i];
        if (quoted && character == '"' && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (character == '"')
            quoted = !quoted;
        else if (character == ',' && !quoted)
            fields.emplace_back();
        else if (character != '\r')
            fields.back() += character;
    }
    if (quoted) throw InputError("quote without an end: " + std::string(line));
    return fields;
}

inline std::string csv_quote(std::string_view text) {
    if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char character : text) {
        if (character == '"') quoted += '"';
        quoted += character;
    }
    return quoted + '"';
}

inline std::string json_quote(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string quoted = "\"";
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (code < 0x20) {
            quoted += "\\u00";
            quoted += digits[code / 16];
            quoted += digits[code % 16];
            continue;
        }
        if (character == '"' || character == '\\') quoted += '\\';
        quoted += character;
    }
    return quoted + '"';
}

}  // namespace sgemm_bench
