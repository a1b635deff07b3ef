// The floor: a line echo over one epoll set, the least a server of lines can do.
//
//     echo SOCKET
//
// It frames (only whole lines are answered) and nothing else. Ends on SIGTERM.
#include "bench.h"
#include <sys/epoll.h>

enum {
    max_line = 65536,   // one read; a longer line is a fault of the load
    turn_events = 256,  // connections looked at per turn
};

struct connection {
    int fd;
    size_t partial;  // bytes of a line whose end has not come yet
    char *kept;
};

static char buffer[2 * max_line];

static void serve(struct connection *c) {
    memcpy(buffer, c->kept, c->partial);
    ssize_t got = read(c->fd, buffer + c->partial, max_line);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {  // a peer that went away, with or without a reset
        close(c->fd);
        free(c->kept);
        free(c);
        return;
    }
    size_t total = c->partial + (size_t)got;
    char *last = memrchr(buffer, '\n', total);
    size_t whole = last ? (size_t)(last - buffer) + 1 : 0;
    c->partial = total - whole;
    if (c->partial > max_line) die("a line is too long");
    memcpy(c->kept, buffer + whole, c->partial);
    if (whole) send_all(c->fd, buffer, whole);
}

int main(int argc, char **argv) {
    if (argc != 2) die("usage: echo SOCKET");
    struct sockaddr_un address = unix_address(argv[1]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024))
        die("listen at %s: %s", argv[1], strerror(errno));

    int set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event interest = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(set, EPOLL_CTL_ADD, listener, &interest);
    for (;;) {
        struct epoll_event ready[turn_events];
        int count = epoll_wait(set, ready, turn_events, -1);
        if (count < 0 && errno != EINTR) die("epoll_wait: %s", strerror(errno));
        for (int i = 0; i < count; i++) {
            if (ready[i].data.ptr) {
                serve(ready[i].data.ptr);
                continue;
            }
            int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (fd < 0) continue;
            struct connection *c = calloc(1, sizeof *c);
            c->fd = fd;
            c->kept = malloc(max_line);
            interest.data.ptr = c;
            epoll_ctl(set, EPOLL_CTL_ADD, fd, &interest);
        }
    }
}
