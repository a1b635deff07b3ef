#include "Formats.hpp"

#include "Patterns.hpp"

#include <arpa/inet.h>
#include <cstdlib>
#include <map>

namespace schema {

static bool whole(const RE2 &pattern, const std::string &text) { return RE2::FullMatch(text, pattern); }

static int number(const std::string &text, size_t at, size_t count) { return std::atoi(text.substr(at, count).c_str()); }

// RFC 3339, full-date.
static bool isDate(const std::string &text) {
    static const RE2 shape("[0-9]{4}-[0-9]{2}-[0-9]{2}");
    if (!whole(shape, text)) { return false; }
    int year = number(text, 0, 4), month = number(text, 5, 2), day = number(text, 8, 2);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    static constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

// RFC 3339, full-time. A leap second is let through at any minute's end.
static bool isTime(const std::string &text) {
    static const RE2 shape(
        "([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])");
    return whole(shape, text);
}

static bool isDateTime(const std::string &text) {
    static constexpr size_t dateLength = 10;
    return text.size() > dateLength && (text[dateLength] == 'T' || text[dateLength] == 't')
        && isDate(text.substr(0, dateLength)) && isTime(text.substr(dateLength + 1));
}

// RFC 1123.
static bool isHostname(const std::string &text) {
    static const RE2 shape("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*");
    return text.size() <= 253 && whole(shape, text);
}

// Not all of RFC 5321, but nothing it allows without quotes is refused.
static bool isEmail(const std::string &text) {
    static const RE2 local("[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*");
    size_t at = text.rfind('@');
    return at != std::string::npos && whole(local, text.substr(0, at)) && isHostname(text.substr(at + 1));
}

template <int family> static bool isAddress(const std::string &text) {
    unsigned char address[sizeof(in6_addr)];
    return text.find('\0') == std::string::npos && inet_pton(family, text.c_str(), address) == 1;
}

// RFC 3986 by its characters: a scheme, then what may stand in a URI.
static bool isURI(const std::string &text) {
    static const RE2 shape("[A-Za-z][A-Za-z0-9+.-]*:([A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*");
    return whole(shape, text);
}

static bool isUUID(const std::string &text) {
    static const RE2 shape("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");
    return whole(shape, text);
}

static bool isPointer(const std::string &text) {
    static const RE2 shape("(?s)(/([^/~]|~[01])*)*");
    return whole(shape, text);
}

static bool isPattern(const std::string &text) {
    std::string fault;
    return compilePattern(text, fault) != nullptr;
}

const Format *findFormat(const std::string &name) {
    static const std::map<std::string, Format> formats = {
        {"date", {"a date such as 2026-11-21", isDate}},
        {"time", {"a time with its offset such as 16:52:45Z", isTime}},
        {"date-time", {"a date-time such as 2026-11-21T16:52:45Z", isDateTime}},
        {"hostname", {"a host name", isHostname}},
        {"email", {"an e-mail address", isEmail}},
        {"ipv4", {"an IPv4 address", isAddress<AF_INET>}},
        {"ipv6", {"an IPv6 address", isAddress<AF_INET6>}},
        {"uri", {"a URI", isURI}},
        {"uuid", {"a UUID", isUUID}},
        {"json-pointer", {"a JSON pointer", isPointer}},
        {"regex", {"a regular expression", isPattern}},
    };
    auto found = formats.find(name);
    return found == formats.end() ? nullptr : &found->second;
}

}  // namespace schema
