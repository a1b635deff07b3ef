#include "connection.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    header_bytes = 5,
    // Replies are combined up to this size, which a socket accepts at once.
    most_waiting = 65536,
    least_room = 65536,
};

static int peer;

static char waiting[most_waiting];
// A signal handler writes the pending bytes, so the count changes after the bytes are stored.
static volatile sig_atomic_t waiting_count;

// The bytes of the current reply that are not stored or sent yet, and whether bytes are being sent: a signal handler
// may add a reply only while both are 0.
static volatile sig_atomic_t missing, is_writing;

static char *received;
static size_t capacity, first, last;

static void write_all(const char *bytes, size_t size) {
    is_writing = 1;
    while (size > 0) {
        ssize_t count = write(peer, bytes, size);
        if (count < 0 && errno == EINTR) continue;
        // The peer is gone.
        if (count <= 0) _exit(0);
        bytes += count;
        size -= (size_t)count;
    }
    is_writing = 0;
}

void cjq_flush(void) {
    size_t count = (size_t)waiting_count;
    is_writing = 1;
    waiting_count = 0;
    write_all(waiting, count);
}

void cjq_leave(int status) {
    cjq_flush();
    _exit(status);
}

void cjq_open(int descriptor) {
    peer = descriptor;
}

static void fill(size_t needed) {
    if (first > 0) memmove(received, received + first, last - first);
    last -= first;
    first = 0;
    if (needed + least_room > capacity || capacity > 8 * (needed + least_room)) {
        capacity = needed + 2 * least_room;
        received = realloc(received, capacity);
        if (received == NULL) cjq_leave(cjq_exit_memory + cjq_stage_setup);
    }
    while (last < needed) {
        ssize_t count = read(peer, received + last, capacity - last);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) _exit(0);
        last += (size_t)count;
    }
}

struct cjq_frame cjq_receive(void) {
    if (last - first < header_bytes) {
        cjq_flush();
        fill(header_bytes);
    }
    size_t size = cjq_number_at(received + first);
    if (last - first < header_bytes + size) {
        cjq_flush();
        fill(header_bytes + size);
    }
    struct cjq_frame frame = {(enum cjq_request)received[first + 4], received + first + header_bytes, size};
    first += header_bytes + size;
    return frame;
}

void cjq_send(const char *bytes, size_t size) {
    if (size > most_waiting - (size_t)waiting_count) cjq_flush();
    if (size > most_waiting) {
        write_all(bytes, size);
    } else {
        memcpy(waiting + waiting_count, bytes, size);
        waiting_count += (sig_atomic_t)size;
    }
    missing -= (sig_atomic_t)size;
}

int cjq_is_between_replies(void) {
    return missing == 0 && !is_writing;
}

void cjq_send_number(unsigned number) {
    char digits[] = {(char)number, (char)(number >> 8), (char)(number >> 16), (char)(number >> 24)};
    cjq_send(digits, sizeof digits);
}

void cjq_begin_reply(enum cjq_reply kind, size_t size) {
    missing = (sig_atomic_t)(size + header_bytes);
    cjq_send_number((unsigned)size);
    char byte = (char)kind;
    cjq_send(&byte, 1);
}
