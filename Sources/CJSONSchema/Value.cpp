#include "Value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace schema {

// Up to this many members are searched one after another.
static constexpr uint32_t fewMembers = 8;

const Value *Value::find(std::string_view key) const {
    if (kind != Kind::object) { return nullptr; }
    const Member *end = table + size;
    const Member *found = size <= fewMembers
        ? std::find_if(table, end, [&](const Member &member) { return member.key == key; })
        : std::lower_bound(
              table, end, key, [](const Member &member, std::string_view key) { return member.key < key; });
    return found != end && found->key == key ? &found->value : nullptr;
}

// MARK: Order

// Holds every 64-bit integer and every double exactly, so that comparing them needs no cases.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64, "64-bit integers would lose digits in comparisons");

static Wide wide(const Value &number) {
    switch (number.kind) {
    case Kind::integer: return Wide(number.integer);
    case Kind::natural: return Wide(number.natural);
    default: return Wide(number.real);
    }
}

static int rank(Kind kind) {
    switch (kind) {
    case Kind::null: return 0;
    case Kind::boolean: return 1;
    case Kind::integer:
    case Kind::natural:
    case Kind::real: return 2;
    case Kind::string: return 3;
    case Kind::array: return 4;
    case Kind::object: return 5;
    }
    return 5;
}

template <typename Scalar> static int order(Scalar one, Scalar other) {
    return one < other ? -1 : other < one ? 1 : 0;
}

int compare(const Value &one, const Value &other) {
    if (int ranks = rank(one.kind) - rank(other.kind)) { return ranks; }
    switch (one.kind) {
    case Kind::null: return 0;
    case Kind::boolean: return order(one.truth, other.truth);
    case Kind::integer:
    case Kind::natural:
    case Kind::real: return order(wide(one), wide(other));
    case Kind::string: return one.text().compare(other.text());
    case Kind::array:
    case Kind::object: break;
    }
    if (one.size != other.size) { return order(one.size, other.size); }
    for (uint32_t index = 0; index < one.size; ++index) {
        if (one.kind == Kind::object) {
            if (int found = one.table[index].key.compare(other.table[index].key)) { return found; }
        }
        int found = one.kind == Kind::array ? compare(one.list[index], other.list[index])
                                            : compare(one.table[index].value, other.table[index].value);
        if (found) { return found; }
    }
    return 0;
}

// MARK: Numbers

bool isInteger(const Value &number) { return number.kind != Kind::real || std::trunc(number.real) == number.real; }

namespace {

// digits * 10^exponent, without the sign. Of a double: the fewest digits that read back as the same double.
struct Decimal {
    uint64_t digits = 0;
    int exponent = 0;

    explicit Decimal(const Value &number) {
        switch (number.kind) {
        case Kind::integer:
            digits = number.integer < 0 ? 0 - uint64_t(number.integer) : uint64_t(number.integer);
            break;
        case Kind::natural: digits = number.natural; break;
        default: read(std::abs(number.real));
        }
        while (digits != 0 && digits % 10 == 0) {
            digits /= 10;
            ++exponent;
        }
    }

private:
    void read(double real) {
        char text[32];
        char *end = std::to_chars(text, text + sizeof text, real, std::chars_format::scientific).ptr;
        char *mark = std::find(text, end, 'e');
        for (const char *at = text; at != mark; ++at) {
            if (*at == '.') { continue; }
            digits = digits * 10 + uint64_t(*at - '0');
            exponent -= at > text ? 1 : 0;
        }
        int power = 0;
        std::from_chars(mark + (mark[1] == '+' ? 2 : 1), end, power);
        exponent += power;
    }
};

}  // namespace

