#define _GNU_SOURCE
#include "connection.h"
#include "difference.h"
#include "limits.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>

enum {
    // The most answers of a program to one input.
    most_answers = 1000,
    // The most bytes of a failed input in a fault.
    most_reported = 16384,
    most_message = 1024,
    // The requests between two checks of memory use, because jq leaks a little in places.
    requests_between_looks = 1024,
};

struct worker {
    struct cjq_program *program;
    cjq_lists lists;
    struct cjq_limits limits;
    jv rules;
    int ignores;
    jv merges;
    int reduce;
    jv state;
    long state_bytes;
    long most_state_bytes;
    int depth;
};

// The current stage, for whatever ends the process.
static volatile sig_atomic_t stage = cjq_stage_setup;

// The program that is being evaluated, likewise, and the rule or merge that it belongs to.
static volatile sig_atomic_t part = cjq_part_none, part_index = 0, part_program = cjq_program_none;

// MARK: Replies

static void send_place(void) {
    cjq_send_number((unsigned)part);
    cjq_send_number((unsigned)part_index);
    cjq_send_number((unsigned)part_program);
}

static void send_fault(
    enum cjq_stage stage, int is_thrown, const char *message, size_t size, const char *input, size_t input_size) {
    if (size > most_message) size = most_message;
    if (input_size > most_reported) input_size = 0;
    cjq_begin_reply(cjq_fault, 24 + size + input_size);
    cjq_send_number((unsigned)stage);
    send_place();
    cjq_send_number((unsigned)is_thrown);
    cjq_send_number((unsigned)size);
    cjq_send(message, size);
    cjq_send(input, input_size);
}

// `input` remains the caller's. `is_thrown`: whether a program's error is the message, which may have values.
static void send_failure(enum cjq_stage stage, int is_thrown, const char *message, jv input) {
    // A long value is not dumped, because it would be left out.
    if (cjq_bytes(input, most_reported) >= most_reported) {
        return send_fault(stage, is_thrown, message, strlen(message), NULL, 0);
    }
    jv text = jv_dump_string(jv_copy(input), 0);
    send_fault(
        stage, is_thrown, message, strlen(message), jv_string_value(text),
        (size_t)jv_string_length_bytes(jv_copy(text)));
    jv_free(text);
}

static void send_failed(enum cjq_stage stage, const char *message, jv input) {
    send_failure(stage, 0, message, input);
}

// MARK: Evaluation

static jv parse(const char *bytes, size_t size) {
    jv_parser *parser = jv_parser_new(0);
    jv_parser_set_buf(parser, bytes, (int)size, 0);
    jv value = jv_parser_next(parser);
    jv_parser_free(parser);
    return value;
}

// No depth limit, for answers that are not sent unchanged: a state is checked only where it differs.
static const int any_depth = __INT_MAX__;

// Returns all answers of a program as an array. `*fault` is the message of the error that ended the evaluation, or an
// invalid value.
static jv evaluate(struct worker *worker, int program, int most, int depth, jv input, jv *fault) {
    jv answers = jv_array();
    *fault = jv_invalid();
    input = jv_object_set(jv_object(), jv_string("i"), input);
    input = jv_object_set(input, jv_string("p"), jv_number(program));
    input = jv_object_set(input, jv_string("n"), jv_number(most));
    jq_state *jq = worker->program->jq;
    jq_start(jq, input, 0);
    // Always run to the end: jq 1.6 does not survive an early exit everywhere.
    while (1) {
        jv answer = jq_next(jq);
        if (jv_is_valid(answer)) {
            if (jv_is_valid(*fault)) {
                jv_free(answer);
            } else if (depth == any_depth || cjq_is_within(answer, depth)) {
                answers = jv_array_append(answers, answer);
            } else {
                jv_free(answer);
                *fault = jv_string("an answer is nested too deeply");
            }
            continue;
        }
        jv thrown = cjq_thrown(jq, answer, worker->depth);
        if (jv_is_valid(*fault)) {
            jv_free(thrown);
        } else {
            *fault = thrown;
        }
        return answers;
    }
}

static int fails(jv fault, enum cjq_stage stage, jv input) {
    if (!jv_is_valid(fault)) return 0;
    send_failure(stage, 1, jv_string_value(fault), input);
    jv_free(fault);
    return 1;
}

// MARK: Reduction

static void send_step(jv mutation, jv operations) {
    jv text = jv_dump_string(jv_copy(mutation), 0), patch = jv_dump_string(jv_copy(operations), 0);
    size_t size = (size_t)jv_string_length_bytes(jv_copy(text));
    size_t patch_size = (size_t)jv_string_length_bytes(jv_copy(patch));
    cjq_begin_reply(cjq_step, 4 + size + patch_size);
    cjq_send_number((unsigned)size);
    cjq_send(jv_string_value(text), size);
    cjq_send(jv_string_value(patch), patch_size);
    jv_free(text);
    jv_free(patch);
}

