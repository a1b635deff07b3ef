#include "Hostnames.hpp"

#include "CodePoints.hpp"
#include "Unicode.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <re2/re2.h>
#include <string>
#include <vector>

namespace schema {

static constexpr size_t longestName = 253;
static constexpr size_t longestLabel = 63;
static constexpr std::string_view encodingPrefix = "xn--";

using Characters = std::vector<char32_t>;

// MARK: Punycode (RFC 3492)

namespace punycode {

constexpr uint32_t base = 36, smallest = 1, largest = 26, skew = 38, damp = 700, firstBias = 72, firstCharacter = 0x80;

static uint32_t adapted(uint32_t delta, uint32_t count, bool isFirst) {
    delta = isFirst ? delta / damp : delta / 2;
    delta += delta / count;
    uint32_t bias = 0;
    for (; delta > ((base - smallest) * largest) / 2; bias += base) { delta /= base - smallest; }
    return bias + (base - smallest + 1) * delta / (delta + skew);
}

static uint32_t threshold(uint32_t position, uint32_t bias) {
    return position <= bias ? smallest : position >= bias + largest ? largest : position - bias;
}

// Labels are short, so that nothing here overflows 64 bits.
static std::optional<Characters> decode(std::string_view text) {
    Characters characters;
    const size_t mark = text.rfind('-');
    if (mark != text.npos) {
        characters.assign(text.begin(), text.begin() + ptrdiff_t(mark));
        text.remove_prefix(mark + 1);
    }
    uint64_t character = firstCharacter, index = 0;
    uint32_t bias = firstBias;
    for (size_t at = 0; at < text.size();) {
        const uint64_t before = index;
        uint64_t weight = 1;
        for (uint32_t position = base;; position += base) {
            if (at == text.size()) { return std::nullopt; }
            const char digit = text[at++];
            const uint32_t value = digit >= 'a' && digit <= 'z' ? uint32_t(digit - 'a')
                : digit >= 'A' && digit <= 'Z'                  ? uint32_t(digit - 'A')
                : digit >= '0' && digit <= '9'                  ? uint32_t(digit - '0') + 26
                                                                : base;
            if (value == base) { return std::nullopt; }
            index += value * weight;
            if (index > UINT32_MAX) { return std::nullopt; }
            const uint32_t limit = threshold(position, bias);
            if (value < limit) { break; }
            weight *= base - limit;
            if (weight > UINT32_MAX) { return std::nullopt; }
        }
        const uint64_t count = characters.size() + 1;
        bias = adapted(uint32_t(index - before), uint32_t(count), before == 0);
        character += index / count;
        index %= count;
        if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000)) { return std::nullopt; }
        characters.insert(characters.begin() + ptrdiff_t(index), char32_t(character));
        ++index;
    }
    return characters;
}

static std::string encode(const Characters &characters) {
    std::string text;
    for (char32_t character : characters) {
        if (character < firstCharacter) { text += char(character); }
    }
    uint32_t handled = uint32_t(text.size());
    const uint32_t plain = handled;
    if (plain > 0) { text += '-'; }
    uint64_t delta = 0, next = firstCharacter;
    uint32_t bias = firstBias;
    while (handled < characters.size()) {
        char32_t smallestLeft = 0x10FFFF;
        for (char32_t character : characters) {
            if (character >= next) { smallestLeft = std::min(smallestLeft, character); }
        }
        delta += (smallestLeft - next) * (handled + 1);
        next = smallestLeft;
        for (char32_t character : characters) {
            if (character < next) { ++delta; }
            if (character != next) { continue; }
            uint64_t rest = delta;
            auto write = [&](uint64_t value) { text += char(value < 26 ? 'a' + value : '0' + (value - 26)); };
            for (uint32_t position = base;; position += base) {
                const uint32_t limit = threshold(position, bias);
                if (rest < limit) { break; }
                write(limit + (rest - limit) % (base - limit));
                rest = (rest - limit) / (base - limit);
            }
            write(rest);
            bias = adapted(uint32_t(delta), handled + 1, handled == plain);
            delta = 0;
            ++handled;
        }
        ++delta;
        ++next;
    }
    return text;
}

}  // namespace punycode

// MARK: Labels in Unicode (RFC 5891, section 4.2)

static std::string utf8(char32_t character) {
    std::string text;
    auto add = [&](char32_t byte) { text += char(byte); };
    if (character < 0x80) {
        add(character);
    } else if (character < 0x800) {
        add(0xC0 | character >> 6);
        add(0x80 | (character & 0x3F));
    } else if (character < 0x10000) {
        add(0xE0 | character >> 12);
        add(0x80 | (character >> 6 & 0x3F));
        add(0x80 | (character & 0x3F));
    } else {
        add(0xF0 | character >> 18);
        add(0x80 | (character >> 12 & 0x3F));
        add(0x80 | (character >> 6 & 0x3F));
        add(0x80 | (character & 0x3F));
    }
    return text;
}

