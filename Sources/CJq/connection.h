// The worker's end of its socket. Pending replies are written before the process ends for any reason, because the
// daemon attributes the end to the first request without a complete reply.
#pragma once

#include "CJq.h"

struct cjq_frame {
    enum cjq_request kind;
    const char *bytes;
    size_t size;
};

// Flushes pending replies and ends the process.
_Noreturn void cjq_leave(int status);

// Writes pending replies.
void cjq_flush(void);

void cjq_open(int descriptor);

// Returns the next request, valid until the following call. Ends the process when the connection closes.
struct cjq_frame cjq_receive(void);

// Whether every reply that has begun is complete, so that a signal handler may add one.
int cjq_is_between_replies(void);

void cjq_begin_reply(enum cjq_reply kind, size_t size);
void cjq_send(const char *bytes, size_t size);
void cjq_send_number(unsigned number);

// The number in four bytes of a request, little endian.
static inline unsigned cjq_number_at(const char *bytes) {
    const unsigned char *digits = (const unsigned char *)bytes;
    return digits[0] | (unsigned)digits[1] << 8 | (unsigned)digits[2] << 16 | (unsigned)digits[3] << 24;
}
