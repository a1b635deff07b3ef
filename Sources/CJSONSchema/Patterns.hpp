#pragma once

#include <memory>
#include <re2/re2.h>
#include <string>

namespace schema {

// The pattern as RE2 takes it. Null, with the reason in `fault`, for one that is wrong or that no linear engine can take
// (lookaround, back references).
std::unique_ptr<const RE2> compilePattern(const std::string &pattern, std::string &fault);

// Somewhere in the text, as JSON Schema means it.
bool matches(const RE2 &pattern, const std::string &text);

}  // namespace schema
