#include "URI.hpp"

#include "Unicode.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <re2/re2.h>

namespace schema {

URI::URI(std::string_view text) {
    auto cut = [&](size_t at) {
        std::string_view head = text.substr(0, at);
        text.remove_prefix(at);
        return head;
    };
    if (size_t hash = text.find('#'); hash != text.npos) {
        fragment = text.substr(hash + 1);
        text = text.substr(0, hash);
    }
    if (size_t mark = text.find('?'); mark != text.npos) {
        query = text.substr(mark + 1);
        text = text.substr(0, mark);
    }
    if (size_t colon = text.find_first_of(":/"); colon != text.npos && colon > 0 && text[colon] == ':') {
        scheme = cut(colon);
        text.remove_prefix(1);
    }
    if (text.substr(0, 2) == "//") {
        text.remove_prefix(2);
        authority = cut(std::min(text.find('/'), text.size()));
    }
    path = text;
}

// MARK: Resolution

// RFC 3986, section 5.2.4.
static std::string withoutDots(std::string_view path) {
    std::string result;
    auto dropLast = [&] { result.erase(result.rfind('/') == result.npos ? 0 : result.rfind('/')); };
    while (!path.empty()) {
        auto starts = [&](std::string_view prefix) { return path.substr(0, prefix.size()) == prefix; };
        if (starts("../")) {
            path.remove_prefix(3);
        } else if (starts("./")) {
            path.remove_prefix(2);
        } else if (starts("/./")) {
            path.remove_prefix(2);
        } else if (path == "/.") {
            path = "/";
        } else if (starts("/../")) {
            path.remove_prefix(3);
            dropLast();
        } else if (path == "/..") {
            path = "/";
            dropLast();
        } else if (path == "." || path == "..") {
            path = "";
        } else {
            size_t end = std::min(path.find('/', 1), path.size());
            result += path.substr(0, end);
            path.remove_prefix(end);
        }
    }
    return result;
}

std::string resolve(std::string_view base, std::string_view reference) {
    URI target(reference);
    const URI from(base);
    std::string path;
    if (target.scheme || target.authority) {
        path = withoutDots(target.path);
    } else if (target.path.empty()) {
        path = from.path;
        if (!target.query) { target.query = from.query; }
    } else if (target.path[0] == '/') {
        path = withoutDots(target.path);
    } else {
        const size_t slash = from.path.rfind('/');
        std::string merged = from.authority && from.path.empty()
            ? "/"
            : std::string(from.path.substr(0, slash == from.path.npos ? 0 : slash + 1));
        path = withoutDots(merged.append(target.path));
    }
    if (!target.scheme) {
        if (!target.authority) { target.authority = from.authority; }
        target.scheme = from.scheme;
    }
    std::string text;
    if (target.scheme) { text.append(*target.scheme).append(":"); }
    if (target.authority) { text.append("//").append(*target.authority); }
    text += path;
    if (target.query) { text.append("?").append(*target.query); }
    return text;
}

static int hexadecimal(char digit) {
    return digit >= '0' && digit <= '9' ? digit - '0'
        : digit >= 'a' && digit <= 'f'  ? digit - 'a' + 10
        : digit >= 'A' && digit <= 'F'  ? digit - 'A' + 10
                                        : -1;
}

static bool isEscape(std::string_view text, size_t at) {
    return at + 2 < text.size() && text[at] == '%' && hexadecimal(text[at + 1]) >= 0 && hexadecimal(text[at + 2]) >= 0;
}

std::string unescaped(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size(); ++at) {
        const bool escape = isEscape(text, at);
        result += escape ? char(hexadecimal(text[at + 1]) * 16 + hexadecimal(text[at + 2])) : text[at];
        at += escape ? 2 : 0;
    }
    return result;
}

// MARK: Grammar

namespace {

// RFC 3987, section 2.2.
bool isUCS(char32_t character) {
    if (character < 0xA0) { return false; }
    if (character <= 0xFFEF) {
        return character <= 0xD7FF || (character >= 0xF900 && character <= 0xFDCF) || character >= 0xFDF0;
    }
    return character >= 0x10000 && character < 0xF0000 && (character & 0xFFFF) <= 0xFFFD
        && !(character >= 0xE0000 && character < 0xE1000);
}

bool isPrivate(char32_t character) {
    return (character >= 0xE000 && character <= 0xF8FF)
        || (character >= 0xF0000 && (character & 0xFFFF) <= 0xFFFD);
}

bool isAlphanumeric(char32_t character) {
    return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z')
        || (character >= 'A' && character <= 'Z');
}

constexpr std::string_view unreservedMarks = "-._~", subDelimiters = "!$&'()*+,;=";

struct Grammar {
    bool isInternational;

