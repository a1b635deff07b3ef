#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace schema {

// The components of a URI reference (RFC 3986, section 3). Their characters are not checked.
struct URI {
    std::optional<std::string_view> scheme;
    std::optional<std::string_view> authority;
    std::string_view path;
    std::optional<std::string_view> query;
    std::optional<std::string_view> fragment;

    explicit URI(std::string_view text);
};

// The reference's target (RFC 3986, section 5.2), without a fragment. A base without a scheme, such as the relative
// path of a file, gives a target without one.
std::string resolve(std::string_view base, std::string_view reference);

// The text with its percent escapes decoded.
std::string unescaped(std::string_view text);

// Whether the text is a URI (with a scheme), a URI reference, or one of these with the characters that RFC 3987 adds.
bool isURI(std::string_view text);
bool isURIReference(std::string_view text);
bool isIRI(std::string_view text);
bool isIRIReference(std::string_view text);

// RFC 6570.
bool isURITemplate(std::string_view text);

}  // namespace schema
