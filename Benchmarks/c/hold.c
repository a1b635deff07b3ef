// Many connections that do nothing: what each costs the server, and whether it still answers all of them.
//
//     hold SOCKET PID COUNT SECONDS REQUEST EXPECTED [PUBLICATION]
//
// Opens COUNT connections to the server PID and sends REQUEST (a line) on each, to be answered within SECONDS with a
// line that contains EXPECTED. With PUBLICATION, a line sent on one more connection, each of them gets one line more;
// without, each is asked again. Prints: bytes of the server's own memory (anonymous, proportional) for a connection
// when all are open, the same after the second line, and the microseconds from the first byte of the second round to
// its last reply.
#include "bench.h"
#include <sys/epoll.h>

enum { max_count = 16000, turn_events = 256, read_size = 65536 };

static int fds[max_count];
static char received[max_count];
static size_t count;

static long anonymous_kib(const char *pid) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%s/smaps_rollup", pid);
    FILE *file = fopen(path, "r");
    long kib = -1;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Pss_Anon: %ld", &kib);
    if (kib < 0) die("cannot read %s", path);
    fclose(file);
    return kib;
}

// Reads until every connection has got one more whole line; each must contain `expected`.
static void collect(int set, const char *expected, uint64_t deadline) {
    static char buffer[read_size];
    memset(received, 0, count);
    for (size_t left = count; left;) {
        struct epoll_event ready[turn_events];
        int events = epoll_wait(set, ready, turn_events, 100);
        for (int i = 0; i < events; i++) {
            size_t index = ready[i].data.u64;
            ssize_t got = recv(fds[index], buffer, sizeof buffer, MSG_DONTWAIT);
            if (got < 0 && errno == EAGAIN) continue;
            if (got <= 0) die("the server closed a connection");
            if (!received[index] && !memmem(buffer, (size_t)got, expected, strlen(expected)))
                die("not what was expected: %.*s", (int)got, buffer);
            if (buffer[got - 1] != '\n') die("half a line");
            if (!received[index]) received[index] = 1, left--;
        }
        if (now_ns() > deadline) die("%zu of %zu connections are not answered", left, count);
    }
}

static void ask(int fd, const char *line) {
    send_all(fd, line, strlen(line));
    send_all(fd, "\n", 1);
}

int main(int argc, char **argv) {
    if (argc != 7 && argc != 8) die("usage: hold SOCKET PID COUNT SECONDS REQUEST EXPECTED [PUBLICATION]");
    count = strtoul(argv[3], NULL, 10);
    if (!count || count > max_count) die("a number is out of range");
    uint64_t seconds = strtoul(argv[4], NULL, 10), deadline = now_ns() + seconds * 1000000000ull;
    raise_open_files();
    int set = epoll_create1(EPOLL_CLOEXEC);

    // What the first connection of all costs belongs to the server.
    int publisher = connect_within(argv[1], seconds * 1000000000ull);
    ask(publisher, argv[argc == 8 ? 7 : 5]);
    char answer[read_size];
    if (read(publisher, answer, sizeof answer) <= 0) die("no answer");
    long before = anonymous_kib(argv[2]);

    for (size_t i = 0; i < count; i++) {
        fds[i] = connect_within(argv[1], seconds * 1000000000ull);
        struct epoll_event interest = {.events = EPOLLIN, .data.u64 = i};
        if (epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &interest)) die("epoll_ctl: %s", strerror(errno));
        ask(fds[i], argv[5]);
    }
    collect(set, argv[6], deadline);
    long open = anonymous_kib(argv[2]);

    uint64_t start = now_ns();
    if (argc == 8) {
        ask(publisher, argv[7]);
        collect(set, "", deadline);
    } else {
        for (size_t i = 0; i < count; i++) ask(fds[i], argv[5]);
        collect(set, argv[6], deadline);
    }
    uint64_t end = now_ns();
    long used = anonymous_kib(argv[2]);
    printf("%.0f %.0f %.0f\n", (double)(open - before) * 1024 / (double)count,
           (double)(used - before) * 1024 / (double)count, (double)(end - start) / 1e3);
}
