#include "Formats.hpp"

#include "Hostnames.hpp"
#include "Patterns.hpp"
#include "Times.hpp"
#include "URI.hpp"

#include <arpa/inet.h>
#include <map>

namespace schema {

// Not all of RFC 5321: neither a quoted local part nor an address in place of the domain.
static bool isEmail(std::string_view text) {
    static const RE2 local("[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*");
    const size_t at = text.rfind('@');
    return at != text.npos && RE2::FullMatch(text.substr(0, at), local) && isHostname(text.substr(at + 1));
}

// RFC 6531, with the same exceptions: characters beyond ASCII may stand wherever letters may.
static bool isInternationalEmail(std::string_view text) {
    static const RE2 local(
        "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\x{80}-\\x{10FFFF}-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\x{80}-\\x{10FFFF}-]+)*");
    const size_t at = text.rfind('@');
    return at != text.npos && RE2::FullMatch(text.substr(0, at), local)
        && isInternationalHostname(text.substr(at + 1));
}

template <int family> static bool isAddress(std::string_view text) {
    unsigned char address[sizeof(in6_addr)];
    return text.find('\0') == text.npos && inet_pton(family, std::string(text).c_str(), address) == 1;
}

static bool isUUID(std::string_view text) {
    static const RE2 shape("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");
    return RE2::FullMatch(text, shape);
}

// RFC 6901.
static bool isPointer(std::string_view text) {
    static const RE2 shape("(?s)(/([^/~]|~[01])*)*");
    return RE2::FullMatch(text, shape);
}

// draft-handrews-relative-json-pointer-01.
static bool isRelativePointer(std::string_view text) {
    static const RE2 shape("(?s)(0|[1-9][0-9]*)(#|(/([^/~]|~[01])*)*)");
    return RE2::FullMatch(text, shape);
}

static bool isPattern(std::string_view text) {
    std::string fault;
    return compilePattern(text, fault) != nullptr;
}

const Format *findFormat(std::string_view name) {
    static const std::map<std::string_view, Format> formats = {
        {"date", {"a date such as 2026-11-21", isDate}},
        {"time", {"a time with its offset such as 16:52:45Z", isTime}},
        {"date-time", {"a date-time such as 2026-11-21T16:52:45Z", isDateTime}},
        {"hostname", {"a host name", isHostname}},
        {"idn-hostname", {"an internationalized host name", isInternationalHostname}},
        {"email", {"an e-mail address", isEmail}},
        {"idn-email", {"an internationalized e-mail address", isInternationalEmail}},
        {"ipv4", {"an IPv4 address", isAddress<AF_INET>}},
        {"ipv6", {"an IPv6 address", isAddress<AF_INET6>}},
        {"uri", {"a URI", isURI}},
        {"uri-reference", {"a URI reference", isURIReference}},
        {"uri-template", {"a URI template", isURITemplate}},
        {"iri", {"an IRI", isIRI}},
        {"iri-reference", {"an IRI reference", isIRIReference}},
        {"uuid", {"a UUID", isUUID}},
        {"json-pointer", {"a JSON pointer", isPointer}},
        {"relative-json-pointer", {"a relative JSON pointer", isRelativePointer}},
        {"regex", {"a regular expression", isPattern}},
    };
    auto found = formats.find(name);
    return found == formats.end() ? nullptr : &found->second;
}

}  // namespace schema
