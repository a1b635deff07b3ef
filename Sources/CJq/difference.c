#include "difference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The JSON length of an operation without its path and value.
enum { operation_bytes = 36 };

// MARK: Path

static void reserve(struct cjq_difference *difference, size_t more) {
    size_t needed = difference->path_length + more + 1;
    if (needed <= difference->path_capacity) return;
    difference->path_capacity = needed * 2;
    difference->path = realloc(difference->path, difference->path_capacity);
    if (difference->path == NULL) abort();
}

static size_t enter_key(struct cjq_difference *difference, const char *key, int length) {
    size_t before = difference->path_length;
    reserve(difference, 2 * (size_t)length + 1);
    char *path = difference->path;
    path[difference->path_length++] = '/';
    for (int index = 0; index < length; index++) {
        if (key[index] == '~' || key[index] == '/') {
            path[difference->path_length++] = '~';
            path[difference->path_length++] = key[index] == '~' ? '0' : '1';
        } else {
            path[difference->path_length++] = key[index];
        }
    }
    return before;
}

static size_t enter_index(struct cjq_difference *difference, int index) {
    size_t before = difference->path_length;
    reserve(difference, 16);
    difference->path_length += (size_t)sprintf(difference->path + before, "/%d", index);
    return before;
}

static void leave(struct cjq_difference *difference, size_t before) {
    difference->path_length = before;
}

// MARK: Operations

static void append(struct cjq_difference *difference, const char *name, jv value) {
    jv operation = jv_object_set(jv_object(), jv_string("op"), jv_string(name));
    jv path = jv_string_sized(difference->path, (int)difference->path_length);
    operation = jv_object_set(operation, jv_string("path"), path);
    difference->bytes += operation_bytes + (long)difference->path_length;
    if (jv_is_valid(value)) {
        difference->bytes += cjq_bytes(value, __LONG_MAX__);
        operation = jv_object_set(operation, jv_string("value"), value);
    }
    difference->operations = jv_array_append(difference->operations, operation);
}

// Consumes `after`.
static void put(struct cjq_difference *difference, const char *name, jv after, int level) {
    if (!cjq_is_within(after, difference->depth - level)) {
        difference->too_deep = 1;
        jv_free(after);
        return;
    }
    difference->growth += cjq_bytes(after, __LONG_MAX__);
    append(difference, name, after);
}

static void replace(struct cjq_difference *difference, jv before, jv after, int level) {
    difference->growth -= cjq_bytes(before, __LONG_MAX__);
    put(difference, "replace", jv_copy(after), level);
}

// Consumes `before`.
static void drop(struct cjq_difference *difference, jv before) {
    difference->growth -= cjq_bytes(before, __LONG_MAX__);
    jv_free(before);
    append(difference, "remove", jv_invalid());
}

// MARK: Sameness

static int is_identical(jv one, jv other) {
    return jv_identical(jv_copy(one), jv_copy(other));
}

static int is_same(jv one, jv other) {
    if (is_identical(one, other)) return 1;
    jv_kind kind = jv_get_kind(one);
    if (kind != jv_get_kind(other)) return 0;
    int same = 1;
    switch (kind) {
    case JV_KIND_NUMBER: {
        double first = jv_number_value(one), second = jv_number_value(other);
        // JSON cannot represent either number.
        return first == second || (isnan(first) && isnan(second));
    }
    case JV_KIND_STRING:
        return jv_equal(jv_copy(one), jv_copy(other));
    case JV_KIND_ARRAY: {
        int count = jv_array_length(jv_copy(one));
        if (count != jv_array_length(jv_copy(other))) return 0;
        for (int index = 0; same && index < count; index++) {
            jv first = jv_array_get(jv_copy(one), index), second = jv_array_get(jv_copy(other), index);
            same = is_same(first, second);
            jv_free(first);
            jv_free(second);
        }
        return same;
    }
    case JV_KIND_OBJECT:
        if (jv_object_length(jv_copy(one)) != jv_object_length(jv_copy(other))) return 0;
        for (int place = jv_object_iter(one); same && jv_object_iter_valid(one, place);
             place = jv_object_iter_next(one, place)) {
            jv first = jv_object_iter_value(one, place);
            jv second = jv_object_get(jv_copy(other), jv_object_iter_key(one, place));
            same = jv_is_valid(second) && is_same(first, second);
            jv_free(first);
            jv_free(second);
        }
        return same;
    default:
        return 1;
    }
}