static std::string utf8(const Characters &characters) {
    std::string text;
    for (char32_t character : characters) { text += utf8(character); }
    return text;
}

template <size_t count> static bool contains(const CodePoints (&ranges)[count], char32_t character) {
    auto range = std::upper_bound(std::begin(ranges), std::end(ranges), character, [](char32_t value, CodePoints next) {
        return value < next.first;
    });
    return range != std::begin(ranges) && character <= std::prev(range)->last;
}

// RFC 5892: CONTEXTJ and CONTEXTO.
static bool isAllowedByContext(const Characters &label, size_t at, const std::string &text) {
    static const RE2 greek("\\p{Greek}"), hebrew("\\p{Hebrew}"), japanese("[\\p{Hiragana}\\p{Katakana}\\p{Han}]");
    // A letter that joins to the left, the joiner, and a letter that joins to the right, with marks between them.
    static const RE2 joined(
        "[\\p{Arabic}\\p{Syriac}\\p{Mongolian}\\p{Nko}\\p{Phags_Pa}\\p{Mandaic}\\p{Manichaean}\\p{Adlam}\\p{Sogdian}"
        "\\p{Hanifi_Rohingya}\\p{Psalter_Pahlavi}]\\p{Mn}*\\x{200C}\\p{Mn}*"
        "[\\p{Arabic}\\p{Syriac}\\p{Mongolian}\\p{Nko}\\p{Phags_Pa}\\p{Mandaic}\\p{Manichaean}\\p{Adlam}\\p{Sogdian}"
        "\\p{Hanifi_Rohingya}\\p{Psalter_Pahlavi}]");
    // Letters of Arabic and Syriac that join only to the right.
    static const RE2 unjoined(
        "[\\x{622}-\\x{625}\\x{627}\\x{629}\\x{62F}-\\x{632}\\x{648}\\x{671}-\\x{673}\\x{675}-\\x{677}\\x{688}-\\x{699}"
        "\\x{6C0}\\x{6C3}-\\x{6CB}\\x{6CD}\\x{6CF}\\x{6D2}\\x{6D3}\\x{6D5}\\x{6EE}\\x{6EF}\\x{710}\\x{715}-\\x{719}"
        "\\x{71E}\\x{728}\\x{72A}\\x{72C}\\x{72F}\\x{74D}]\\p{Mn}*\\x{200C}");
    const char32_t before = at > 0 ? label[at - 1] : 0, after = at + 1 < label.size() ? label[at + 1] : 0;
    auto is = [](const RE2 &script, char32_t character) {
        return character && RE2::FullMatch(utf8(character), script);
    };
    auto has = [&](char32_t first, char32_t last) {
        return std::any_of(label.begin(), label.end(), [&](char32_t one) { return one >= first && one <= last; });
    };
    switch (label[at]) {
    case 0xB7: return before == 'l' && after == 'l';
    case 0x375: return is(greek, after);
    case 0x5F3:
    case 0x5F4: return is(hebrew, before);
    case 0x30FB:
        return std::any_of(label.begin(), label.end(), [&](char32_t other) {
            return other != 0x30FB && is(japanese, other);
        });
    case 0x200C:
        return contains(viramas, before) || (RE2::PartialMatch(text, joined) && !RE2::PartialMatch(text, unjoined));
    case 0x200D: return contains(viramas, before);
    default: break;
    }
    if (label[at] >= 0x660 && label[at] <= 0x669) { return !has(0x6F0, 0x6F9); }
    if (label[at] >= 0x6F0 && label[at] <= 0x6F9) { return !has(0x660, 0x669); }
    return true;
}

