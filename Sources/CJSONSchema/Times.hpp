#pragma once

#include <string_view>

namespace schema {

// RFC 3339: full-date, full-time, and date-time. A second 60 is accepted only in the last minute of a day in UTC, where
// leap seconds are.
bool isDate(std::string_view text);
bool isTime(std::string_view text);
bool isDateTime(std::string_view text);

}  // namespace schema
