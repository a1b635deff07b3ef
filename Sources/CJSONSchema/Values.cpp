#include "Values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace schema {

// Holds every 64 bit integer and every double exactly, so that comparing them needs no cases.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64, "numbers would be compared by halves");

static Wide wide(const Json &number) {
    switch (number.type()) {
    case Json::value_t::number_integer: return Wide(*number.get_ptr<const Json::number_integer_t *>());
    case Json::value_t::number_unsigned: return Wide(*number.get_ptr<const Json::number_unsigned_t *>());
    default: return Wide(*number.get_ptr<const Json::number_float_t *>());
    }
}

static int rank(const Json &value) {
    switch (value.type()) {
    case Json::value_t::null: return 0;
    case Json::value_t::boolean: return 1;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return 2;
    case Json::value_t::string: return 3;
    case Json::value_t::array: return 4;
    default: return 5;
    }
}

template <typename Value> static int order(const Value &one, const Value &other) {
    return one < other ? -1 : other < one ? 1 : 0;
}

int compare(const Json &one, const Json &other) {
    int ranks = rank(one) - rank(other);
    if (ranks != 0) { return ranks; }
    switch (one.type()) {
    case Json::value_t::null: return 0;
    case Json::value_t::boolean: return order(one.get<bool>(), other.get<bool>());
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return order(wide(one), wide(other));
    case Json::value_t::string: return one.get_ref<const std::string &>().compare(other.get_ref<const std::string &>());
    default: break;
    }
    if (one.size() != other.size()) { return order(one.size(), other.size()); }
    if (one.is_array()) {
        for (size_t index = 0; index < one.size(); ++index) {
            if (int found = compare(one[index], other[index])) { return found; }
        }
        return 0;
    }
    auto &members = one.get_ref<const Json::object_t &>();
    auto &others = other.get_ref<const Json::object_t &>();
    for (auto member = members.begin(), beside = others.begin(); member != members.end(); ++member, ++beside) {
        if (int found = member->first.compare(beside->first)) { return found; }
        if (int found = compare(member->second, beside->second)) { return found; }
    }
    return 0;
}

bool isInteger(const Json &number) {
    if (!number.is_number_float()) { return true; }
    double value = number.get<double>();
    return std::trunc(value) == value;
}

namespace {

// digits * 10^exponent, without its sign.
struct Decimal {
    uint64_t digits = 0;
    int exponent = 0;

    explicit Decimal(const Json &number) {
        // Integers in full; a double as the shortest text that reads back as itself.
        const std::string text = number.dump();
        for (char character : text) {
            if (character == 'e' || character == 'E') {
                exponent += std::stoi(text.substr(text.find(character) + 1));
                break;
            }
            if (character == '.') { fraction = true; }
            if (character < '0' || character > '9') { continue; }
            digits = digits * 10 + uint64_t(character - '0');
            exponent -= fraction ? 1 : 0;
        }
        while (digits != 0 && digits % 10 == 0) {
            digits /= 10;
            ++exponent;
        }
    }

private:
    bool fraction = false;
};

}  // namespace

bool isMultiple(const Json &number, const Json &divisor) {
    Decimal dividend(number), by(divisor);
    if (dividend.digits == 0) { return true; }
    if (by.digits == 0) { return false; }
    unsigned __int128 rest = dividend.digits % by.digits;
    // dividend * 10^shift must be divisible; below 10^-20 no 64 bit number is.
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

size_t characters(const std::string &utf8) {
    return size_t(std::count_if(utf8.begin(), utf8.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string Place::pointer() const {
    std::vector<const Place *> steps;
    for (const Place *place = this; place->parent; place = place->parent) { steps.push_back(place); }
    std::string text;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        text += '/';
        if (!(*step)->key) {
            text += std::to_string((*step)->index);
            continue;
        }
        for (char character : *(*step)->key) {
            switch (character) {
            case '~': text += "~0"; break;
            case '/': text += "~1"; break;
            default: text += character;
            }
        }
    }
    return text;
}

}  // namespace schema
