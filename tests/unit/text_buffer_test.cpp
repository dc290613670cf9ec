#include "text_buffer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

using sgemm_shim::TextBuffer;

TEST_CASE("a text buffer appends and ends with a NUL") {
    std::array<char, 32> storage;
    storage.fill('#');
    TextBuffer text(storage);
    CHECK(std::string(text.data()).empty());
    text.append("%s %d", "number", 7);
    text.append(";");
    CHECK(std::string(text.data()) == "number 7;");
    CHECK(text.length() == 9);
}

TEST_CASE("what somebody else wrote is cut and cannot control a terminal") {
    std::array<char, 2 * TextBuffer::foreign_limit> storage;
    TextBuffer text(storage);
    using namespace std::string_view_literals;
    text.append_foreign("a\033[2J\n\r\tb\177\0c\xc3\xa4"sv);
    CHECK(std::string(text.data()) == "a?[2J???b??c\xc3\xa4");

    const std::string longest(TextBuffer::foreign_limit, 'x');
    TextBuffer whole(storage);
    whole.append_foreign(longest);
    CHECK(std::string(whole.data()) == longest);
    TextBuffer cut(storage);
    cut.append_foreign(longest + "y");
    CHECK(std::string(cut.data()) == longest + "...");
}

TEST_CASE("a text buffer is cut at its end, and writes not a byte more") {
    for (std::size_t size = 0; size <= 12; ++size) {
        CAPTURE(size);
        std::array<char, 16> storage;
        storage.fill('#');
        TextBuffer text({storage.data(), size});
        text.append("%s", "abcde");
        text.append("%s", "fghij");
        text.append("%s", "k");
        const std::string whole = "abcdefghijk";
        const std::size_t expected = size == 0 ? 0 : std::min(size - 1, whole.size());
        CHECK(text.length() == expected);
        if (size > 0) CHECK(std::string(storage.data()) == whole.substr(0, expected));
        for (std::size_t i = size; i < storage.size(); ++i) CHECK(storage[i] == '#');
    }
}
