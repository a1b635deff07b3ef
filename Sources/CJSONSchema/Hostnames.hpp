#pragma once

#include <string_view>

namespace schema {

// RFC 1123. A label that begins with "xn--" must be the encoding of an internationalized one.
bool isHostname(std::string_view text);

// RFC 5890 to 5893. Not checked: normalization form C, and the joining types of letters outside Arabic and Syriac, for
// which the letter's script stands in.
bool isInternationalHostname(std::string_view text);

}  // namespace schema
