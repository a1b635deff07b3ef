// A Swift interface to jq's library: a program, an input, its answers. jq values are reference counted manually and
// stay inside.
#pragma once

#include "CJqStream.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cjq_program cjq_program;

// Compiles a program. Returns NULL on failure, with jq's message in `*message`, which the caller must free.
cjq_program *cjq_compile(const char *text, char **message);
void cjq_free(cjq_program *program);

// Begins an evaluation. Returns 0, or -1 if jq does not accept the input as JSON. Discards the rest of a previous
// evaluation, which jq survives only if that one ran to its end: see `cjq_next`.
int cjq_start(cjq_program *program, const char *bytes, int size);

enum cjq_outcome {
    cjq_answer,
    cjq_end,
    // jq's message is in `*bytes`.
    cjq_error,
    // The answer is nested more deeply than `depth`.
    cjq_too_deep,
};

// Returns the next answer as JSON on one line. `*bytes` is valid until the next call.
//
// Call it until it returns something other than `cjq_answer`: jq 1.6 aborts the process if it is restarted or freed
// within a `path(…)` that has more answers.
enum cjq_outcome cjq_next(cjq_program *program, int depth, const char **bytes, size_t *size);

// Combines all programs into one, so that jq compiles its own library once: for an input
// `{"p": index, "n": most, "i": input}` it gives at most `most` answers of the program at `index`. The caller must free
// the result.
char *cjq_together(const char *const *texts, int count);

// MARK: The worker, which runs a reactor's programs in a process of their own

// A request to a worker: the length of its content (4 bytes, little endian), a byte with the kind, and the content.
enum cjq_request {
    // JSON: {"programs": [text],
    // "rules": [{"when"?, "refuse"?, "mutation"?, "execute"?, "input"?, "element"?, "failure"?: program}],
    // "ignores": whether an action that no rule takes is ignored, not refused; without rules, it is a mutation,
    // "merges": [program], "reduce": program, "state": value, "stateBytes": most, "depth": most}
    cjq_setup = 1,
    // JSON: the action.
    cjq_action = 2,
    // The rule, the length of the action (4 bytes each), the action, the element of its execution.
    cjq_element = 3,
    // Like an element: the failure of an execution.
    cjq_failure = 4,
    // The merge, whether it is of a reactor's states (4 bytes each), the value.
    cjq_merge = 5,
    // JSON: a mutation to reduce.
    cjq_replay = 6,
};

// A reply, framed like a request.
enum cjq_reply {
    // The length of the mutation (4 bytes), the mutation, the patch from the previous state.
    cjq_step = 1,
    // The rule (4 bytes), the input.
    cjq_execution = 2,
    // The stage, the place (three numbers, see `cjq_part`), whether the message comes from a program, and the length of
    // the message (4 bytes each), the message, and the failed input or nothing. Only `cjq_done` follows.
    cjq_fault = 3,
    // Empty: the last reply to a request.
    cjq_done = 4,
    // The place (three numbers, see `cjq_part`): the last reply of a worker that a limit ends within a program.
    cjq_place = 5,
    // The place of the rule that refuses the action, or none if no rule takes it, and the text of that rule. Nothing
    // has been reduced; only `cjq_done` follows.
    cjq_refusal = 6,
};

// A place is the part of the reactor (`cjq_part`), its index in `rules` or `merges`, and the program
// (`cjq_part_program`).
enum cjq_part {
    cjq_part_none = 0,
    cjq_part_rule = 1,
    cjq_part_merge = 2,
};

enum cjq_part_program {
    cjq_program_none = 0,
    cjq_program_when = 1,
    cjq_program_mutation = 2,
    cjq_program_input = 3,
    cjq_program_element = 4,
    cjq_program_failure = 5,
    cjq_program_reduce = 6,
    cjq_program_refuse = 7,
};

enum cjq_stage {
    cjq_stage_mutate = 0,
    cjq_stage_reduce = 1,
    cjq_stage_merge = 2,
    cjq_stage_setup = 3,
    // The state would exceed its limit.
    cjq_stage_size = 4,
};

// The exit status of a worker: the sum of a cause and the stage, or 0 if it has grown and must be restarted.
enum cjq_exit {
    cjq_exit_time = 64,
    cjq_exit_memory = 72,
    // jq has aborted.
    cjq_exit_abort = 80,
    // A processor fault, most likely because jq has recursed too deeply.
    cjq_exit_crash = 88,
};

// Returns operations, as a JSON array, that change one list into another. The first element of the lists is at index
// `start` of the array at `path`. The result is freed with `free`.
typedef char *(*cjq_lists)(
    const char *path, size_t path_size, int start, const char *before, size_t before_size,
    const char *after, size_t after_size);

struct cjq_limits {
    // Bytes of memory above the size of the process at its start.
    long memory;
    // Milliseconds of processor time for one request.
    int time;
    // The process that started the worker; the worker ends with it.
    int parent;
};

// Serves a descriptor until its other end is closed. Does not return.
_Noreturn void cjq_serve(int descriptor, struct cjq_limits limits, cjq_lists lists);

#ifdef __cplusplus
}
#endif
