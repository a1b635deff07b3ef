// jq's library seen from Swift: a program, an input, its answers. jq's own values are counted by hand and stay in here.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cjq_program cjq_program;

// A compiled program, or NULL and what jq says about it in `*message`, which is the caller's to free.
cjq_program *cjq_compile(const char *text, char **message);
void cjq_free(cjq_program *program);

// Begins an evaluation; 0, or -1 if the input is not JSON for jq. What an evaluation before has left is dropped, which
// jq survives only if that one came to its end: see `cjq_next`.
int cjq_start(cjq_program *program, const char *bytes, int size);

enum cjq_outcome {
    cjq_answer,
    cjq_end,
    // Its own message is in `*bytes`.
    cjq_error,
    // An answer that is nested more deeply than `depth`.
    cjq_too_deep,
};

// The next answer as JSON on one line. `*bytes` is valid until the next call.
//
// To be called until it says something else than `cjq_answer`: jq 1.6 aborts the process when it is asked to begin anew, or is
// freed, within a `path(…)` that has more to give.
enum cjq_outcome cjq_next(cjq_program *program, int depth, const char **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