// Consumes `after`.
static int become(struct worker *worker, jv mutation, jv after) {
    struct cjq_difference difference;
    cjq_difference_begin(&difference, worker->depth, worker->lists);
    cjq_compare(&difference, worker->state, after);
    long bytes = worker->state_bytes + difference.growth;
    int is_taken = 0;
    if (difference.too_deep) {
        send_failed(cjq_stage_size, "the state would be nested too deeply", mutation);
    } else if (bytes > worker->most_state_bytes) {
        char message[80];
        snprintf(message, sizeof message, "the state would be longer than %ld bytes", worker->most_state_bytes);
        send_failed(cjq_stage_size, message, mutation);
    } else {
        send_step(mutation, difference.operations);
        is_taken = 1;
    }
    cjq_difference_end(&difference);
    if (is_taken) {
        jv_free(worker->state);
        worker->state = after;
        worker->state_bytes = bytes;
    } else {
        jv_free(after);
    }
    return is_taken;
}

// Consumes `mutation`. Returns whether it produced a state.
static int reduce(struct worker *worker, jv mutation) {
    int outer = stage, outer_program = part_program;
    stage = cjq_stage_reduce;
    part_program = cjq_program_reduce;
    jv input = jv_object_set(jv_object(), jv_string("state"), jv_copy(worker->state));
    input = jv_object_set(input, jv_string("mutation"), jv_copy(mutation));
    jv fault;
    jv answers = evaluate(worker, worker->reduce, 2, any_depth, input, &fault);
    int count = jv_array_length(jv_copy(answers)), is_reduced = 0;
    if (fails(fault, cjq_stage_reduce, mutation)) {
        // Already reported.
    } else if (count != 1) {
        send_failed(
            cjq_stage_reduce,
            count == 0 ? "reduce has no answer, where it must have one" : "reduce has more than one answer",
            mutation);
    } else {
        jv after = jv_array_get(answers, 0);
        answers = jv_invalid();
        is_reduced = become(worker, mutation, after);
    }
    jv_free(answers);
    jv_free(mutation);
    stage = outer;
    part_program = outer_program;
    return is_reduced;
}

// Reduces every answer of a program. Consumes `input`; `failing` remains the caller's.
static int mutate(struct worker *worker, int program, jv input, enum cjq_stage stage, jv failing) {
    jv fault;
    jv mutations = evaluate(worker, program, most_answers + 1, worker->depth, input, &fault);
    int count = jv_array_length(jv_copy(mutations)), is_reduced = 1;
    if (count > most_answers) {
        send_failed(stage, "more than 1000 mutations", failing);
        is_reduced = 0;
    }
    for (int index = 0; is_reduced && index < count; index++) {
        is_reduced = reduce(worker, jv_array_get(jv_copy(mutations), index));
    }
    jv_free(mutations);
    if (is_reduced) return !fails(fault, stage, failing);
    jv_free(fault);
    return 0;
}

// MARK: Requests

// The program of a rule under `key`, or -1.
static int program_of(jv rule, const char *key) {
    jv number = jv_object_get(jv_copy(rule), jv_string(key));
    int program = jv_get_kind(number) == JV_KIND_NUMBER ? (int)jv_number_value(number) : -1;
    jv_free(number);
    return program;
}

static jv with_state(struct worker *worker, const char *key, jv value) {
    jv input = jv_object_set(jv_object(), jv_string(key), value);
    return jv_object_set(input, jv_string("state"), jv_copy(worker->state));
}

// Returns 1 or 0, or -1 if the program failed, which has been reported.
static int applies(struct worker *worker, jv rule, jv action) {
    int program = program_of(rule, "when");
    if (program < 0) return 1;
    part_program = cjq_program_when;
    jv fault;
    jv input = with_state(worker, "action", jv_copy(action));
    jv answers = evaluate(worker, program, most_answers, any_depth, input, &fault);
    int count = jv_array_length(jv_copy(answers)), holds = 0;
    for (int index = 0; !holds && index < count; index++) {
        jv answer = jv_array_get(jv_copy(answers), index);
        holds = jv_get_kind(answer) != JV_KIND_FALSE && jv_get_kind(answer) != JV_KIND_NULL;
        jv_free(answer);
    }
    jv_free(answers);
    if (!holds && fails(fault, cjq_stage_mutate, action)) return -1;
    if (holds) jv_free(fault);
    return holds;
}