// Whether two elements at the same position are the same item: not if their keys differ.
static int is_aligned(jv before, jv after) {
    static const char *const keys[] = {"id", "key", "name"};
    if (is_identical(before, after)) return 1;
    if (jv_get_kind(before) != JV_KIND_OBJECT || jv_get_kind(after) != JV_KIND_OBJECT) return 1;
    for (int index = 0; index < 3; index++) {
        jv first = jv_object_get(jv_copy(before), jv_string(keys[index]));
        jv second = jv_object_get(jv_copy(after), jv_string(keys[index]));
        int both = jv_is_valid(first) && jv_is_valid(second);
        int same = both && is_same(first, second);
        jv_free(first);
        jv_free(second);
        if (both) return same;
    }
    return 1;
}

// MARK: Comparison

static void compare(struct cjq_difference *difference, jv before, jv after, int level);

static void compare_members(struct cjq_difference *difference, jv before, jv after, int level) {
    for (int place = jv_object_iter(before); jv_object_iter_valid(before, place);
         place = jv_object_iter_next(before, place)) {
        jv key = jv_object_iter_key(before, place);
        if (!jv_object_has(jv_copy(after), jv_copy(key))) {
            size_t outer = enter_key(difference, jv_string_value(key), jv_string_length_bytes(jv_copy(key)));
            drop(difference, jv_object_iter_value(before, place));
            difference->growth -= jv_string_length_bytes(jv_copy(key)) + 4;
            leave(difference, outer);
        }
        jv_free(key);
    }
    for (int place = jv_object_iter(after); jv_object_iter_valid(after, place);
         place = jv_object_iter_next(after, place)) {
        jv key = jv_object_iter_key(after, place);
        jv value = jv_object_iter_value(after, place);
        jv old = jv_object_get(jv_copy(before), jv_copy(key));
        if (!jv_is_valid(old) || !is_identical(old, value)) {
            size_t outer = enter_key(difference, jv_string_value(key), jv_string_length_bytes(jv_copy(key)));
            if (jv_is_valid(old)) {
                compare(difference, old, value, level + 1);
            } else {
                put(difference, "add", jv_copy(value), level + 1);
                difference->growth += jv_string_length_bytes(jv_copy(key)) + 4;
            }
            leave(difference, outer);
        }
        jv_free(old);
        jv_free(value);
        jv_free(key);
    }
}

// Computes the operations for elements that may have moved, by the caller's function that matches them by key.
static void compare_lists(struct cjq_difference *difference, jv before, jv after, int start, int level) {
    if (!cjq_is_within(after, difference->depth - level)) {
        difference->too_deep = 1;
        return;
    }
    difference->growth += cjq_bytes(after, __LONG_MAX__) - cjq_bytes(before, __LONG_MAX__);
    jv old = jv_dump_string(jv_copy(before), 0), new = jv_dump_string(jv_copy(after), 0);
    reserve(difference, 0);
    difference->path[difference->path_length] = 0;
    char *text = difference->lists(
        difference->path, difference->path_length, start,
        jv_string_value(old), (size_t)jv_string_length_bytes(jv_copy(old)),
        jv_string_value(new), (size_t)jv_string_length_bytes(jv_copy(new)));
    jv_free(old);
    jv_free(new);
    difference->bytes += (long)strlen(text);
    difference->operations = jv_array_concat(difference->operations, jv_parse(text));
    free(text);
}

