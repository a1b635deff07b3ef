// One publisher, many subscribers, one thread: how many deliveries a second a server makes.
//
//     fanout rxd|redis SOCKET SUBSCRIBERS WINDOW PUBLICATIONS SECONDS BYTES
//
// The publisher keeps WINDOW publications of BYTES on their way: it sends a new one when the oldest has reached every
// subscriber. So a server that drops events for slow readers is never asked to.
//   rxd    `action.execute` of `echo`; the others subscribe to its elements
//   redis  PUBLISH and SUBSCRIBE
// Every publication must reach every subscriber within SECONDS, and the last thing each reads is checked.
// Prints: deliveries/s.
#include "bench.h"
#include <fcntl.h>
#include <sys/epoll.h>

enum {
    max_subscribers = 4096,
    max_window = 256,  // below the 1024 events rxd buffers for a subscription
    max_bytes = 4096,
    max_delivery = max_bytes + 1024,  // with what the protocol puts around it
    read_size = 262144,
    turn_events = 256,
    connect_limit_seconds = 5,
};

struct subscriber {
    int fd;
    uint64_t bytes;
    uint64_t received;
    size_t tail_length;
    char tail[max_delivery];  // the last bytes read
};

// By memchr, which is fast: the load must not be what is measured.
static size_t count_newlines(const char *bytes, size_t count) {
    size_t lines = 0;
    const char *end = bytes + count;
    while (bytes < end && (bytes = memchr(bytes, '\n', (size_t)(end - bytes)))) lines++, bytes++;
    return lines;
}

// Sends `request` and reads until the reply ends with `end`; the reply must contain `expected`.
static void subscribe(int fd, const char *request, const char *end, const char *expected) {
    char reply[max_delivery];
    size_t length = 0;
    send_all(fd, request, strlen(request));
    while (length < strlen(end) || memcmp(reply + length - strlen(end), end, strlen(end))) {
        ssize_t got = read(fd, reply + length, sizeof reply - length);
        if (got <= 0) die("no reply to a subscription");
        length += (size_t)got;
    }
    if (!memmem(reply, length, expected, strlen(expected))) die("an unexpected reply: %.*s", (int)length, reply);
}

static void keep_tail(struct subscriber *s, const char *bytes, size_t count) {
    if (count >= max_delivery) {
        memcpy(s->tail, bytes + count - max_delivery, max_delivery);
        s->tail_length = max_delivery;
        return;
    }
    size_t kept = s->tail_length + count > max_delivery ? max_delivery - count : s->tail_length;
    memmove(s->tail, s->tail + s->tail_length - kept, kept);
    memcpy(s->tail + kept, bytes, count);
    s->tail_length = kept + count;
}