static int send_executions(struct worker *worker, jv rule, int place, jv action) {
    int program = program_of(rule, "input");
    part_program = cjq_program_input;
    jv fault = jv_invalid();
    jv inputs;
    if (program < 0) {
        inputs = jv_array_append(jv_array(), jv_copy(action));
    } else {
        jv input = with_state(worker, "action", jv_copy(action));
        inputs = evaluate(worker, program, most_answers, worker->depth, input, &fault);
    }
    int count = jv_array_length(jv_copy(inputs));
    for (int index = 0; index < count; index++) {
        jv text = jv_dump_string(jv_array_get(jv_copy(inputs), index), 0);
        size_t size = (size_t)jv_string_length_bytes(jv_copy(text));
        cjq_begin_reply(cjq_execution, 4 + size);
        cjq_send_number((unsigned)place);
        cjq_send(jv_string_value(text), size);
        jv_free(text);
    }
    jv_free(inputs);
    return !fails(fault, cjq_stage_mutate, action);
}

// Consumes `text`.
static void send_refusal(jv text) {
    if (jv_get_kind(text) != JV_KIND_STRING) text = jv_dump_string(text, 0);
    size_t size = (size_t)jv_string_length_bytes(jv_copy(text));
    if (size > most_message) size = most_message;
    cjq_begin_reply(cjq_refusal, 12 + size);
    send_place();
    cjq_send(jv_string_value(text), size);
    jv_free(text);
}

// Returns whether a rule refuses the action, or a program failed; either has been sent.
static int is_refused(struct worker *worker, jv action) {
    int count = jv_array_length(jv_copy(worker->rules)), is_over = 0;
    for (int place = 0; !is_over && place < count; place++) {
        jv rule = jv_array_get(jv_copy(worker->rules), place);
        int program = program_of(rule, "refuse");
        part = cjq_part_rule;
        part_index = place;
        int holds = program >= 0 ? applies(worker, rule, action) : 0;
        is_over = holds != 0;
        if (holds > 0) {
            part_program = cjq_program_refuse;
            jv fault;
            jv input = with_state(worker, "action", jv_copy(action));
            jv answers = evaluate(worker, program, 2, worker->depth, input, &fault);
            if (fails(fault, cjq_stage_mutate, action)) {
                // Already reported.
            } else if (jv_array_length(jv_copy(answers)) != 1) {
                send_failed(cjq_stage_mutate, "refuse must have one answer, the reason", action);
            } else {
                send_refusal(jv_array_get(jv_copy(answers), 0));
            }
            jv_free(answers);
        }
        jv_free(rule);
    }
    return is_over;
}

static void take_action(struct worker *worker, jv action) {
    int count = jv_array_length(jv_copy(worker->rules)), is_taken = 0, goes_on = 1;
    if (is_refused(worker, action)) {
        jv_free(action);
        return;
    }
    if (count == 0) {
        part = cjq_part_none;
        reduce(worker, action);
        return;
    }
    for (int place = 0; goes_on && place < count; place++) {
        jv rule = jv_array_get(jv_copy(worker->rules), place);
        if (program_of(rule, "refuse") >= 0) {
            jv_free(rule);
            continue;
        }
        part = cjq_part_rule;
        part_index = place;
        int holds = applies(worker, rule, action);
        goes_on = holds >= 0;
        is_taken |= holds > 0;
        int mutation = program_of(rule, "mutation");
        if (holds > 0 && mutation >= 0) {
            jv input = with_state(worker, "action", jv_copy(action));
            part_program = cjq_program_mutation;
            goes_on = mutate(worker, mutation, input, cjq_stage_mutate, action);
        }
        jv executes = jv_object_get(jv_copy(rule), jv_string("execute"));
        if (goes_on && holds > 0 && jv_get_kind(executes) == JV_KIND_TRUE) {
            goes_on = send_executions(worker, rule, place, action);
        }
        jv_free(executes);
        jv_free(rule);
    }
    if (goes_on && !is_taken && !worker->ignores) {
        part = cjq_part_none;
        part_program = cjq_program_none;
        send_refusal(jv_string(""));
    }
    jv_free(action);
}

// Handles an element of an execution, or its failure.
static void take_element(struct worker *worker, struct cjq_frame frame) {
    int is_failure = frame.kind == cjq_failure;
    size_t action_size = cjq_number_at(frame.bytes + 4);
    jv action = parse(frame.bytes + 8, action_size);
    jv element = parse(frame.bytes + 8 + action_size, frame.size - 8 - action_size);
    jv rule = jv_array_get(jv_copy(worker->rules), (int)cjq_number_at(frame.bytes));
    int program = program_of(rule, is_failure ? "failure" : "element");
    part = cjq_part_rule;
    part_index = (int)cjq_number_at(frame.bytes);
    part_program = is_failure ? cjq_program_failure : cjq_program_element;
    if (program >= 0) {
        jv input = with_state(worker, is_failure ? "error" : "element", jv_copy(element));
        input = jv_object_set(input, jv_string("action"), jv_copy(action));
        mutate(worker, program, input, cjq_stage_mutate, element);
    }
    jv_free(rule);
    jv_free(action);
    jv_free(element);
}

