// The difference between two values of jq's, as operations of RFC 6902, at a cost that follows the change: what both share
// is not looked into.
#pragma once

#include "program.h"

struct cjq_difference {
    // Operations so far: an array.
    jv operations;
    // Of the operations as JSON, about.
    long bytes;
    // By how much the new value's JSON is longer than the old one's.
    long growth;
    // Where the comparison is, as a JSON Pointer.
    char *path;
    size_t path_length;
    size_t path_capacity;
    // Set where the new value is nested more deeply than `depth`; the operations are of no use then.
    int too_deep;
    int depth;
    cjq_lists lists;
};

void cjq_difference_begin(struct cjq_difference *difference, int depth, cjq_lists lists);
void cjq_difference_end(struct cjq_difference *difference);

// `before` and `after` stay the caller's.
void cjq_compare(struct cjq_difference *difference, jv before, jv after);

// How long a value is as JSON, but for the escapes in its strings; counts no further than `limit`.
long cjq_bytes(jv value, long limit);
