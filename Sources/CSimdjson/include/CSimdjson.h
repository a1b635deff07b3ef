// simdjson seen from Swift. It exists because simdjson is C++ templates, and because RxJSON wants what the
// library keeps to itself: where each value begins in the text, so that a value can be handed on as it was written.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CSimdjsonParser CSimdjsonParser;

// The places of one text: offsets of every brace, bracket, colon and comma and of the first byte of every
// scalar, in order. starts[count] is the length of the text. Valid until the parser's next call.
typedef struct {
    const uint32_t *starts;
    uint32_t count;
    bool escapes;  // there is a backslash somewhere
} CSimdjsonPlaces;

typedef enum {
    CSimdjsonAccepted,
    CSimdjsonEmpty,
    CSimdjsonEncoding,
    CSimdjsonDepth,
    CSimdjsonMemory,
    CSimdjsonSyntax,
    CSimdjsonNumber,  // a fault in a number: of syntax or out of range, simdjson does not distinguish them
} CSimdjsonOutcome;

// NULL when memory is short. No function here throws.
CSimdjsonParser *CSimdjsonParserCreate(size_t maximumDepth);
void CSimdjsonParserDestroy(CSimdjsonParser *parser);

// Checks the whole text, which must be followed by `CSimdjsonPadding` readable bytes. `places` is filled in when the
// text is accepted, and also when it is refused for a number: then the places are there, but whoever wants to use them
// must make sure that the rest of the text is right.
CSimdjsonOutcome CSimdjsonParse(CSimdjsonParser *parser, const uint8_t *text, size_t length, CSimdjsonPlaces *places);

enum { CSimdjsonPadding = 64 };

#ifdef __cplusplus
}
#endif
