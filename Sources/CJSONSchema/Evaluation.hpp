#pragma once

#include "Schema.hpp"

namespace schema {

// How many pairs of a value and a schema may be checked for one text: alternatives within alternatives can ask for a
// number that is exponential in the depth of the text. A text of 1 MiB has at most half as many values.
constexpr size_t greatestWork = 1'000'000;
// How many schemas may be entered one within another: four for each level of the deepest message. Each takes up to
// 1.3 KiB of stack.
constexpr size_t greatestNesting = 512;

// The bit of a type's name; 0 for no type's.
Types typeNamed(std::string_view name);

// The faults of a value, in the order of the paths; at most `limit`. One more, of the whole value, stands for all
// others. Empty if the value is valid.
std::vector<Fault> evaluate(const Compiled &schema, const Value &value, size_t limit);

}  // namespace schema
