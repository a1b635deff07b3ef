#define SIMDJSON_EXCEPTIONS 0
#include "Document.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <simdjson.h>
#include <vector>

namespace schema {

using simdjson::dom::element;
using simdjson::dom::element_type;

struct Document::Tables {
    simdjson::dom::parser parser;
    simdjson::dom::document strings;
    // Children of the arrays and objects that are being built, the innermost last.
    std::vector<Value> values;
    std::vector<Member> members;
};

// simdjson lets an escaped low surrogate through that has no high one before it. Encoded, they begin so.
static bool hasLoneSurrogate(std::string_view text) {
    for (size_t at = 0; at + 1 < text.size(); ++at) {
        if (text[at] == '\xED' && static_cast<unsigned char>(text[at + 1]) >= 0xA0) { return true; }
    }
    return false;
}

// Makes values of simdjson's elements. Recursive: the parser bounds the depth.
struct Builder {
    Document &document;
    const bool hasEscapes;
    bool isRight = true;

    Value build(element from) {
        Value value;
        switch (from.type()) {
        case element_type::NULL_VALUE: break;
        case element_type::BOOL:
            value.kind = Kind::boolean;
            value.truth = from.get_bool().value_unsafe();
            break;
        case element_type::INT64:
            value.kind = Kind::integer;
            value.integer = from.get_int64().value_unsafe();
            break;
        case element_type::UINT64:
            value.kind = Kind::natural;
            value.natural = from.get_uint64().value_unsafe();
            break;
        case element_type::DOUBLE:
            value.kind = Kind::real;
            value.real = from.get_double().value_unsafe();
            break;
        case element_type::STRING: value = Value(checked(from.get_string().value_unsafe())); break;
        case element_type::ARRAY: buildArray(from, value); break;
        case element_type::OBJECT: buildObject(from, value); break;
        }
        return value;
    }

private:
    std::string_view checked(std::string_view text) {
        if (hasEscapes && hasLoneSurrogate(text)) { isRight = false; }
        return text;
    }

    void buildArray(element from, Value &value) {
        auto &values = document.tables->values;
        const size_t first = values.size();
        const simdjson::dom::array array = from.get_array().value_unsafe();
        for (element child : array) { values.push_back(build(child)); }
        value.kind = Kind::array;
        value.size = uint32_t(values.size() - first);
        value.list = keep(values, first);
    }

    void buildObject(element from, Value &value) {
        auto &members = document.tables->members;
        const size_t first = members.size();
        const simdjson::dom::object object = from.get_object().value_unsafe();
        for (auto field : object) {
            members.push_back({checked(field.key), build(field.value)});
        }
        order(members, first);
        value.kind = Kind::object;
        value.size = uint32_t(members.size() - first);
        value.table = keep(members, first);
    }

    // By key; of members with the same key only the last is left.
    static void order(std::vector<Member> &members, size_t first) {
        auto precedes = [](const Member &one, const Member &other) {
            int found = one.key.compare(other.key);
            // Keys lie in memory in the order of the text.
            return found < 0 || (found == 0 && one.key.data() < other.key.data());
        };
        auto begin = members.begin() + ptrdiff_t(first);
        if (!std::is_sorted(begin, members.end(), precedes)) { std::sort(begin, members.end(), precedes); }
        auto kept = begin;
        for (auto member = begin; member != members.end(); ++member) {
            if (member + 1 != members.end() && (member + 1)->key == member->key) { continue; }
            if (kept != member) { *kept = *member; }
            ++kept;
        }
        members.erase(kept, members.end());
    }

    // Moves the end of `items`, from `first` on, to the document.
    template <typename Item> const Item *keep(std::vector<Item> &items, size_t first) {
        const size_t count = items.size() - first;
        if (count == 0) { return nullptr; }
        auto *kept = static_cast<Item *>(document.arena.allocate(count * sizeof(Item), alignof(Item)));
        std::uninitialized_copy(items.begin() + ptrdiff_t(first), items.end(), kept);
        items.erase(items.begin() + ptrdiff_t(first), items.end());
        return kept;
    }
};

// Puts a fraction of zero behind each integer that simdjson refuses because it does not fit in 64 bits. False if there
// is none.
static bool widenIntegers(std::string_view text, std::string &widened) {
    bool isChanged = false, inString = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char character = text[at];
        if (inString) {
            widened += character;
            inString = character != '"';
            if (character == '\\' && at + 1 < text.size()) { widened += text[++at]; }
            continue;
        }
        if (character != '-' && (character < '0' || character > '9')) {
            widened += character;
            inString = character == '"';
            continue;
        }
        const size_t end = std::min(text.find_first_not_of("0123456789+-.eE", at), text.size());
        const std::string_view number = text.substr(at, end - at);
        widened += number;
        at = end - 1;
        int64_t integer;
        uint64_t natural;
        auto overflows = [&](auto &value) {
            auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
            return stop == number.data() + number.size() && error == std::errc::result_out_of_range;
        };
        if (character == '-' ? overflows(integer) : overflows(natural)) {
            widened += ".0";
            isChanged = true;
        }
    }
    return isChanged;
}

Document::Document() : tables(std::make_unique<Tables>()) {}
Document::~Document() = default;

const Value *Document::read(std::string_view text) {
    if (!tables) { tables = std::make_unique<Tables>(); }
    root = Value();
    tables->values.clear();
    tables->members.clear();
    arena.release();
    if (text.empty()) { return nullptr; }
    element top;
    auto parse = [&](std::string_view text) {
        return tables->parser.parse_into_document(tables->strings, text.data(), text.size()).get(top);
    };
    auto error = parse(text);
    std::string widened;
    if (error == simdjson::NUMBER_ERROR && widenIntegers(text, widened)) { error = parse(widened); }
    if (error == simdjson::MEMALLOC || error == simdjson::CAPACITY) { throw std::bad_alloc(); }
    if (error) { return nullptr; }
    Builder builder{*this, std::memchr(text.data(), '\\', text.size()) != nullptr};
    root = builder.build(top);
    return builder.isRight ? &root : nullptr;
}

void Document::finishReading() {
    strings = std::move(tables->strings.string_buf);
    tables.reset();
}

}  // namespace schema
