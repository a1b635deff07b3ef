// The declarations that the files of this target share; CJq.h is the public header.
#pragma once

#include "CJq.h"

#include <jq.h>
#include <signal.h>

// Whether jq has got no memory, in any thread of the process.
extern volatile sig_atomic_t cjq_is_out_of_memory;

struct cjq_program {
    jq_state *jq;
    jq_util_input_state *no_inputs;
    // The text returned last.
    jv text;
};

// Whether `value`, which remains the caller's, is nested at most `depth` deep. jq itself recurses without a limit.
int cjq_is_within(jv value, int depth);

// The message of the error that ended an evaluation, where `last` is the last value of `jq_next`: a thrown string
// unchanged, anything else as JSON. An invalid value if there was no error. Consumes `last`.
jv cjq_thrown(jq_state *jq, jv last, int depth);

// `cjq_compile` with global variables; consumes `variables`, an object.
cjq_program *cjq_compile_with(const char *text, jv variables, char **message);
