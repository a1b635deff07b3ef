#define SIMDJSON_EXCEPTIONS 0
#include "CSimdjson.h"

#include <cstring>
#include <new>
#include <simdjson.h>

static_assert(simdjson::SIMDJSON_PADDING <= CSimdjsonPadding, "the promise of the header is too small");

// Tables cost about 14 bytes per byte of text. They start at the size of one page of text and double when needed.
static constexpr size_t smallestCapacity = 4096;
// Larger tables than for this much text, the read buffer of a loop, are given back once a text comes that does not
// need them, so that one large message is not paid for ever after.
static constexpr size_t keptCapacity = 65536;

struct CSimdjsonParser {
    simdjson::dom::parser parser;
    size_t maximumDepth = 0;
    size_t capacity = 0;

    bool prepare(size_t length) noexcept {
        bool fits = length < capacity;
        if (fits && (capacity <= keptCapacity || length >= keptCapacity)) { return true; }
        size_t wanted = smallestCapacity;
        while (wanted <= length) { wanted *= 2; }
        capacity = 0;
        if (parser.doc.allocate(wanted) || parser.allocate(wanted, maximumDepth)) { return false; }
        capacity = wanted;
        return true;
    }
};

static inline bool endsScalar(uint8_t byte) {
    return byte == ',' || byte == '}' || byte == ']' || byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// Whether `at` begins a true, false, null or an integer that surely fits, and nothing else follows it before `last`,
// the text's last byte, which is no part of it.
static inline bool isPlainScalar(const uint8_t *at, const uint8_t *last) {
    size_t left = size_t(last - at);
    switch (*at) {
    case 't': return left >= 4 && std::memcmp(at, "true", 4) == 0 && endsScalar(at[4]);
    case 'f': return left >= 5 && std::memcmp(at, "false", 5) == 0 && endsScalar(at[5]);
    case 'n': return left >= 4 && std::memcmp(at, "null", 4) == 0 && endsScalar(at[4]);
    default: break;
    }
    if (*at == '-') { at++; }
    const uint8_t *digits = at;
    while (at < last && uint8_t(*at - '0') < 10) { at++; }
    size_t count = size_t(at - digits);
    return count > 0 && count <= 18 && (*digits != '0' || count == 1) && endsScalar(*at);
}

// Whether the text, an object or an array without a backslash that the first stage has gone through, is surely valid:
// walks the grammar from place to place. Nothing else is left to check: the first stage has checked the encoding, the
// ends of strings, and forbidden characters in them. The second stage checks the same and writes a tape that nobody
// reads here; it runs only for texts that are not plain.
static bool isPlain(
    const uint8_t *text, size_t length, const uint32_t *starts, uint32_t count, size_t maximumDepth
) {
    const uint8_t *last = text + length - 1;
    // White space behind the text is rare, and what ends in the midst of something is not plain.
    if (*last != '}' && *last != ']') { return false; }
    // One bit for each level that is open, the innermost the lowest: set in an object.
    uint64_t objects = 0;
    size_t depth = 0;
    const size_t deepest = maximumDepth < 64 ? maximumDepth : 64;
    const uint32_t *place = starts, *const end = starts + count;
    while (place < end) {
        const uint8_t *at = text + *place++;
        // A value.
        if (*at == '{' || *at == '[') {
            if (place == end || ++depth >= deepest) { return false; }
            bool isObject = *at == '{';
            objects = objects << 1 | isObject;
            if (text[*place] != (isObject ? '}' : ']')) {
                if (!isObject) { continue; }
                if (end - place < 2 || text[place[0]] != '"' || text[place[1]] != ':') { return false; }
                place += 2;
                continue;
            }
        } else if (depth == 0 || (*at != '"' && !isPlainScalar(at, last))) {
            return false;
        }
        // What follows a value: a comma, or ends.
        for (;;) {
            if (place == end) { return false; }
            uint8_t next = text[*place++];
            if (next == ',') {
                if (!(objects & 1)) { break; }
                if (end - place < 2 || text[place[0]] != '"' || text[place[1]] != ':') { return false; }
                place += 2;
                break;
            }
            if (next != (objects & 1 ? '}' : ']')) { return false; }
            objects >>= 1;
            if (--depth == 0) { return place == end; }
        }
    }
    return false;
}

CSimdjsonParser *CSimdjsonParserCreate(size_t maximumDepth) {
    auto *created = new (std::nothrow) CSimdjsonParser();
    // simdjson stops one level before its limit.
    if (created) { created->maximumDepth = maximumDepth + 1; }
    return created;
}

void CSimdjsonParserDestroy(CSimdjsonParser *parser) { delete parser; }

CSimdjsonOutcome CSimdjsonParse(CSimdjsonParser *parser, const uint8_t *text, size_t length, CSimdjsonPlaces *places) {
    *places = {nullptr, 0, false};
    if (length == 0) { return CSimdjsonEmpty; }
    if (!parser->prepare(length)) { return CSimdjsonMemory; }
    auto &implementation = *parser->parser.implementation;
    bool escapes = std::memchr(text, '\\', length) != nullptr;
    auto error = implementation.stage1(text, length, simdjson::stage1_mode::regular);
    if (!error && (escapes || !isPlain(text, length, implementation.structural_indexes.get(),
                                       implementation.n_structural_indexes, parser->maximumDepth))) {
        error = implementation.stage2(parser->parser.doc);
    }
    switch (error) {
    case simdjson::SUCCESS:
    case simdjson::NUMBER_ERROR: break;
    case simdjson::EMPTY: return CSimdjsonEmpty;
    case simdjson::UTF8_ERROR: return CSimdjsonEncoding;
    case simdjson::DEPTH_ERROR: return CSimdjsonDepth;
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY: return CSimdjsonMemory;
    default: return CSimdjsonSyntax;
    }
    uint32_t count = implementation.n_structural_indexes;
    // The tables have room for this one more; the first stage sets it too, but does not promise to.
    implementation.structural_indexes[count] = uint32_t(length);
    places->starts = implementation.structural_indexes.get();
    places->count = count;
    places->escapes = escapes;
    return error ? CSimdjsonNumber : CSimdjsonAccepted;
}
