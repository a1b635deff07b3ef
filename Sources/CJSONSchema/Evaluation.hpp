#pragma once

#include "Compiler.hpp"

namespace schema {

// How many values may be looked at, with a schema each, for one text: alternatives within alternatives can ask for a
// number that is exponential in the depth of the text. A text of 1 MiB has at most half as many values as this.
constexpr size_t greatestWork = 1'000'000;
// How many schemas may be entered one within another: four for each level of the deepest message. Each takes up to 1.3 KiB
// of stack.
constexpr size_t greatestNesting = 512;

// What is wrong with a value, in the order of the paths; at most `limit` of them. One more, of the whole value, says
// that there are more. Empty if it is valid.
std::vector<Fault> evaluate(const Compiled &schema, const Json &value, size_t limit);

}  // namespace schema
