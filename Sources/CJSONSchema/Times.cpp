#include "Times.hpp"

#include <re2/re2.h>

namespace schema {

bool isDate(std::string_view text) {
    static const RE2 shape("([0-9]{4})-([0-9]{2})-([0-9]{2})");
    int year, month, day;
    if (!RE2::FullMatch(text, shape, &year, &month, &day)) { return false; }
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    static constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool isTime(std::string_view text) {
    static const RE2 shape("([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))");
    int hour, minute, second;
    re2::StringPiece sign, hours, minutes;
    if (!RE2::FullMatch(text, shape, &hour, &minute, &second, &sign, &hours, &minutes)) { return false; }
    auto number = [](re2::StringPiece digits) { return (digits[0] - '0') * 10 + (digits[1] - '0'); };
    const int offsetHour = sign.empty() ? 0 : number(hours), offsetMinute = sign.empty() ? 0 : number(minutes);
    if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) { return false; }
    if (second < 60) { return true; }
    constexpr int day = 24 * 60;
    const int offset = offsetHour * 60 + offsetMinute;
    const int utc = hour * 60 + minute + (!sign.empty() && sign[0] == '+' ? -offset : offset);
    return (utc + day) % day == day - 1;
}

bool isDateTime(std::string_view text) {
    static constexpr size_t dateLength = 10;
    return text.size() > dateLength && (text[dateLength] == 'T' || text[dateLength] == 't')
        && isDate(text.substr(0, dateLength)) && isTime(text.substr(dateLength + 1));
}

}  // namespace schema
