// JSON Schema, draft 7, for Swift. A C interface, since simdjson and RE2 are C++: simdjson reads the texts, RE2 matches
// patterns in time linear in the input.
//
// Read in this order: Value, Document (a text to values), Patterns, Formats (with Times, Hostnames, URI), Checks (the
// keywords that need no other schema), Schema (the compiled form), References (`$id` and `$ref`), Compiler, Evaluation,
// Secrets, CJSONSchema.cpp.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A compiled schema. Never changes: any number of threads may use it at once.
typedef struct CJSONSchema CJSONSchema;

// Receives one violation: the JSON Pointer of the place (UTF-8, not terminated) and what is wrong with it.
typedef void (*CJSONSchemaReport)(
    void *context, const char *path, size_t pathLength, const char *message, size_t messageLength);

// The answer to a question for a document. Unless one of the two functions is called, the document is unknown.
typedef struct CJSONSchemaAnswer CJSONSchemaAnswer;

// Copies the text.
void CJSONSchemaAnswerText(CJSONSchemaAnswer *answer, const char *text, size_t length);
// Copies why the document cannot be had: a verb and what follows, whose subject is the document.
void CJSONSchemaAnswerFailure(CJSONSchemaAnswer *answer, const char *reason, size_t length);

// Asks for the document of a URI, which has no fragment.
typedef void (*CJSONSchemaFind)(void *context, const char *uri, size_t length, CJSONSchemaAnswer *answer);

// How many violations of one text are reported; a last one, of the whole text, stands for all others. A person fixes
// a few at a time, and a hostile input must not buy a large answer.
enum { CJSONSchemaViolationLimit = 100 };

// NULL, with the schema's faults reported, for a text that is not a schema. `base` is the schema's URI; it may be
// empty. Fetches nothing: what the schema refers to must be in the text, known to `find`, or the meta-schema of draft
// 7. `text` is not needed afterwards. No function here throws.
CJSONSchema *CJSONSchemaCompile(
    const char *text, size_t length, const char *base, size_t baseLength, void *context, CJSONSchemaFind find,
    CJSONSchemaReport report);
void CJSONSchemaFree(CJSONSchema *schema);

// Whether the text, one JSON value, is valid against the schema; violations are reported in the order of their paths.
bool CJSONSchemaValidate(
    const CJSONSchema *schema, const char *text, size_t length, void *context, CJSONSchemaReport report);

// Whether the schema marks anything `"writeOnly": true`.
bool CJSONSchemaHasSecrets(const CJSONSchema *schema);

// Reports the places of the text that the schema marks so, wherever the mark may apply; one inside another is left out.
// False if they could not all be found: then the whole text must count as a secret.
bool CJSONSchemaFindSecrets(
    const CJSONSchema *schema, const char *text, size_t length, void *context, CJSONSchemaReport report);

#ifdef __cplusplus
}
#endif
