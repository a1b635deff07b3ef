// JSON Schema, draft 7, seen from Swift. It exists because valijson and RE2 are C++. valijson reads schemas; what it says
// about inputs has no pointers and its patterns run on std::regex, which a hostile input can make overflow the stack, so
// the visitor that looks at inputs is ours (Evaluation.cpp) and patterns are RE2's, linear in the input.
//
// Read in this order: Values, Patterns, Formats, Checks, Compiler (a schema text to valijson's model), Evaluation,
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

// Told of one violation: the JSON Pointer of the place (UTF-8, not terminated) and what is wrong with it.
typedef void (*CJSONSchemaReport)(
    void *context, const char *path, size_t pathLength, const char *message, size_t messageLength);

// How many violations of one text are told; a last one, of the whole text, says when there are more. A person mends a
// few at a time, and a hostile input must not buy a large answer.
enum { CJSONSchemaViolationLimit = 100 };

// NULL, with the schema's faults told, for a text that is no schema. Fetches nothing: a reference out of the text is a
// fault. `text` is not needed afterwards. No function here throws.
CJSONSchema *CJSONSchemaCompile(const char *text, size_t length, void *context, CJSONSchemaReport report);
void CJSONSchemaFree(CJSONSchema *schema);

// Whether the text, one JSON value, is valid against the schema; violations are told in the order of their paths.
bool CJSONSchemaValidate(
    const CJSONSchema *schema, const char *text, size_t length, void *context, CJSONSchemaReport report);

// Whether the schema marks anything `"writeOnly": true`.
bool CJSONSchemaHasSecrets(const CJSONSchema *schema);

// Tells the places of the text that the schema marks so, wherever that may apply; one inside another is left out. False
// if they could not all be found: then the whole text must count as one.
bool CJSONSchemaFindSecrets(
    const CJSONSchema *schema, const char *text, size_t length, void *context, CJSONSchemaReport report);

#ifdef __cplusplus
}
#endif
