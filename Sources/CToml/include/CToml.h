// toml++ seen from Swift. It exists because toml++ is C++ templates, and because TOMLKit, which wraps it too, links all
// of Foundation and keeps to itself what messages about a configuration need most: the line of every key.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CTomlDocument CTomlDocument;
typedef struct CTomlNode CTomlNode;

typedef enum {
    CTomlTable,
    CTomlArray,
    CTomlString,
    CTomlInteger,
    CTomlFloat,
    CTomlBoolean,
    CTomlDate,
    CTomlTime,
    CTomlDateTime,
} CTomlKind;

// What is wrong with a text, and on which line, from 1.
typedef struct {
    char message[256];
    uint32_t line;
} CTomlFault;

// NULL, with `fault` filled in, for a text that is not TOML. The text is not needed afterwards. No function here
// throws.
CTomlDocument *CTomlParse(const char *text, size_t length, CTomlFault *fault);
void CTomlFree(CTomlDocument *document);

// Nodes live as long as their document.
const CTomlNode *CTomlRoot(const CTomlDocument *document);
CTomlKind CTomlKindOf(const CTomlNode *node);
// Where the value begins; for a table with a header of its own, the header.
uint32_t CTomlLineOf(const CTomlNode *node);

// Each reads a node of the kind it names.
const char *CTomlStringOf(const CTomlNode *node, size_t *length);
int64_t CTomlIntegerOf(const CTomlNode *node);
double CTomlFloatOf(const CTomlNode *node);
bool CTomlBooleanOf(const CTomlNode *node);

// The most bytes of a time, with the NUL at its end.
enum { CTomlTimeBytes = 64 };
// Writes a date, a time, or a date-time in the form of RFC 3339, with a NUL, and returns its length. `size` is at least
// CTomlTimeBytes.
size_t CTomlTimeOf(const CTomlNode *node, char *text, size_t size);

// Calls `body` for each member of a table, with its key and the key's line, or each element of an array, with none.
typedef void (*CTomlVisitor)(
    void *context, const char *key, size_t length, uint32_t line, const CTomlNode *value);
void CTomlForEach(const CTomlNode *node, void *context, CTomlVisitor body);

#ifdef __cplusplus
}
#endif
