#pragma once

#include "Compiler.hpp"

namespace schema {

// What is wrong with a value, in the order of the paths; at most `limit` of them. One more, of the whole value, says
// that there are more. Empty if it is valid.
std::vector<Fault> evaluate(const Compiled &schema, const Json &value, size_t limit);

}  // namespace schema
