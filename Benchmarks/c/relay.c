// The floor of fan-out: every publication to every subscriber, in lines as long as rxd's, the least a server of them
// can do.
//
//     relay SOCKET
//
// A line with `"method":"subscribe"` makes its sender a subscriber; any other is a publication, whose "input" each
// subscriber gets in a line with a number of its own. All lines of a turn for one subscriber are one write. Ends on
// SIGTERM.
#include "bench.h"
#include <fcntl.h>
#include <sys/epoll.h>

enum {
    max_subscribers = 4096,
    max_turn = 262144,  // bytes for one subscriber in one turn
    read_size = 65536,
    turn_events = 256,
};

struct subscriber {
    int fd;
    unsigned sequence;
};

static struct subscriber subscribers[max_subscribers];
static size_t count;

// The ends of this turn's lines: each is what follows the number.
static char tails[max_turn];
static size_t tail_ends[1024], tail_count;

static void publish(const char *line, size_t length) {
    static unsigned long cursor;
    const char *input = memmem(line, length, "\"input\":", 8);
    if (!input || tail_count == sizeof tail_ends / sizeof *tail_ends) die("not a publication, or too many");
    input += 8;
    size_t begin = tail_count ? tail_ends[tail_count - 1] : 0;
    int head = snprintf(tails + begin, sizeof tails - begin,
                        ",\"cursor\":\"7c1f00aa:%lu\",\"time\":\"2026-11-21T01:02:03.123Z\",\"channel\":\"elements\","
                        "\"action\":\"echo\",\"execution\":\"01234567-89ab-7def-8123-456789abcdef\",\"value\":",
                        cursor += 5);
    size_t value = (size_t)(line + length - 2 - input);  // without the braces that end params and the request
    if (begin + (size_t)head + value + 3 > sizeof tails) die("a turn is too long");
    memcpy(tails + begin + head, input, value);
    memcpy(tails + begin + (size_t)head + value, "}}\n", 3);
    tail_ends[tail_count++] = begin + (size_t)head + value + 3;
}

static void deliver(void) {
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"subscription\":\"s\",\"seq\":";
    static char lines[2 * max_turn];
    for (size_t i = 0; i < count; i++) {
        size_t length = 0, begin = 0;
        for (size_t t = 0; t < tail_count; t++) {
            memcpy(lines + length, head, sizeof head - 1);
            length += sizeof head - 1;
            char digits[12];
            int first = sizeof digits;
            for (unsigned left = ++subscribers[i].sequence; left; left /= 10) digits[--first] = (char)('0' + left % 10);
            memcpy(lines + length, digits + first, sizeof digits - (size_t)first);
            length += sizeof digits - (size_t)first;
            memcpy(lines + length, tails + begin, tail_ends[t] - begin);
            length += tail_ends[t] - begin;
            begin = tail_ends[t];
        }
        send_all(subscribers[i].fd, lines, length);
    }
    tail_count = 0;
}

static void leave(int fd) {
    for (size_t i = 0; i < count; i++) {
        if (subscribers[i].fd == fd) subscribers[i] = subscribers[--count];
    }
    close(fd);
}

static void serve(int fd) {
    static char buffer[read_size];
    static char replies[read_size];
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return leave(fd);
    size_t answered = 0;
    for (char *line = buffer, *end; line < buffer + got; line = end + 1) {
        // The load sends whole lines, fewer at a time than fit the buffer.
        end = memchr(line, '\n', (size_t)(buffer + got - line));
        if (!end) die("half a line");
        if (memmem(line, (size_t)(end - line), "\"method\":\"subscribe\"", 20)) {
            if (count == max_subscribers) die("too many subscribers");
            subscribers[count++] = (struct subscriber){fd, 0};
            answered += (size_t)sprintf(replies + answered, "{\"snapshot\":{}}\n");
        } else {
            publish(line, (size_t)(end - line));
            answered += (size_t)sprintf(replies + answered, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
        }
    }
    send_all(fd, replies, answered);
}

int main(int argc, char **argv) {
    if (argc != 2) die("usage: relay SOCKET");
    raise_open_files();
    struct sockaddr_un address = unix_address(argv[1]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024))
        die("listen at %s: %s", argv[1], strerror(errno));

    int set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event interest = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(set, EPOLL_CTL_ADD, listener, &interest);
    for (;;) {
        struct epoll_event ready[turn_events];
        int events = epoll_wait(set, ready, turn_events, -1);
        if (events < 0 && errno != EINTR) die("epoll_wait: %s", strerror(errno));
        for (int i = 0; i < events; i++) {
            if (ready[i].data.fd != listener) {
                serve(ready[i].data.fd);
                continue;
            }
            int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (fd < 0) continue;
            interest.data.fd = fd;
            epoll_ctl(set, EPOLL_CTL_ADD, fd, &interest);
        }
        if (tail_count) deliver();
    }
}