    // Unreserved characters, sub-delimiters, escapes, and `more`.
    bool consists(std::string_view text, std::string_view more, bool mayBePrivate = false) const {
        for (size_t at = 0; at < text.size();) {
            if (isEscape(text, at)) {
                at += 3;
                continue;
            }
            const char32_t character = nextCharacter(text, at);
            const bool accepted = character < 0x80
                ? isAlphanumeric(character) || unreservedMarks.find(char(character)) != unreservedMarks.npos
                    || subDelimiters.find(char(character)) != subDelimiters.npos
                    || more.find(char(character)) != more.npos
                : isInternational && (isUCS(character) || (mayBePrivate && isPrivate(character)));
            if (!accepted) { return false; }
        }
        return true;
    }

    bool acceptsAddress(std::string_view literal) const {
        static const RE2 future("[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:-]+");
        in6_addr address;
        return RE2::FullMatch(literal, future)
            || (literal.find('\0') == literal.npos && inet_pton(AF_INET6, std::string(literal).c_str(), &address) == 1);
    }

    bool acceptsAuthority(std::string_view authority) const {
        if (size_t at = authority.find('@'); at != authority.npos) {
            if (!consists(authority.substr(0, at), ":")) { return false; }
            authority.remove_prefix(at + 1);
        }
        size_t end;
        if (!authority.empty() && authority[0] == '[') {
            end = authority.find(']');
            if (end == authority.npos || !acceptsAddress(authority.substr(1, end - 1))) { return false; }
            ++end;
        } else {
            end = std::min(authority.find(':'), authority.size());
            if (!consists(authority.substr(0, end), "")) { return false; }
        }
        const std::string_view port = authority.substr(end);
        return port.empty() || (port[0] == ':' && port.find_first_not_of("0123456789", 1) == port.npos);
    }

    bool accepts(std::string_view text, bool mayBeRelative) const {
        static const RE2 scheme("[A-Za-z][A-Za-z0-9+.-]*");
        const URI uri(text);
        if (uri.scheme ? !RE2::FullMatch(*uri.scheme, scheme) : !mayBeRelative) { return false; }
        if (uri.authority && !acceptsAuthority(*uri.authority)) { return false; }
        // A first segment with a colon would be read as a scheme.
        if (!uri.scheme && !uri.authority && uri.path.substr(0, uri.path.find('/')).find(':') != uri.path.npos) {
            return false;
        }
        return consists(uri.path, ":@/") && (!uri.query || consists(*uri.query, ":@/?", true))
            && (!uri.fragment || consists(*uri.fragment, ":@/?"));
    }
};

}  // namespace

bool isURI(std::string_view text) { return Grammar{false}.accepts(text, false); }
bool isURIReference(std::string_view text) { return Grammar{false}.accepts(text, true); }
bool isIRI(std::string_view text) { return Grammar{true}.accepts(text, false); }
bool isIRIReference(std::string_view text) { return Grammar{true}.accepts(text, true); }

bool isURITemplate(std::string_view text) {
    static const RE2 expression(
        "[+#./;?&=,!@|]?"
        "(?:(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*"
        "(?::[1-9][0-9]{0,3}|\\*)?(?:,|$))+");
    // An apostrophe is allowed (erratum 6937).
    constexpr std::string_view excluded = " \"<>\\^`|}";
    for (size_t at = 0; at < text.size();) {
        if (text[at] == '{') {
            const size_t end = text.find('}', at);
            if (end == text.npos) { return false; }
            const std::string_view inner = text.substr(at + 1, end - at - 1);
            if (inner.empty() || inner.back() == ',' || !RE2::FullMatch(inner, expression)) { return false; }
            at = end + 1;
        } else if (text[at] == '%') {
            if (!isEscape(text, at)) { return false; }
            at += 3;
        } else {
            const char32_t character = nextCharacter(text, at);
            const bool accepted = character < 0x80
                ? character > 0x20 && character != 0x7F && excluded.find(char(character)) == excluded.npos
                : isUCS(character) || isPrivate(character);
            if (!accepted) { return false; }
        }
    }
    return true;
}

}  // namespace schema
