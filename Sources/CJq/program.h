// What the parts of this target share; CJq.h is what others see.
#pragma once

#include "CJq.h"

#include <jq.h>

struct cjq_program {
    jq_state *jq;
    jq_util_input_state *no_inputs;
    // The text that was handed out last.
    jv text;
};

// Whether `value`, which stays the caller's, is nested no more deeply than `depth`. jq itself recurses without a limit.
int cjq_is_within(jv value, int depth);
