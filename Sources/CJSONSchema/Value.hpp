#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace schema {

struct Member;

enum class Kind : uint8_t {
    null,
    boolean,
    integer,  // -2^63 to 2^63 - 1
    natural,  // 2^63 to 2^64 - 1
    real,     // any other number
    string,
    array,
    object,
};

template <typename Item> struct Items {
    const Item *first;
    size_t count;

    const Item *begin() const { return first; }
    const Item *end() const { return first + count; }
};

// A JSON value. The `Document` it was read from owns the text, the elements, and the members.
struct Value {
    Kind kind = Kind::null;
    bool truth = false;
    // Of a string in bytes, of an array in elements, of an object in members.
    uint32_t size = 0;
    union {
        int64_t integer;
        uint64_t natural;
        double real;
        const char *bytes;
        const Value *list;
        const Member *table;
    };

    Value() : integer(0) {}
    explicit Value(std::string_view text) : kind(Kind::string), size(uint32_t(text.size())), bytes(text.data()) {}

    bool isNumber() const { return kind == Kind::integer || kind == Kind::natural || kind == Kind::real; }
    bool isBoolean() const { return kind == Kind::boolean; }
    bool isString() const { return kind == Kind::string; }
    bool isArray() const { return kind == Kind::array; }
    bool isObject() const { return kind == Kind::object; }

    // UTF-8. Only of a string.
    std::string_view text() const { return {bytes, size}; }
    // Only of an array.
    Items<Value> elements() const { return {list, size}; }
    // Only of an object: in the order of their keys' bytes, each key once.
    Items<Member> members() const { return {table, size}; }
    // The member's value; null if there is none, or if this is not an object.
    const Value *find(std::string_view key) const;
};

struct Member {
    std::string_view key;
    Value value;
};

// A total order of all JSON values in which equal means what JSON Schema calls equal: 1 equals 1.0, and the order of
// members does not count.
int compare(const Value &one, const Value &other);

// Whether a number has no fraction: 1.0 is an integer in draft 7.
bool isInteger(const Value &number);

// Whether the number is a multiple of the divisor in decimal: 19.99 is a multiple of 0.01, although their doubles do
// not divide.
bool isMultiple(const Value &number, const Value &divisor);

// Unicode code points.
size_t characters(std::string_view utf8);

// Compact JSON; a double always has a fraction or an exponent.
std::string dump(const Value &value);

// One step of the path to a value, kept on the stack; the pointer's text is made only for a report.
struct Place {
    const Place *parent = nullptr;
    const std::string_view *key = nullptr;  // or an index
    size_t index = 0;

    std::string pointer() const;
};

// `key` as a step of a JSON Pointer, with its slash.
std::string step(std::string_view key);

}  // namespace schema