static void take_merged(struct worker *worker, struct cjq_frame frame) {
    jv value = parse(frame.bytes + 8, frame.size - 8);
    jv program = jv_array_get(jv_copy(worker->merges), (int)cjq_number_at(frame.bytes));
    jv input = with_state(worker, cjq_number_at(frame.bytes + 4) ? "other" : "element", jv_copy(value));
    stage = cjq_stage_merge;
    part = cjq_part_merge;
    part_index = (int)cjq_number_at(frame.bytes);
    part_program = cjq_program_mutation;
    mutate(worker, (int)jv_number_value(program), input, cjq_stage_merge, value);
    jv_free(program);
    jv_free(value);
}

static long member(jv setup, const char *key) {
    jv number = jv_object_get(jv_copy(setup), jv_string(key));
    long value = jv_get_kind(number) == JV_KIND_NUMBER ? (long)jv_number_value(number) : 0;
    jv_free(number);
    return value;
}

static void set_up(struct worker *worker, struct cjq_frame frame) {
    stage = cjq_stage_setup;
    jv setup = parse(frame.bytes, frame.size);
    jv programs = jv_object_get(jv_copy(setup), jv_string("programs"));
    int count = jv_array_length(jv_copy(programs));
    const char **texts = calloc((size_t)count + 1, sizeof *texts);
    for (int index = 0; index < count; index++) {
        // The array owns it.
        jv text = jv_array_get(jv_copy(programs), index);
        texts[index] = jv_string_value(text);
        jv_free(text);
    }
    char *together = cjq_together(texts, count), *message = NULL;
    cjq_hide_home();
    worker->program = cjq_compile(together, &message);
    cjq_drop_environment();
    if (worker->program == NULL) {
        const char *reason = message ? message : "jq cannot be started";
        send_fault(cjq_stage_setup, 1, reason, strlen(reason), NULL, 0);
    }
    free(message);
    free(together);
    free(texts);
    jv_free(programs);
    worker->rules = jv_object_get(jv_copy(setup), jv_string("rules"));
    jv ignores = jv_object_get(jv_copy(setup), jv_string("ignores"));
    worker->ignores = jv_get_kind(ignores) == JV_KIND_TRUE;
    jv_free(ignores);
    worker->merges = jv_object_get(jv_copy(setup), jv_string("merges"));
    worker->state = jv_object_get(jv_copy(setup), jv_string("state"));
    worker->reduce = (int)member(setup, "reduce");
    worker->most_state_bytes = member(setup, "stateBytes");
    worker->depth = (int)member(setup, "depth");
    worker->state_bytes = cjq_bytes(worker->state, __LONG_MAX__);
    jv_free(setup);
}

// MARK: Limits

// Safe in a signal handler.
static void end(int cause) {
    if (part_program != cjq_program_none && cjq_is_between_replies()) {
        cjq_begin_reply(cjq_place, 12);
        send_place();
    }
    cjq_leave(cause + stage);
}

static void take_signal(int number) {
    end(number == SIGPROF ? cjq_exit_time : cjq_cause_of(number));
}

void cjq_serve(int descriptor, struct cjq_limits limits, cjq_lists lists) {
    // It dies with the thread that started it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cjq_keep_limits(descriptor, limits, take_signal);
    cjq_open(descriptor);
    struct worker worker = {.lists = lists, .limits = limits};
    struct itimerval time = {.it_value = {limits.time / 1000, limits.time % 1000 * 1000}};
    long in_use_at_start = 0;
    for (long number = 0;; number++) {
        struct cjq_frame frame = cjq_receive();
        if (number % requests_between_looks == 1) {
            long in_use = cjq_bytes_in_use();
            if (number == 1) in_use_at_start = in_use;
            // The request has not been started, so it will be sent again.
            if (in_use - in_use_at_start > limits.memory / 2) cjq_leave(0);
        }
        stage = cjq_stage_mutate;
        part = cjq_part_none;
        part_program = cjq_program_none;
        // Processor time, not wall-clock time: a program is not responsible for other load on the machine.
        if (number > 0) setitimer(ITIMER_PROF, &time, NULL);
        switch (frame.kind) {
        case cjq_setup: set_up(&worker, frame); break;
        case cjq_action: take_action(&worker, parse(frame.bytes, frame.size)); break;
        case cjq_element:
        case cjq_failure: take_element(&worker, frame); break;
        case cjq_merge: take_merged(&worker, frame); break;
        case cjq_replay: reduce(&worker, parse(frame.bytes, frame.size)); break;
        }
        cjq_begin_reply(cjq_done, 0);
    }
}
