#pragma once

#include "Schema.hpp"

namespace schema {

// Adds the pointers of the values that the schema marks `writeOnly`, whichever of its alternatives apply; none is
// inside another. False if there was too much to search.
bool findSecrets(const Compiled &schema, const Value &value, std::vector<std::string> &pointers);

}  // namespace schema
