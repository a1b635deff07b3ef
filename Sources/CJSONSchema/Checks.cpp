#include "Checks.hpp"

#include "Formats.hpp"

#include <algorithm>
#include <functional>

namespace schema {

namespace {

// A message shows at most so many bytes of a schema's values: it goes to terminals and journals.
constexpr size_t shownBytes = 200;

std::string shown(const Json &value) {
    std::string text = value.dump();
    if (text.size() <= shownBytes) { return text; }
    size_t end = shownBytes;
    while ((text[end] & 0xC0) == 0x80) { --end; }
    return text.substr(0, end) + "…";
}

struct Enumeration : Check {
    // In the order of `compare`.
    std::vector<Json> values;

    explicit Enumeration(const Json &list) : values(list.begin(), list.end()) {
        choice = true;
        message = "must be one of ";
        size_t begin = message.size();
        for (const Json &value : list) {
            if (message.size() > begin) { message += ", "; }
            if (message.size() > begin + shownBytes) {
                message += "…";
                break;
            }
            message += shown(value);
        }
        if (list.empty()) { message = "is not allowed: \"enum\" has no values"; }
        std::sort(values.begin(), values.end(), [](const Json &a, const Json &b) { return compare(a, b) < 0; });
    }

    bool accepts(const Json &value) const override {
        return std::binary_search(
            values.begin(), values.end(), value, [](const Json &a, const Json &b) { return compare(a, b) < 0; });
    }
};

struct Constant : Check {
    Json constant;

    explicit Constant(const Json &constant) : constant(constant) {
        choice = true;
        message = "must be " + shown(constant);
    }

    bool accepts(const Json &value) const override { return compare(value, constant) == 0; }
};

struct Number : Check {
    Json bound;
    bool (*test)(const Json &value, const Json &bound);

    Number(const Json &bound, const char *words, bool (*test)(const Json &, const Json &)) : bound(bound), test(test) {
        message = words + bound.dump();
    }

    bool accepts(const Json &value) const override { return !value.is_number() || test(value, bound); }
};

struct Pattern : Check {
    std::unique_ptr<const RE2> pattern;

    Pattern(const std::string &text, std::unique_ptr<const RE2> pattern) : pattern(std::move(pattern)) {
        message = "must match the pattern " + (text.size() > shownBytes ? "of the schema" : text);
    }

    bool accepts(const Json &value) const override {
        return !value.is_string() || matches(*pattern, value.get_ref<const std::string &>());
    }
};

struct Formatted : Check {
    const Format &format;

    explicit Formatted(const Format &format) : format(format) { message = std::string("must be ") + format.words; }

    bool accepts(const Json &value) const override {
        return !value.is_string() || format.accepts(value.get_ref<const std::string &>());
    }
};

struct Bound {
    const char *keyword;
    const char *words;
    bool (*test)(const Json &value, const Json &bound);
};

constexpr Bound bounds[] = {
    {"minimum", "must be at least ", [](const Json &value, const Json &bound) { return compare(value, bound) >= 0; }},
    {"exclusiveMinimum", "must be more than ",
     [](const Json &value, const Json &bound) { return compare(value, bound) > 0; }},
    {"maximum", "must be at most ", [](const Json &value, const Json &bound) { return compare(value, bound) <= 0; }},
    {"exclusiveMaximum", "must be less than ",
     [](const Json &value, const Json &bound) { return compare(value, bound) < 0; }},
    {"multipleOf", "must be a multiple of ", isMultiple},
};

}  // namespace

Checks makeChecks(const Json &schema, std::vector<std::pair<const char *, std::string>> &faults) {
    Checks checks;
    auto given = [&](const char *keyword, auto make) {
        auto found = schema.find(keyword);
        if (found == schema.end()) { return; }
        if (std::unique_ptr<const Check> check = make(*found)) { checks.push_back(std::move(check)); }
    };
    given("const", [](const Json &value) { return std::make_unique<Constant>(value); });
    given("enum", [](const Json &value) { return std::make_unique<Enumeration>(value); });
    for (const Bound &bound : bounds) {
        given(bound.keyword, [&](const Json &value) {
            return std::make_unique<Number>(value, bound.words, bound.test);
        });
    }
    given("pattern", [&](const Json &value) -> std::unique_ptr<const Check> {
        std::string fault;
        auto &text = value.get_ref<const std::string &>();
        auto pattern = compilePattern(text, fault);
        if (pattern) { return std::make_unique<Pattern>(text, std::move(pattern)); }
        faults.emplace_back("pattern", "is no pattern that can be matched in linear time: " + fault);
        return nullptr;
    });
    given("format", [](const Json &value) -> std::unique_ptr<const Check> {
        const Format *format = findFormat(value.get_ref<const std::string &>());
        return format ? std::make_unique<Formatted>(*format) : nullptr;
    });
    return checks;
}

}  // namespace schema
