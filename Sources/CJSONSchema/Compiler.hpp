#pragma once

#include "References.hpp"
#include "Schema.hpp"

namespace schema {

// Null, with `faults` filled in, for a text that is not a schema. `base` is its URI, or empty.
std::unique_ptr<const Compiled> compile(
    std::string_view text, const std::string &base, const FindDocument &find, std::vector<Fault> &faults);

}  // namespace schema
