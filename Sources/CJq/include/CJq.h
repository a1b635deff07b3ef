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

// All programs in one, so that jq compiles its own library once: an input `{"p": index, "n": most, "i": input}` gives at most
// `most` answers of the program at `index`. The caller's to free.
char *cjq_together(const char *const *texts, int count);

// MARK: The worker, which runs a reactor's programs in a process of their own

// What is asked of a worker: a byte that says which, after the length of what follows it (4 bytes, lowest first).
enum cjq_request {
    // JSON: {"programs": [text], "rules": [{"when"?, "mutation"?, "execute"?, "input"?, "element"?, "failure"?: program}],
    // "merges": [program], "reduce": program, "state": value, "stateBytes": most, "depth": most}
    cjq_setup = 1,
    // JSON: the action.
    cjq_action = 2,
    // The rule, the length of the action (4 bytes each), the action, the element of its execution.
    cjq_element = 3,
    // As an element: how an execution failed.
    cjq_failure = 4,
    // Which merge, whether it is of a reactor's states (4 bytes each), the value.
    cjq_merge = 5,
    // JSON: a mutation, to be reduced.
    cjq_replay = 6,
};

// What it says to each, framed in the same way.
enum cjq_reply {
    // The length of the mutation (4 bytes), the mutation, the patch from the state before.
    cjq_step = 1,
    // The rule (4 bytes), the input.
    cjq_execution = 2,
    // The stage and the length of the message (4 bytes each), the message, and what it failed on or nothing. Nothing but the
    // end comes after it.
    cjq_fault = 3,
    // Nothing: all is said.
    cjq_done = 4,
};

enum cjq_stage {
    cjq_stage_mutate = 0,
    cjq_stage_reduce = 1,
    cjq_stage_merge = 2,
    cjq_stage_setup = 3,
    // The state would be too large.
    cjq_stage_size = 4,
};

// How a worker leaves: the sum of a cause and the stage it was in; or 0, to be started anew because it has grown.
enum cjq_exit {
    cjq_exit_time = 64,
    cjq_exit_memory = 72,
    // jq has aborted.
    cjq_exit_abort = 80,
    // A fault of the processor: jq has recursed too deeply, most likely.
    cjq_exit_crash = 88,
};

// Operations as a JSON array that make one list into another, whose first elements are `start` places into the array at `path`.
// The answer is freed with `free`.
typedef char *(*cjq_lists)(
    const char *path, size_t path_size, int start, const char *before, size_t before_size, const char *after, size_t after_size);

struct cjq_limits {
    // Bytes of memory above what the process has at its start.
    long memory;
    // Milliseconds of the processor for one request.
    int time;
    // The process that started it; when that is gone the worker is, too.
    int parent;
};

// Serves at a descriptor until its other end is closed. Does not return.
_Noreturn void cjq_serve(int descriptor, struct cjq_limits limits, cjq_lists lists);

#ifdef __cplusplus
}
#endif
