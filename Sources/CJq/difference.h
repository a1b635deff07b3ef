// The difference between two jq values as operations of RFC 6902. Its cost follows the change: shared parts are not
// compared.
#pragma once

#include "program.h"

struct cjq_difference {
    // The operations so far, an array.
    jv operations;
    // The approximate length of the operations as JSON.
    long bytes;
    // The JSON length of the new value minus that of the old one.
    long growth;
    // The location of the comparison, as a JSON Pointer.
    char *path;
    size_t path_length;
    size_t path_capacity;
    // Set if the new value is nested more deeply than `depth`; the operations are then invalid.
    int too_deep;
    int depth;
    cjq_lists lists;
};

void cjq_difference_begin(struct cjq_difference *difference, int depth, cjq_lists lists);
void cjq_difference_end(struct cjq_difference *difference);

// Compares two values, which remain the caller's.
void cjq_compare(struct cjq_difference *difference, jv before, jv after);

// The length of a value as JSON, without counting escapes in strings. Stops counting at `limit`.
long cjq_bytes(jv value, long limit);