int main(int argc, char **argv) {
    if (argc != 8) die("usage: fanout rxd|redis SOCKET SUBSCRIBERS WINDOW PUBLICATIONS SECONDS BYTES");
    int redis = !strcmp(argv[1], "redis");
    size_t subscribers = strtoul(argv[3], NULL, 10), window = strtoul(argv[4], NULL, 10);
    uint64_t wanted = strtoull(argv[5], NULL, 10), seconds = strtoull(argv[6], NULL, 10);
    size_t bytes = strtoul(argv[7], NULL, 10);
    if (!subscribers || subscribers > max_subscribers || !window || window > max_window || !wanted || !seconds ||
        !bytes || bytes > max_bytes)
        die("a number is out of range");

    raise_open_files();
    char payload[max_bytes + 1] = {0};
    for (size_t i = 0; i < bytes; i++) payload[i] = (char)('a' + i % 26);
    char publication[max_delivery];
    size_t publication_length = (size_t)snprintf(
        publication, sizeof publication,
        redis ? "*3\r\n$7\r\nPUBLISH\r\n$4\r\necho\r\n$%zu\r\n%s\r\n"
              : "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"action.execute\","
                "\"params\":{\"action\":\"echo\",\"input\":\"%s\"}}\n",
        bytes, payload);
    // What one delivery is on the wire; rxd's vary in the digits of their numbers and are counted by line instead.
    char delivery[max_delivery];
    size_t delivery_length = (size_t)snprintf(delivery, sizeof delivery,
                                              "*3\r\n$7\r\nmessage\r\n$4\r\necho\r\n$%zu\r\n%s\r\n", bytes, payload);

    int set = epoll_create1(EPOLL_CLOEXEC);
    struct subscriber *all = calloc(subscribers, sizeof *all);
    for (size_t i = 0; i < subscribers; i++) {
        int fd = all[i].fd = connect_within(argv[2], connect_limit_seconds * 1000000000ull);
        if (redis)
            subscribe(fd, "*2\r\n$9\r\nSUBSCRIBE\r\n$4\r\necho\r\n", ":1\r\n", "subscribe");
        else
            subscribe(fd,
                      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscribe\",\"params\":"
                      "{\"subscription\":\"s\",\"action\":\"echo\",\"channels\":[\"elements\"]}}\n",
                      "\n", "\"snapshot\"");
        fcntl(fd, F_SETFL, O_NONBLOCK);
        struct epoll_event interest = {.events = EPOLLIN, .data.ptr = &all[i]};
        epoll_ctl(set, EPOLL_CTL_ADD, fd, &interest);
    }
    int publisher = connect_within(argv[2], connect_limit_seconds * 1000000000ull);
    fcntl(publisher, F_SETFL, O_NONBLOCK);
    struct epoll_event interest = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(set, EPOLL_CTL_ADD, publisher, &interest);

    // How many subscribers have each publication of the window; `complete` have reached them all.
    size_t reached[max_window] = {0};
    uint64_t published = 0, complete = 0, answered = 0;
    static char buffer[read_size];
    uint64_t start = now_ns(), deadline = start + seconds * 1000000000ull;
    while (complete < wanted || answered < wanted) {
        size_t room = complete + window - published;
        if (room > wanted - published) room = wanted - published;
        for (size_t i = 0; i < room; i++) memcpy(buffer + i * publication_length, publication, publication_length);
        if (room) send_all(publisher, buffer, room * publication_length);
        published += room;

        struct epoll_event ready[turn_events];
        int count = epoll_wait(set, ready, turn_events, 100);
        if (count < 0 && errno != EINTR) die("epoll_wait: %s", strerror(errno));
        for (int i = 0; i < count; i++) {
            struct subscriber *s = ready[i].data.ptr;
            ssize_t got = read(s ? s->fd : publisher, buffer, sizeof buffer);
            if (got < 0 && errno == EAGAIN) continue;
            if (got <= 0) die("the server closed a connection");
            if (!s) {
                answered += count_newlines(buffer, (size_t)got);
                continue;
            }
            s->bytes += (uint64_t)got;
            uint64_t received = redis ? s->bytes / delivery_length : s->received + count_newlines(buffer, (size_t)got);
            if (received > published) die("more deliveries than publications");
            while (s->received < received) reached[s->received++ % window]++;
            // Only the last delivery is looked at: the load must not be what is measured.
            if (received + 1 >= wanted) keep_tail(s, buffer, (size_t)got);
        }
        while (complete < published && reached[complete % window] == subscribers) reached[complete++ % window] = 0;
        if (now_ns() > deadline)
            die("only %lu of %lu publications reached all within %lu s", complete, wanted, seconds);
    }
    double elapsed = (double)(now_ns() - start) / 1e9;

    char last[64];
    snprintf(last, sizeof last, "\"seq\":%lu,", wanted);
    for (size_t i = 0; i < subscribers; i++) {
        const char *end = all[i].tail + all[i].tail_length;
        const char *begin = redis ? end - delivery_length : memrchr(all[i].tail, '\n', all[i].tail_length - 1);
        if (!begin) begin = all[i].tail;
        if (!memmem(begin, (size_t)(end - begin), payload, bytes) ||
            (!redis && !memmem(begin, (size_t)(end - begin), last, strlen(last))))
            die("a wrong last delivery: %.*s", (int)(end - begin), begin);
    }
    printf("%.0f\n", (double)(wanted * subscribers) / elapsed);
}
