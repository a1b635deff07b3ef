#define _GNU_SOURCE
#include "connection.h"
#include "limits.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    // The ticks of processor time that make up the limit for one input. An input gets at most one more.
    ticks_per_limit = 8,
    // The inputs between two checks of memory use, because jq leaks a little in places.
    inputs_between_looks = 1024,
    program_header = 20,
};

static cjq_stream_program *programs[cjq_stream_slots];

static int parent;

// What the process does, for whatever ends it.
static volatile sig_atomic_t stage = cjq_stage_setup;

// The ticks since the current input began. A timer that runs all the time costs nothing per input.
static volatile sig_atomic_t ticks;

// Whether there was a tick since the request began: then it ends, so that others get their turn.
static volatile sig_atomic_t has_ticked;

// Complete replies are written before the process ends, so that the first input without one is the one that ended it.
static void take_signal(int number) {
    if (number != SIGPROF) cjq_leave((int)cjq_cause_of(number) + stage);
    // A computation does not see that the connection is closed.
    if (getppid() != parent) _exit(0);
    has_ticked = 1;
    ticks = ticks + 1;
    if (ticks > ticks_per_limit) cjq_leave(cjq_exit_time + stage);
}

static void compile(struct cjq_frame frame) {
    stage = cjq_stage_setup;
    ticks = 0;
    unsigned slot = cjq_number_at(frame.bytes);
    struct cjq_stream_definition definition = {
        .text = frame.bytes + program_header,
        .evaluated = frame.bytes + program_header + cjq_number_at(frame.bytes + 16) + 1,
        .use = (enum cjq_stream_use)cjq_number_at(frame.bytes + 4),
        .has_context = (int)cjq_number_at(frame.bytes + 8),
        .depth = (int)cjq_number_at(frame.bytes + 12),
    };
    cjq_stream_free(programs[slot]);
    programs[slot] = cjq_stream_compile(definition);
    if (programs[slot] == NULL) cjq_leave(cjq_exit_memory + stage);
    cjq_begin_reply((enum cjq_reply)cjq_stream_compiled, 0);
}

static struct cjq_text take(const char **place, size_t size) {
    struct cjq_text text = {*place, size};
    *place += size;
    return text;
}

static void run(struct cjq_frame frame) {
    stage = cjq_stage_mutate;
    cjq_stream_program *program = programs[cjq_number_at(frame.bytes)];
    int has_context = cjq_stream_has_context(program);
    unsigned count = cjq_number_at(frame.bytes + 4);
    const char *place = frame.bytes + 8;
    has_ticked = 0;
    for (unsigned number = 0; number < count; number++) {
        if (number > 0 && has_ticked) {
            cjq_begin_reply((enum cjq_reply)cjq_stream_paused, 0);
            return;
        }
        ticks = 0;
        struct cjq_stream_input input = {.time = 0};
        size_t size = cjq_number_at(place), key = 0, from = 0;
        place += 4;
        if (has_context) {
            key = cjq_number_at(place);
            from = cjq_number_at(place + 4);
            memcpy(&input.time, place + 8, sizeof input.time);
            place += 16;
        }
        input.value = take(&place, size);
        input.key = take(&place, key);
        input.from = take(&place, from);
        struct cjq_text content;
        enum cjq_stream_result result = cjq_stream_evaluate(program, input, &content);
        cjq_begin_reply((enum cjq_reply)result, content.size);
        if (content.size > 0) cjq_send(content.start, content.size);
    }
}

void cjq_serve_streams(int descriptor, struct cjq_limits limits) {
    parent = limits.parent;
    cjq_keep_limits(descriptor, limits, take_signal);
    cjq_hide_home();
    cjq_open(descriptor);
    long tick = limits.time * 1000L / ticks_per_limit;
    struct timeval interval = {tick / 1000000, tick % 1000000};
    // Processor time, not wall-clock time: a program is not responsible for other load on the machine.
    setitimer(ITIMER_PROF, &(struct itimerval){interval, interval}, NULL);
    long in_use_at_start = cjq_bytes_in_use(), unseen = 0;
    while (1) {
        struct cjq_frame frame = cjq_receive();
        if (unseen >= inputs_between_looks) {
            unseen = 0;
            // The request has not been started, so it will be sent again.
            if (cjq_bytes_in_use() - in_use_at_start > limits.memory / 2) cjq_leave(0);
        }
        switch ((enum cjq_stream_request)frame.kind) {
        case cjq_stream_program_request: compile(frame); break;
        case cjq_stream_run_request:
            unseen += cjq_number_at(frame.bytes + 4);
            run(frame);
            break;
        }
    }
}