static void compare_elements(struct cjq_difference *difference, jv before, jv after, int level) {
    int old_count = jv_array_length(jv_copy(before)), new_count = jv_array_length(jv_copy(after));
    int least = old_count < new_count ? old_count : new_count;
    int start = 0, end = 0, aligned = old_count == new_count;
    for (; start < least; start++) {
        jv old = jv_array_get(jv_copy(before), start), new = jv_array_get(jv_copy(after), start);
        int same = is_same(old, new);
        jv_free(old);
        jv_free(new);
        if (!same) break;
    }
    for (; end < least - start; end++) {
        jv old = jv_array_get(jv_copy(before), old_count - 1 - end);
        jv new = jv_array_get(jv_copy(after), new_count - 1 - end);
        int same = is_same(old, new);
        jv_free(old);
        jv_free(new);
        if (!same) break;
    }
    int old_end = old_count - end, new_end = new_count - end;
    for (int index = start; aligned && index < old_end; index++) {
        jv old = jv_array_get(jv_copy(before), index), new = jv_array_get(jv_copy(after), index);
        aligned = is_aligned(old, new);
        jv_free(old);
        jv_free(new);
    }
    if (!aligned && start < old_end && start < new_end) {
        jv old = jv_array_slice(jv_copy(before), start, old_end), new = jv_array_slice(jv_copy(after), start, new_end);
        compare_lists(difference, old, new, start, level);
        jv_free(old);
        jv_free(new);
        return;
    }
    for (int index = start; aligned && index < old_end; index++) {
        size_t outer = enter_index(difference, index);
        jv old = jv_array_get(jv_copy(before), index), new = jv_array_get(jv_copy(after), index);
        compare(difference, old, new, level + 1);
        jv_free(old);
        jv_free(new);
        leave(difference, outer);
    }
    if (!aligned) difference->growth += new_count - old_count;
    for (int index = old_end - 1; !aligned && index >= start; index--) {
        size_t outer = enter_index(difference, index);
        drop(difference, jv_array_get(jv_copy(before), index));
        leave(difference, outer);
    }
    for (int index = start; !aligned && index < new_end; index++) {
        size_t outer = enter_index(difference, index);
        put(difference, "add", jv_array_get(jv_copy(after), index), level + 1);
        leave(difference, outer);
    }
}

static void compare(struct cjq_difference *difference, jv before, jv after, int level) {
    if (difference->too_deep || is_identical(before, after)) return;
    jv_kind kind = jv_get_kind(before);
    if (kind != jv_get_kind(after) || (kind != JV_KIND_ARRAY && kind != JV_KIND_OBJECT)) {
        if (!is_same(before, after)) replace(difference, before, after, level);
        return;
    }
    if (level >= difference->depth) {
        difference->too_deep = 1;
        return;
    }
    int count = jv_array_length(jv_copy(difference->operations));
    long bytes = difference->bytes;
    if (kind == JV_KIND_ARRAY) {
        compare_elements(difference, before, after, level);
    } else {
        compare_members(difference, before, after, level);
    }
    // Replace the value if that is not longer than its changes.
    long room = difference->bytes - bytes - operation_bytes - (long)difference->path_length;
    if (difference->too_deep || room <= 0 || cjq_bytes(after, room) >= room) return;
    difference->operations = jv_array_slice(difference->operations, 0, count);
    difference->bytes = bytes;
    append(difference, "replace", jv_copy(after));
}

void cjq_compare(struct cjq_difference *difference, jv before, jv after) {
    compare(difference, before, after, 0);
}

void cjq_difference_begin(struct cjq_difference *difference, int depth, cjq_lists lists) {
    *difference = (struct cjq_difference){.operations = jv_array(), .depth = depth, .lists = lists};
}

void cjq_difference_end(struct cjq_difference *difference) {
    jv_free(difference->operations);
    free(difference->path);
}

// MARK: Length

static void count(jv value, long limit, long *sum) {
    switch (jv_get_kind(value)) {
    case JV_KIND_NUMBER: {
        double number = jv_number_value(value);
        // Counts the digits of an integer; for other numbers, the most that a double takes.
        *sum += number == floor(number) && fabs(number) < 1e15 ? snprintf(NULL, 0, "%.0f", number) : 17;
        return;
    }
    case JV_KIND_STRING:
        *sum += jv_string_length_bytes(jv_copy(value)) + 2;
        return;
    case JV_KIND_ARRAY: {
        int length = jv_array_length(jv_copy(value));
        *sum += 1 + (length > 0 ? length : 1);
        for (int index = 0; index < length && *sum < limit; index++) {
            jv element = jv_array_get(jv_copy(value), index);
            count(element, limit, sum);
            jv_free(element);
        }
        return;
    }
    case JV_KIND_OBJECT: {
        int length = jv_object_length(jv_copy(value));
        *sum += 1 + (length > 0 ? length : 1);
        for (int place = jv_object_iter(value); *sum < limit && jv_object_iter_valid(value, place);
             place = jv_object_iter_next(value, place)) {
            jv key = jv_object_iter_key(value, place), member = jv_object_iter_value(value, place);
            *sum += jv_string_length_bytes(key) + 3;
            count(member, limit, sum);
            jv_free(member);
        }
        return;
    }
    case JV_KIND_FALSE:
        *sum += 5;
        return;
    default:
        *sum += 4;
    }
}

long cjq_bytes(jv value, long limit) {
    long sum = 0;
    count(value, limit, &sum);
    return sum;
}
