#include "text_buffer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>

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
