#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    // The memory that is kept for the results of the next input.
    kept_bytes = 65536,
};

struct cjq_stream_program {
    // NULL if it is not valid.
    cjq_program *program;
    // The message then.
    char *fault;
    enum cjq_stream_use use;
    int has_context;
    int depth;
    jv_parser *parser;
    char *content;
    size_t size, capacity;
};

// MARK: Compilation

static int is_space(char byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

// Puts the message of a fault on one line.
static char *one_line(const char *message) {
    static const char prefix[] = "jq: error: ";
    if (strncmp(message, prefix, sizeof prefix - 1) == 0) message += sizeof prefix - 1;
    char *line = malloc(cjq_most_message_bytes + 1);
    if (line == NULL) return NULL;
    size_t size = 0;
    for (; *message != 0 && size < cjq_most_message_bytes; message++) {
        if (!is_space(*message)) {
            line[size++] = *message;
        } else if (size > 0 && line[size - 1] != ' ') {
            line[size++] = ' ';
        }
    }
    while (size > 0 && line[size - 1] == ' ') size--;
    line[size] = 0;
    return line;
}

// Compiles the original text, because its message has the lines that the operator wrote.
static char *fault_of(const char *text) {
    char *message = NULL;
    jv variables = jv_object_set(jv_object(), jv_string("key"), jv_null());
    variables = jv_object_set(variables, jv_string("from"), jv_null());
    cjq_program *program = cjq_compile_with(text, variables, &message);
    // Only a program that must stand first can succeed here.
    const char *reason = program ? "modules cannot be imported" : message ? message : "jq cannot be started";
    char *fault = one_line(reason);
    cjq_free(program);
    free(message);
    return fault;
}

cjq_stream_program *cjq_stream_compile(struct cjq_stream_definition definition) {
    cjq_stream_program *program = calloc(1, sizeof *program);
    if (program == NULL) return NULL;
    program->use = definition.use;
    program->has_context = definition.has_context;
    program->depth = definition.depth;
    program->parser = jv_parser_new(0);
    char *message = NULL;
    program->program = cjq_compile(definition.evaluated, &message);
    free(message);
    if (program->program == NULL) program->fault = fault_of(definition.text);
    return program;
}

void cjq_stream_free(cjq_stream_program *program) {
    if (program == NULL) return;
    cjq_free(program->program);
    free(program->fault);
    jv_parser_free(program->parser);
    free(program->content);
    free(program);
}

const char *cjq_stream_fault(const cjq_stream_program *program) {
    if (program->program != NULL) return NULL;
    return program->fault ? program->fault : "jq cannot be started";
}

int cjq_stream_has_context(const cjq_stream_program *program) {
    return program->has_context;
}

// MARK: Input

// Returns an invalid value, without a message, for a text that is not one JSON value within jq's limits.
static jv parse(cjq_stream_program *program, struct cjq_text text) {
    if (text.size == 0) return jv_null();
    // One parser for all inputs, because a new one is as expensive as a short text. It is never at the end of its
    // input; a line feed ends a number.
    jv_parser *parser = program->parser;
    jv_parser_set_buf(parser, text.start, (int)text.size, 1);
    jv value = jv_parser_next(parser);
    if (!jv_is_valid(value) && !jv_invalid_has_msg(jv_copy(value))) {
        jv_free(value);
        jv_parser_set_buf(parser, "\n", 1, 1);
        value = jv_parser_next(parser);
    }
    int is_read = jv_is_valid(value);
    for (int left = jv_parser_remaining(parser); is_read && left > 0; left--) {
        is_read = is_space(text.start[text.size - (size_t)left]);
    }
    if (is_read && jv_parser_remaining(parser) > 0) jv_free(jv_parser_next(parser));
    if (is_read) return value;
    jv_free(value);
    jv_parser_free(parser);
    program->parser = jv_parser_new(0);
    return jv_invalid();
}

static jv read_input(cjq_stream_program *program, struct cjq_stream_input input) {
    jv value = parse(program, input.value);
    if (!program->has_context || !jv_is_valid(value)) return value;
    jv key = parse(program, input.key), from = parse(program, input.from);
    if (jv_is_valid(key) && jv_is_valid(from)) {
        jv parts = jv_array_append(jv_array_sized(4), value);
        parts = jv_array_append(parts, jv_number(input.time));
        return jv_array_append(jv_array_append(parts, key), from);
    }
    jv_free(value);
    jv_free(key);
    jv_free(from);
    return jv_invalid();
}

// MARK: Results

static int append(cjq_stream_program *program, const char *bytes, size_t size) {
    if (program->size + size > program->capacity) {
        size_t capacity = 2 * (program->size + size) + 256;
        char *larger = realloc(program->content, capacity);
        if (larger == NULL) return 0;
        program->content = larger;
        program->capacity = capacity;
    }
    memcpy(program->content + program->size, bytes, size);
    program->size += size;
    return 1;
}

static enum cjq_stream_result finish(
    cjq_stream_program *program, enum cjq_stream_result result, struct cjq_text *content) {
    content->start = program->content;
    content->size = program->size;
    return result;
}

static enum cjq_stream_result fail(
    cjq_stream_program *program, const char *message, size_t size, struct cjq_text *content) {
    program->size = 0;
    for (size_t index = 0; index < size && program->size < cjq_most_message_bytes; index++) {
        int is_end = message[index] == '\n' || message[index] == '\r';
        if (!append(program, is_end ? " " : message + index, 1)) break;
    }
    return finish(program, cjq_result_failed, content);
}

static enum cjq_stream_result fail_with(
    cjq_stream_program *program, const char *message, struct cjq_text *content) {
    return fail(program, message, strlen(message), content);
}

// Appends a result. Returns an invalid value, or the fault as a string. Consumes `result`.
static jv keep(cjq_stream_program *program, jv result) {
    if (!cjq_is_within(result, program->depth)) {
        jv_free(result);
        return jv_string("a result is nested too deeply");
    }
    jv text = jv_dump_string(result, 0);
    size_t size = (size_t)jv_string_length_bytes(jv_copy(text));
    char digits[] = {(char)size, (char)(size >> 8), (char)(size >> 16), (char)(size >> 24)};
    const char *fault = NULL;
    if (program->size + size > cjq_most_result_bytes) {
        fault = "the results are longer than 16 MiB";
    } else if (!append(program, digits, sizeof digits) || !append(program, jv_string_value(text), size)) {
        fault = "the results take too much memory";
    }
    jv_free(text);
    return fault ? jv_string(fault) : jv_invalid();
}

static enum cjq_stream_result conclude(cjq_stream_program *program, int count, struct cjq_text *content) {
    char message[80];
    const char *need = program->use == cjq_use_one ? "; exactly one is needed" : "";
    if (program->use == cjq_use_condition) {
        program->size = 0;
        return finish(program, count > 0 ? cjq_result_true : cjq_result_false, content);
    }
    if (count > cjq_most_results) {
        snprintf(message, sizeof message, "gave more than %d results%s", cjq_most_results, need);
    } else if (program->use == cjq_use_many || count == 1) {
        return finish(program, cjq_result_values, content);
    } else if (count == 0) {
        snprintf(message, sizeof message, "gave no result%s", need);
    } else {
        snprintf(message, sizeof message, "gave %d results%s", count, need);
    }
    return fail_with(program, message, content);
}

enum cjq_stream_result cjq_stream_evaluate(
    cjq_stream_program *program, struct cjq_stream_input input, struct cjq_text *content) {
    program->size = 0;
    if (program->capacity > kept_bytes) {
        free(program->content);
        program->content = NULL;
        program->capacity = 0;
    }
    if (program->program == NULL) return fail_with(program, cjq_stream_fault(program), content);
    jv value = read_input(program, input);
    if (!jv_is_valid(value)) return fail_with(program, "jq cannot read the input", content);
    jq_state *jq = program->program->jq;
    jq_start(jq, value, 0);
    jv fault = jv_invalid();
    int count = 0;
    // Always run to the end: jq 1.6 does not survive an early exit everywhere.
    while (1) {
        jv result = jq_next(jq);
        if (!jv_is_valid(result)) {
            jv thrown = cjq_thrown(jq, result, program->depth);
            if (jv_is_valid(fault)) {
                jv_free(thrown);
            } else {
                fault = thrown;
            }
            break;
        }
        count++;
        // A condition has results only if it holds.
        if (program->use == cjq_use_condition || jv_is_valid(fault) || count > cjq_most_results) {
            jv_free(result);
        } else {
            fault = keep(program, result);
        }
    }
    // What a condition has found holds in spite of a later error.
    int has_failed = jv_is_valid(fault) && !(program->use == cjq_use_condition && count > 0);
    enum cjq_stream_result result =
        has_failed
        ? fail(program, jv_string_value(fault), (size_t)jv_string_length_bytes(jv_copy(fault)), content)
        : conclude(program, count, content);
    jv_free(fault);
    return result;
}
