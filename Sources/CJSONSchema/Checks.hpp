#pragma once

#include "Patterns.hpp"
#include "Value.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace schema {

// A keyword that judges a value by itself, without another schema: an enumeration, a bound, a length, a pattern.
struct Check {
    // Why a value was refused.
    std::string message;
    // One value, or one of a few: such a violation distinguishes the branches of an `anyOf`.
    bool isChoice = false;

    virtual ~Check() = default;
    virtual bool accepts(const Value &value) const = 0;
};

using Checks = std::vector<std::unique_ptr<const Check>>;

// The checks of `schema`, whose values must outlive them. If one cannot be made, adds its keyword and the reason to
// `faults`.
Checks makeChecks(const Value &schema, std::vector<std::pair<const char *, std::string>> &faults);

// `words`, the number, and the noun in its singular or plural form.
std::string counted(const char *words, uint64_t count, const char *one, const char *many);

// How a fault describes a pattern that RE2 refuses.
std::string patternFault(const std::string &reason);

}  // namespace schema
