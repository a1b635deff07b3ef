#pragma once

#include <cstddef>
#include <string_view>

namespace schema {

// The code point at `at`, which moves behind it. The text is valid UTF-8.
inline char32_t nextCharacter(std::string_view utf8, size_t &at) {
    auto byte = [&] { return static_cast<unsigned char>(utf8[at++]); };
    const char32_t lead = byte();
    if (lead < 0x80) { return lead; }
    const int following = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    char32_t character = lead & (0x3Fu >> following);
    for (int count = 0; count < following && at < utf8.size(); ++count) {
        character = character << 6 | (byte() & 0x3Fu);
    }
    return character;
}

inline bool isASCII(std::string_view text) {
    for (char byte : text) {
        if (byte & 0x80) { return false; }
    }
    return true;
}

}  // namespace schema
