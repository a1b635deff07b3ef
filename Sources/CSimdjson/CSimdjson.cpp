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
    auto error = implementation.parse(text, length, parser->parser.doc);
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
    places->escapes = std::memchr(text, '\\', length) != nullptr;
    return error ? CSimdjsonNumber : CSimdjsonAccepted;
}