bool isMultiple(const Value &number, const Value &divisor) {
    Decimal dividend(number), by(divisor);
    if (dividend.digits == 0) { return true; }
    if (by.digits == 0) { return false; }
    unsigned __int128 rest = dividend.digits % by.digits;
    // dividend * 10^shift must be divisible; below 10^-20 no 64-bit number is.
    int shift = dividend.exponent - by.exponent;
    if (shift < 0) {
        if (shift < -20) { return false; }
        unsigned __int128 divided = by.digits;
        for (; shift < 0; ++shift) { divided *= 10; }
        return dividend.digits % divided == 0;
    }
    for (; shift > 0 && rest != 0; --shift) { rest = rest * 10 % by.digits; }
    return rest == 0;
}

// MARK: Text

size_t characters(std::string_view utf8) {
    return size_t(std::count_if(utf8.begin(), utf8.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

static void write(std::string_view text, std::string &json) {
    static constexpr char hexadecimal[] = "0123456789abcdef";
    json += '"';
    for (char character : text) {
        switch (character) {
        case '"': json += "\\\""; break;
        case '\\': json += "\\\\"; break;
        case '\b': json += "\\b"; break;
        case '\f': json += "\\f"; break;
        case '\n': json += "\\n"; break;
        case '\r': json += "\\r"; break;
        case '\t': json += "\\t"; break;
        default:
            if (static_cast<unsigned char>(character) >= 0x20) {
                json += character;
            } else {
                json += "\\u00";
                json += hexadecimal[character >> 4];
                json += hexadecimal[character & 0xF];
            }
        }
    }
    json += '"';
}

static void write(double real, std::string &json) {
    // Beyond these an exponent is shorter.
    static constexpr int smallest = -4, greatest = 15;
    if (std::signbit(real)) { json += '-'; }
    if (real == 0) {
        json += "0.0";
        return;
    }
    char text[32];
    char *end = std::to_chars(text, text + sizeof text, std::abs(real), std::chars_format::scientific).ptr;
    char *mark = std::find(text, end, 'e');
    std::string digits(text, size_t(mark - text));
    digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
    int power = 0;
    std::from_chars(mark + (mark[1] == '+' ? 2 : 1), end, power);
    // Where the point stands in the digits.
    const int point = power + 1;
    const int count = int(digits.size());
    if (count <= point && point <= greatest) {
        json += digits + std::string(size_t(point - count), '0') + ".0";
    } else if (0 < point && point <= greatest) {
        json += digits.substr(0, size_t(point)) + "." + digits.substr(size_t(point));
    } else if (smallest < point && point <= 0) {
        json += "0." + std::string(size_t(-point), '0') + digits;
    } else {
        json.append(text, size_t(end - text));
    }
}

static void write(const Value &value, std::string &json) {
    switch (value.kind) {
    case Kind::null: json += "null"; break;
    case Kind::boolean: json += value.truth ? "true" : "false"; break;
    case Kind::integer: json += std::to_string(value.integer); break;
    case Kind::natural: json += std::to_string(value.natural); break;
    case Kind::real: write(value.real, json); break;
    case Kind::string: write(value.text(), json); break;
    case Kind::array:
        json += '[';
        for (const Value &element : value.elements()) {
            if (&element != value.list) { json += ','; }
            write(element, json);
        }
        json += ']';
        break;
    case Kind::object:
        json += '{';
        for (const Member &member : value.members()) {
            if (&member != value.table) { json += ','; }
            write(member.key, json);
            json += ':';
            write(member.value, json);
        }
        json += '}';
        break;
    }
}

std::string dump(const Value &value) {
    std::string json;
    write(value, json);
    return json;
}

// MARK: Places

std::string step(std::string_view key) {
    std::string text = "/";
    for (char character : key) {
        switch (character) {
        case '~': text += "~0"; break;
        case '/': text += "~1"; break;
        default: text += character;
        }
    }
    return text;
}

std::string Place::pointer() const {
    std::vector<const Place *> places;
    for (const Place *place = this; place->parent; place = place->parent) { places.push_back(place); }
    std::string text;
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        text += (*place)->key ? step(*(*place)->key) : "/" + std::to_string((*place)->index);
    }
    return text;
}

}  // namespace schema
