// The load generator, the same for every server: one thread, one epoll set, a closed loop.
//
//     load line|resp SOCKET CLIENTS DEPTH REQUESTS SECONDS TEXT EXPECTED
//
// Each of CLIENTS connections keeps DEPTH requests on their way and sends a new one for each reply, until REQUESTS
// replies have come (the first tenth warms up and is not counted) or SECONDS are over, which is a failure.
//   line  a request is TEXT and a newline; a reply is one line (rxd, the C echo)
//   resp  a request is `ECHO TEXT`; a reply is a RESP bulk string (redis)
// A connection's first reply must contain EXPECTED and the others must be as long as the first, of lines but for the
// digits of a number, so that a server that answers with errors does not look fast. Prints: requests/s, p50 and p99
// latency in microseconds.
#include "bench.h"
#include <fcntl.h>
#include <sys/epoll.h>

enum {
    max_clients = 4096,
    max_depth = 1024,
    max_reply = 16384,
    read_size = 65536,
    turn_events = 256,
    connect_limit_seconds = 5,
    number_digits = 8,
};

struct connection {
    int fd;
    uint64_t sent[max_depth];  // when each request on its way was sent, oldest first from `oldest`
    unsigned oldest, in_flight;
    size_t reply_length;     // bytes seen of the reply being read
    size_t expected_length;  // of every reply, once the first is known
    size_t bulk_left;        // resp: bytes left of the bulk string and its CRLF, 0 in the header
    size_t bulk_length;
    char first[max_reply];
};

static const char *expected;
static char *requests;  // `depth` of them, to be sent in one write
static size_t request_length;
static unsigned depth;
static uint64_t unsent, wanted, warm_up, replies, counted;
static uint64_t started_at;
static uint32_t *latencies;
static size_t digits;  // by which a reply may be longer than the first

static void reply_ended(struct connection *c, uint64_t now) {
    if (!c->expected_length) {
        if (!memmem(c->first, c->reply_length, expected, strlen(expected)))
            die("an unexpected reply: %.*s", (int)c->reply_length, c->first);
        c->expected_length = c->reply_length;
    } else if (c->reply_length < c->expected_length || c->reply_length > c->expected_length + digits) {
        die("a reply of %zu bytes after one of %zu", c->reply_length, c->expected_length);
    }
    c->reply_length = 0;
    if (!c->in_flight) die("a reply to no request");
    uint64_t latency = now - c->sent[c->oldest];
    c->oldest = (c->oldest + 1) % depth;
    c->in_flight--;
    if (++replies == warm_up) started_at = now;
    if (replies > warm_up && counted < wanted)
        latencies[counted++] = latency > UINT32_MAX ? UINT32_MAX : (uint32_t)latency;
}

// Takes `count` bytes as part of the reply being read.
static void take(struct connection *c, const char *bytes, size_t count) {
    if (!c->expected_length) {
        if (c->reply_length + count > max_reply) die("a reply is too long");
        memcpy(c->first + c->reply_length, bytes, count);
    }
    c->reply_length += count;
}

static void read_lines(struct connection *c, const char *at, size_t left, uint64_t now) {
    while (left) {
        const char *end = memchr(at, '\n', left);
        size_t count = end ? (size_t)(end - at) + 1 : left;
        take(c, at, count);
        at += count, left -= count;
        if (end) reply_ended(c, now);
    }
}

static void read_bulks(struct connection *c, const char *at, size_t left, uint64_t now) {
    while (left) {
        if (c->bulk_left) {
            size_t count = left < c->bulk_left ? left : c->bulk_left;
            take(c, at, count);
            at += count, left -= count;
            c->bulk_left -= count;
            if (!c->bulk_left) reply_ended(c, now);
            continue;
        }
        if (c->reply_length == 0 && *at != '$') die("an unexpected reply: %.*s", (int)left, at);
        if (*at >= '0' && *at <= '9') c->bulk_length = c->bulk_length * 10 + (size_t)(*at - '0');
        if (*at == '\n') c->bulk_left = c->bulk_length + 2, c->bulk_length = 0;
        take(c, at, 1);
        at++, left--;
    }
}

static void fill(struct connection *c) {
    unsigned count = depth - c->in_flight;
    if (count > unsent) count = (unsigned)unsent;
    if (!count) return;
    unsent -= count;
    uint64_t now = now_ns();
    for (unsigned i = 0; i < count; i++) c->sent[(c->oldest + c->in_flight++) % depth] = now;
    send_all(c->fd, requests, count * request_length);
}

static uint64_t number(const char *text, uint64_t least, uint64_t most) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*end || value < least || value > most) die("not a number from %lu to %lu: %s", least, most, text);
    return value;
}

int main(int argc, char **argv) {
    if (argc != 9) die("usage: load line|resp SOCKET CLIENTS DEPTH REQUESTS SECONDS TEXT EXPECTED");
    int resp = !strcmp(argv[1], "resp");
    digits = resp ? 0 : number_digits;
    const char *path = argv[2], *text = argv[7];
    unsigned clients = (unsigned)number(argv[3], 1, max_clients);
    depth = (unsigned)number(argv[4], 1, max_depth);
    uint64_t total = number(argv[5], 10, 100000000);
    uint64_t seconds = number(argv[6], 1, 600);
    expected = argv[8];

    char *request;
    int length = resp ? asprintf(&request, "*2\r\n$4\r\nECHO\r\n$%zu\r\n%s\r\n", strlen(text), text)
                      : asprintf(&request, "%s\n", text);
    request_length = (size_t)length;
    requests = malloc(depth * request_length);
    for (unsigned i = 0; i < depth; i++) memcpy(requests + i * request_length, request, request_length);

    unsent = total;
    warm_up = total / 10;
    wanted = total - warm_up;
    latencies = malloc(wanted * sizeof *latencies);
    memset(latencies, 0, wanted * sizeof *latencies);  // no page faults while measuring

    int set = epoll_create1(EPOLL_CLOEXEC);
    struct connection *connections = calloc(clients, sizeof *connections);
    for (unsigned i = 0; i < clients; i++) {
        struct connection *c = &connections[i];
        c->fd = connect_within(path, connect_limit_seconds * 1000000000ull);
        fcntl(c->fd, F_SETFL, O_NONBLOCK);
        struct epoll_event interest = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(set, EPOLL_CTL_ADD, c->fd, &interest);
    }
    uint64_t deadline = now_ns() + seconds * 1000000000ull;
    for (unsigned i = 0; i < clients; i++) fill(&connections[i]);

    static char buffer[read_size];
    while (counted < wanted) {
        struct epoll_event ready[turn_events];
        int count = epoll_wait(set, ready, turn_events, 100);
        if (count < 0 && errno != EINTR) die("epoll_wait: %s", strerror(errno));
        for (int i = 0; i < count; i++) {
            struct connection *c = ready[i].data.ptr;
            ssize_t got = read(c->fd, buffer, sizeof buffer);
            if (got < 0 && errno == EAGAIN) continue;
            if (got <= 0) die("the server closed a connection after %lu replies", replies);
            (resp ? read_bulks : read_lines)(c, buffer, (size_t)got, now_ns());
            fill(c);
        }
        if (now_ns() > deadline) die("only %lu of %lu replies within %lu s", replies, total, seconds);
    }
    double elapsed = (double)(now_ns() - started_at) / 1e9;
    qsort(latencies, wanted, sizeof *latencies, compare_u32);
    printf("%.0f %.1f %.1f\n", (double)wanted / elapsed, percentile(latencies, wanted, 0.5) / 1e3,
           percentile(latencies, wanted, 0.99) / 1e3);
}
