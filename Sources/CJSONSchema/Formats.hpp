#pragma once

#include <string>

namespace schema {

// What a `format` asks of a string: the words for a message, and the test. The formats that are not here, of which the
// specification has some and authors more, ask nothing.
struct Format {
    const char *words;
    bool (*accepts)(const std::string &text);
};

const Format *findFormat(const std::string &name);

}  // namespace schema