// RFC 5893, section 2, with scripts for the classes of direction.
static bool isAllowedByDirection(const std::string &text) {
#define RIGHT_TO_LEFT                                                                                               \
    "\\p{Hebrew}\\p{Arabic}\\p{Syriac}\\p{Thaana}\\p{Nko}\\p{Samaritan}\\p{Mandaic}\\p{Adlam}\\p{Hanifi_Rohingya}" \
    "\\p{Manichaean}\\p{Mende_Kikakui}\\p{Phoenician}\\p{Sogdian}\\p{Yezidi}"
    static const RE2 rightToLeft("[" RIGHT_TO_LEFT "\\x{660}-\\x{669}]");
    static const RE2 whole("[" RIGHT_TO_LEFT "][" RIGHT_TO_LEFT "\\p{Mn}0-9\\x{660}-\\x{669}\\x{200C}\\x{200D}-]*");
#undef RIGHT_TO_LEFT
    static const RE2 mixedDigits(
        "[0-9\\x{6F0}-\\x{6F9}].*[\\x{660}-\\x{669}]|[\\x{660}-\\x{669}].*[0-9\\x{6F0}-\\x{6F9}]");
    static const RE2 nonspacing("[\\p{Mn}0-9\\x{6F0}-\\x{6F9}-]+");
    // Marks and extended digits have the script Arabic but no direction of their own.
    std::string directed = text;
    RE2::GlobalReplace(&directed, nonspacing, "");
    if (!RE2::PartialMatch(directed, rightToLeft)) { return true; }
    return RE2::FullMatch(text, whole) && !RE2::PartialMatch(text, mixedDigits);
}

static bool isUnicodeLabel(const Characters &label) {
    // Encoded, each character takes at least one byte.
    if (label.empty() || label.size() > longestLabel) { return false; }
    if (label.front() == '-' || label.back() == '-') { return false; }
    if (label.size() >= 4 && label[2] == '-' && label[3] == '-') { return false; }
    static const RE2 shape(
        "[\\p{Ll}\\p{Lo}\\p{Lm}\\p{Nd}\\x{13A0}-\\x{13F5}\\x{B7}\\x{375}\\x{F0B}\\x{3007}\\x{5F3}\\x{5F4}\\x{6FD}"
        "\\x{6FE}\\x{30FB}]"
        "[\\p{Ll}\\p{Lo}\\p{Lm}\\p{Nd}\\p{Mn}\\p{Mc}\\x{13A0}-\\x{13F5}\\x{B7}\\x{375}\\x{F0B}\\x{3007}\\x{5F3}\\x{5F4}"
        "\\x{6FD}\\x{6FE}\\x{30FB}\\x{200C}\\x{200D}-]*");
    const std::string text = utf8(label);
    if (!RE2::FullMatch(text, shape)) { return false; }
    for (size_t at = 0; at < label.size(); ++at) {
        if (contains(disallowedInLabels, label[at]) || !isAllowedByContext(label, at, text)) { return false; }
    }
    return isAllowedByDirection(text);
}

// MARK: Names

static bool hasEncodingPrefix(std::string_view label) {
    return label.size() >= encodingPrefix.size()
        && std::equal(encodingPrefix.begin(), encodingPrefix.end(), label.begin(), [](char one, char other) {
               return one == (other >= 'A' && other <= 'Z' ? char(other - 'A' + 'a') : other);
           });
}

static bool isASCIILabel(std::string_view label) {
    static const RE2 shape("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?");
    if (label.size() > longestLabel || !RE2::FullMatch(label, shape)) { return false; }
    if (!hasEncodingPrefix(label)) { return true; }
    std::string lower(label.substr(encodingPrefix.size()));
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char character) {
        return character >= 'A' && character <= 'Z' ? char(character - 'A' + 'a') : character;
    });
    const auto decoded = punycode::decode(lower);
    return decoded && isUnicodeLabel(*decoded) && punycode::encode(*decoded) == lower
        && std::any_of(decoded->begin(), decoded->end(), [](char32_t character) { return character >= 0x80; });
}

bool isHostname(std::string_view text) {
    if (text.size() > longestName) { return false; }
    for (;;) {
        const size_t dot = std::min(text.find('.'), text.size());
        if (!isASCIILabel(text.substr(0, dot))) { return false; }
        if (dot == text.size()) { return true; }
        text.remove_prefix(dot + 1);
    }
}

bool isInternationalHostname(std::string_view text) {
    // No character takes more than four bytes.
    if (text.size() > longestName * 4) { return false; }
    size_t length = 0;
    Characters label;
    auto endLabel = [&] {
        const std::string text = utf8(label);
        const bool plain = isASCII(text);
        if (plain ? !isASCIILabel(text) : !isUnicodeLabel(label)) { return false; }
        const size_t encoded = plain ? label.size() : encodingPrefix.size() + punycode::encode(label).size();
        length += encoded + (length > 0 ? 1 : 0);
        label.clear();
        return encoded <= longestLabel && length <= longestName;
    };
    for (size_t at = 0; at < text.size();) {
        const char32_t character = nextCharacter(text, at);
        // The full stops of RFC 3490, section 3.1.
        const bool stop = character == '.' || character == 0x3002 || character == 0xFF0E || character == 0xFF61;
        if (!stop) {
            label.push_back(character);
        } else if (!endLabel()) {
            return false;
        }
    }
    return endLabel();
}

}  // namespace schema
