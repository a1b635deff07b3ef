#include "program.h"

#include <stdlib.h>
#include <string.h>

// jq reports each fault and then their number; the first one is the most useful.
static void keep_first(void *data, jv message) {
    char **kept = data;
    if (*kept == NULL && jv_get_kind(message) == JV_KIND_STRING) *kept = strdup(jv_string_value(message));
    jv_free(message);
}

static void drop(void *data, jv message) {
    (void)data;
    jv_free(message);
}

volatile sig_atomic_t cjq_is_out_of_memory;

// jq aborts afterwards.
static void note_no_memory(void *unused) {
    (void)unused;
    cjq_is_out_of_memory = 1;
}

cjq_program *cjq_compile(const char *text, char **message) {
    return cjq_compile_with(text, jv_object(), message);
}

cjq_program *cjq_compile_with(const char *text, jv variables, char **message) {
    *message = NULL;
    cjq_program *program = calloc(1, sizeof *program);
    if (program != NULL) program->jq = jq_init();
    if (program == NULL || program->jq == NULL) {
        jv_free(variables);
        free(program);
        return NULL;
    }
    program->text = jv_invalid();
    jq_set_error_cb(program->jq, keep_first, message);
    // With this empty source `input` finds nothing; without one `input_line_number` aborts.
    program->no_inputs = jq_util_input_init(NULL, NULL);
    jq_set_input_cb(program->jq, jq_util_input_next_input_cb, program->no_inputs);
    // jq 1.6 leaves these callbacks uninitialized and calls them.
    jq_set_debug_cb(program->jq, drop, NULL);
    jq_set_nomem_handler(program->jq, note_no_memory, NULL);
    // An empty search path for modules; without one `import` aborts.
    jq_set_attr(program->jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
    int compiled = jq_compile_args(program->jq, text, variables);
    jq_set_error_cb(program->jq, NULL, NULL);
    if (compiled) return program;
    cjq_free(program);
    return NULL;
}

void cjq_free(cjq_program *program) {
    if (program == NULL) return;
    jv_free(program->text);
    jq_teardown(&program->jq);
    jq_util_input_free(&program->no_inputs);
    free(program);
}

int cjq_start(cjq_program *program, const char *bytes, int size) {
    // Not jv_parse_sized: its message quotes the input up to a NUL that is not there.
    jv_parser *parser = jv_parser_new(0);
    jv_parser_set_buf(parser, bytes, size, 0);
    jv input = jv_parser_next(parser);
    jv_parser_free(parser);
    if (!jv_is_valid(input)) {
        jv_free(input);
        return -1;
    }
    jq_start(program->jq, input, 0);
    return 0;
}

int cjq_is_within(jv value, int depth) {
    jv_kind kind = jv_get_kind(value);
    if (kind != JV_KIND_ARRAY && kind != JV_KIND_OBJECT) return 1;
    if (depth == 0) return 0;
    int within = 1;
    if (kind == JV_KIND_ARRAY) {
        int count = jv_array_length(jv_copy(value));
        for (int index = 0; within && index < count; index++) {
            jv element = jv_array_get(jv_copy(value), index);
            within = cjq_is_within(element, depth - 1);
            jv_free(element);
        }
    } else {
        for (int place = jv_object_iter(value); within && jv_object_iter_valid(value, place);
             place = jv_object_iter_next(value, place)) {
            jv member = jv_object_iter_value(value, place);
            within = cjq_is_within(member, depth - 1);
            jv_free(member);
        }
    }
    return within;
}

static enum cjq_outcome hand_out(
    cjq_program *program, enum cjq_outcome outcome, jv text, const char **bytes, size_t *size) {
    jv_free(program->text);
    program->text = text;
    *bytes = jv_string_value(text);
    *size = (size_t)jv_string_length_bytes(jv_copy(text));
    return outcome;
}

jv cjq_thrown(jq_state *jq, jv last, int depth) {
    jv thrown;
    if (jq_halted(jq)) {
        jv_free(last);
        // `halt` has no exit code, `halt_error` has one.
        jv code = jq_get_exit_code(jq);
        thrown = jv_is_valid(code) ? jq_get_error_message(jq) : jv_invalid();
        jv_free(code);
    } else {
        thrown = jv_invalid_get_msg(last);
        // `error(null)` has no message.
        if (jv_get_kind(thrown) == JV_KIND_NULL) thrown = jv_invalid();
    }
    if (!jv_is_valid(thrown) || jv_get_kind(thrown) == JV_KIND_STRING) return thrown;
    if (cjq_is_within(thrown, depth)) return jv_dump_string(thrown, 0);
    jv_free(thrown);
    return jv_string("an error nested too deeply");
}

enum cjq_outcome cjq_next(cjq_program *program, int depth, const char **bytes, size_t *size) {
    jv answer = jq_next(program->jq);
    if (jv_is_valid(answer)) {
        if (cjq_is_within(answer, depth)) return hand_out(program, cjq_answer, jv_dump_string(answer, 0), bytes, size);
        jv_free(answer);
        return cjq_too_deep;
    }
    jv thrown = cjq_thrown(program->jq, answer, depth);
    if (!jv_is_valid(thrown)) return cjq_end;
    return hand_out(program, cjq_error, thrown, bytes, size);
}

char *cjq_together(const char *const *texts, int count) {
    static const char begin[] = ".p as $__p | .n as $__n | .i | limit($__n; ";
    static const char program[] = "if $__p == %d then (\n%s\n) else ";
    size_t size = sizeof begin + sizeof "empty)";
    for (int index = 0; index < count; index++) size += strlen(texts[index]) + sizeof program + 16 + sizeof " end";
    char *text = malloc(size), *end = text;
    if (text == NULL) return NULL;
    end += sprintf(end, "%s", begin);
    for (int index = 0; index < count; index++) end += sprintf(end, program, index, texts[index]);
    end += sprintf(end, "empty");
    for (int index = 0; index < count; index++) end += sprintf(end, " end");
    sprintf(end, ")");
    return text;
}
