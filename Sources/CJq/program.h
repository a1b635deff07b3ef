// The declarations that the files of this target share; CJq.h is the public header.
#pragma once

#include "CJq.h"

#include <jq.h>

struct cjq_program {
    jq_state *jq;
    jq_util_input_state *no_inputs;
    // The text returned last.
    jv text;
};

// Whether `value`, which remains the caller's, is nested at most `depth` deep. jq itself recurses without a limit.
int cjq_is_within(jv value, int depth);
