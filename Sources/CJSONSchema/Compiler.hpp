#pragma once

#include "Checks.hpp"

#include <deque>
#include <valijson/schema.hpp>

namespace schema {

// A schema ready for use. Nothing in it changes once it is made.
struct Compiled {
    valijson::Schema model;
    // A deque, since the model refers to its elements.
    std::deque<Part> parts;
    // What the names in the model's `patternProperties` stand for, by number.
    std::vector<std::unique_ptr<const RE2>> patterns;
    bool hasSecrets = false;
};

struct Fault {
    std::string path;
    std::string message;
};

// Null, with `faults` filled in, for a text that is no schema.
std::unique_ptr<const Compiled> compile(const char *text, size_t length, std::vector<Fault> &faults);

}  // namespace schema
