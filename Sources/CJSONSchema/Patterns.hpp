#pragma once

#include <memory>
#include <re2/re2.h>
#include <string>
#include <string_view>

namespace schema {

// Compiles a pattern of ECMA 262. Null, with the reason in `fault`, for one that is wrong or that cannot be matched in
// linear time (lookaround, back references).
std::unique_ptr<const RE2> compilePattern(std::string_view pattern, std::string &fault);

// Whether the pattern matches anywhere in the text, as JSON Schema defines it.
bool matches(const RE2 &pattern, std::string_view text);

}  // namespace schema
