#pragma once

#include "Compiler.hpp"

namespace schema {

// The pointers of the values that the schema marks `writeOnly`, whichever of its alternatives may apply; none is inside
// another. False if there was too much to look at.
bool findSecrets(const Compiled &schema, const Json &value, std::vector<std::string> &pointers);

}  // namespace schema
