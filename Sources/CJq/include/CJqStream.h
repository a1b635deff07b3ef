// The programs of streams. The daemon evaluates them in a worker, tests of a configuration in their own process; both
// call `cjq_stream_evaluate`, so that the results are the same.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: A program

enum cjq_stream_use {
    cjq_use_one = 0,
    cjq_use_many = 1,
    cjq_use_condition = 2,
};

enum cjq_stream_limit {
    // The most results for one input.
    cjq_most_results = 1000,
    // The most bytes of all results for one input: what a stream buffers.
    cjq_most_result_bytes = 16 << 20,
    // The most bytes of a message.
    cjq_most_message_bytes = 1024,
};

struct cjq_text {
    const char *start;
    size_t size;
};

struct cjq_stream_definition {
    // As the operator wrote it, for messages.
    const char *text;
    // What is evaluated: it ends after one result more than `cjq_most_results`. A condition has results only if it
    // holds, and at most `cjq_most_results`.
    const char *evaluated;
    enum cjq_stream_use use;
    // Whether the input of `evaluated` is [value, time, key, from]; otherwise it is the value.
    int has_context;
    // The deepest result.
    int depth;
};

// All but the value are used only with a context. An empty text is null.
struct cjq_stream_input {
    struct cjq_text value;
    // Seconds since 1970.
    double time;
    struct cjq_text key;
    struct cjq_text from;
};

enum cjq_stream_result {
    // A condition holds, or does not.
    cjq_result_true = 1,
    cjq_result_false = 2,
    // For each result its length (4 bytes, little endian) and its text.
    cjq_result_values = 3,
    // A message on one line.
    cjq_result_failed = 4,
};

typedef struct cjq_stream_program cjq_stream_program;

// Compiles a program, which takes about 16 ms. One that is not valid fails for each input with jq's message. NULL
// without memory.
cjq_stream_program *cjq_stream_compile(struct cjq_stream_definition definition);
void cjq_stream_free(cjq_stream_program *program);

// jq's message if the program is not valid; otherwise NULL.
const char *cjq_stream_fault(const cjq_stream_program *program);
int cjq_stream_has_context(const cjq_stream_program *program);

// Evaluates a program. `*content` is valid until the next call.
enum cjq_stream_result cjq_stream_evaluate(
    cjq_stream_program *program, struct cjq_stream_input input, struct cjq_text *content);

// MARK: The worker, which runs programs of all streams in a process of its own

// The programs that a worker keeps.
enum { cjq_stream_slots = 256 };

// A request, framed like those of reactors (`cjq_request`).
enum cjq_stream_request {
    // The slot, the use, whether there is a context, the depth, the length of the text (4 bytes each), the text, and
    // the text that is evaluated, both with a final NUL. It replaces the program in the slot.
    cjq_stream_program_request = 1,
    // The slot, the number of inputs (4 bytes each), and the inputs: the length of the value (4 bytes), and the value.
    // With a context the lengths of the key and of `from` (4 bytes each) and the bits of the time (8 bytes) follow the
    // first length, and these texts the value.
    cjq_stream_run_request = 2,
};

// The reply to each input is a `cjq_stream_result` with its content. Others are:
enum cjq_stream_reply {
    // The reply to a program.
    cjq_stream_compiled = 5,
    // In place of all further results of a request, of which there is at least one: they would take long.
    cjq_stream_paused = 6,
};

struct cjq_limits;

// Serves a descriptor until its other end is closed. `cjq_limits.time` is for each input and for each compilation. A
// request is paused after an eighth of it at the latest, once the input that is being evaluated then has its result.
_Noreturn void cjq_serve_streams(int descriptor, struct cjq_limits limits);

#ifdef __cplusplus
}
#endif
