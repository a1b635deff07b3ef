#include "Checks.hpp"

#include "Formats.hpp"

#include <algorithm>

namespace schema {

std::string counted(const char *words, uint64_t count, const char *one, const char *many) {
    return words + std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string patternFault(const std::string &reason) {
    return "is not a pattern that can be matched in linear time: " + reason;
}

namespace {

// A message shows at most this many bytes of a schema's values: it goes to terminals and journals.
constexpr size_t shownBytes = 200;

std::string shown(const Value &value) {
    std::string text = dump(value);
    if (text.size() <= shownBytes) { return text; }
    size_t end = shownBytes;
    while ((text[end] & 0xC0) == 0x80) { --end; }
    return text.substr(0, end) + "…";
}

struct Enumeration final : Check {
    // In the order of `compare`.
    std::vector<Value> values;

    explicit Enumeration(const Value &list) {
        isChoice = true;
        message = "must be one of ";
        const size_t begin = message.size();
        for (const Value &value : list.elements()) {
            values.push_back(value);
            if (message.size() > begin + shownBytes) { continue; }
            if (message.size() > begin) { message += ", "; }
            message += shown(value);
            if (message.size() > begin + shownBytes && values.size() < list.size) { message += ", …"; }
        }
        if (values.empty()) { message = "is not allowed: \"enum\" has no values"; }
        std::sort(values.begin(), values.end(), precedes);
    }

    bool accepts(const Value &value) const override {
        return std::binary_search(values.begin(), values.end(), value, precedes);
    }

private:
    static bool precedes(const Value &one, const Value &other) { return compare(one, other) < 0; }
};

struct Constant final : Check {
    const Value &constant;

    explicit Constant(const Value &constant) : constant(constant) {
        isChoice = true;
        message = "must be " + shown(constant);
    }

    bool accepts(const Value &value) const override { return compare(value, constant) == 0; }
};

// A bound of a number.
struct Bound {
    const char *keyword;
    const char *words;
    bool (*test)(const Value &value, const Value &bound);
};

constexpr Bound bounds[] = {
    {"minimum", "must be at least ", [](const Value &value, const Value &bound) { return compare(value, bound) >= 0; }},
    {"exclusiveMinimum", "must be more than ",
     [](const Value &value, const Value &bound) { return compare(value, bound) > 0; }},
    {"maximum", "must be at most ", [](const Value &value, const Value &bound) { return compare(value, bound) <= 0; }},
    {"exclusiveMaximum", "must be less than ",
     [](const Value &value, const Value &bound) { return compare(value, bound) < 0; }},
    {"multipleOf", "must be a multiple of ", isMultiple},
};

struct Number final : Check {
    const Value &bound;
    bool (*test)(const Value &value, const Value &bound);

    Number(const Value &bound, const Bound &kind) : bound(bound), test(kind.test) {
        message = kind.words + dump(bound);
    }

    bool accepts(const Value &value) const override { return !value.isNumber() || test(value, bound); }
};

// A bound of the size of a string, an array, or an object.
struct Limit {
    const char *keyword;
    Kind kind;
    bool isMinimum;
    const char *one, *many;
};

constexpr Limit limits[] = {
    {"minLength", Kind::string, true, "character", "characters"},
    {"maxLength", Kind::string, false, "character", "characters"},
    {"minItems", Kind::array, true, "element", "elements"},
    {"maxItems", Kind::array, false, "element", "elements"},
    {"minProperties", Kind::object, true, "property", "properties"},
    {"maxProperties", Kind::object, false, "property", "properties"},
};

struct Size final : Check {
    const Limit &limit;
    uint64_t count;

    Size(const Value &number, const Limit &limit) : limit(limit), count(natural(number)) {
        message = counted(limit.isMinimum ? "must have at least " : "must have at most ", count, limit.one, limit.many);
    }

    bool accepts(const Value &value) const override {
        if (value.kind != limit.kind) { return true; }
        const size_t size = value.isString() ? characters(value.text()) : value.size;
        return limit.isMinimum ? size >= count : size <= count;
    }

private:
    // 3.0 is an integer, too. A limit that no value reaches may as well be the greatest.
    static uint64_t natural(const Value &number) {
        switch (number.kind) {
        case Kind::integer: return uint64_t(number.integer);
        case Kind::natural: return INT64_MAX;
        default: return uint64_t(std::min(number.real, 9e18));
        }
    }
};

struct Pattern final : Check {
    std::unique_ptr<const RE2> pattern;

    Pattern(std::string_view text, std::unique_ptr<const RE2> pattern) : pattern(std::move(pattern)) {
        message = "must match the pattern " + (text.size() > shownBytes ? "of the schema" : std::string(text));
    }

    bool accepts(const Value &value) const override { return !value.isString() || matches(*pattern, value.text()); }
};

struct Formatted final : Check {
    const Format &format;

    explicit Formatted(const Format &format) : format(format) { message = std::string("must be ") + format.words; }

    bool accepts(const Value &value) const override { return !value.isString() || format.accepts(value.text()); }
};

}  // namespace

Checks makeChecks(const Value &schema, std::vector<std::pair<const char *, std::string>> &faults) {
    Checks checks;
    if (auto *value = schema.find("const")) { checks.push_back(std::make_unique<Constant>(*value)); }
    if (auto *value = schema.find("enum")) { checks.push_back(std::make_unique<Enumeration>(*value)); }
    for (const Bound &bound : bounds) {
        if (auto *value = schema.find(bound.keyword)) { checks.push_back(std::make_unique<Number>(*value, bound)); }
    }
    for (const Limit &limit : limits) {
        if (auto *value = schema.find(limit.keyword)) { checks.push_back(std::make_unique<Size>(*value, limit)); }
    }
    if (auto *value = schema.find("pattern")) {
        std::string reason;
        if (auto pattern = compilePattern(value->text(), reason)) {
            checks.push_back(std::make_unique<Pattern>(value->text(), std::move(pattern)));
        } else {
            faults.emplace_back("pattern", patternFault(reason));
        }
    }
    if (auto *value = schema.find("format")) {
        if (auto *format = findFormat(value->text())) { checks.push_back(std::make_unique<Formatted>(*format)); }
    }
    return checks;
}

}  // namespace schema
