#pragma once

#include <string_view>

namespace schema {

// A value of `format`: the words for a message, and the test. Formats that are not here accept every string.
struct Format {
    const char *words;
    bool (*accepts)(std::string_view text);
};

const Format *findFormat(std::string_view name);

}  // namespace schema
