// The latency of a request alone, and beside a reader of the log that is as fast as it can be.
//
//     catchup SOCKET SECONDS REQUEST EXPECTED SUBSCRIBE LINES
//
// One connection sends REQUEST once a millisecond and waits for the line that answers it, which must contain EXPECTED:
// for SECONDS alone, and for as long while another process subscribes with SUBSCRIBE, reads LINES, and begins again.
// Prints: the reader's lines/s, p50 and p99 in microseconds alone, and the same beside the reader.
#include "bench.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum {
    read_size = 1 << 20,
    most_requests = 1000000,
    pause_us = 1000,
    connect_limit_seconds = 5,
};

static uint32_t latencies[most_requests];
static char buffer[read_size];

// Reads the log, again and again.
__attribute__((noreturn)) static void follow(
    const char *path, const char *subscribe, uint64_t wanted, _Atomic uint64_t *lines) {
    for (;;) {
        int fd = connect_within(path, connect_limit_seconds * 1000000000ull);
        send_all(fd, subscribe, strlen(subscribe));
        uint64_t left = wanted;
        while (left) {
            ssize_t got = read(fd, buffer, sizeof buffer);
            if (got <= 0) die("the server closed the reader's connection");
            uint64_t count = 0;
            for (char *at = buffer, *end = buffer + got; (at = memchr(at, '\n', (size_t)(end - at))); at++) count++;
            atomic_fetch_add(lines, count);
            left -= count < left ? count : left;
        }
        close(fd);
    }
}

static void measure(int fd, const char *request, const char *answer, uint64_t seconds, double *p50, double *p99) {
    uint64_t deadline = now_ns() + seconds * 1000000000ull;
    size_t count = 0;
    while (now_ns() < deadline && count < most_requests) {
        uint64_t sent = now_ns();
        send_all(fd, request, strlen(request));
        size_t length = 0;
        do {
            ssize_t got = read(fd, buffer + length, sizeof buffer - length);
            if (got <= 0) die("the server closed the connection");
            length += (size_t)got;
        } while (buffer[length - 1] != '\n');
        uint64_t latency = now_ns() - sent;
        if (!memmem(buffer, length, answer, strlen(answer))) die("an unexpected reply: %.*s", (int)length, buffer);
        latencies[count++] = latency > UINT32_MAX ? UINT32_MAX : (uint32_t)latency;
        usleep(pause_us);
    }
    qsort(latencies, count, sizeof *latencies, compare_u32);
    *p50 = percentile(latencies, count, 0.5) / 1e3;
    *p99 = percentile(latencies, count, 0.99) / 1e3;
}

int main(int argc, char **argv) {
    if (argc != 7) die("usage: catchup SOCKET SECONDS REQUEST EXPECTED SUBSCRIBE LINES");
    const char *path = argv[1], *answer = argv[4];
    uint64_t seconds = strtoull(argv[2], NULL, 10);
    uint64_t wanted = strtoull(argv[6], NULL, 10);
    if (!seconds || !wanted) die("not a number: %s or %s", argv[2], argv[6]);
    char *request, *subscribe;
    if (asprintf(&request, "%s\n", argv[3]) < 0 || asprintf(&subscribe, "%s\n", argv[5]) < 0) die("no memory");
    _Atomic uint64_t *lines =
        mmap(NULL, sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (lines == MAP_FAILED) die("mmap: %s", strerror(errno));

    int fd = connect_within(path, connect_limit_seconds * 1000000000ull);
    double alone[2], beside[2];
    measure(fd, request, answer, seconds, &alone[0], &alone[1]);

    pid_t reader = fork();
    if (reader < 0) die("fork: %s", strerror(errno));
    if (reader == 0) follow(path, subscribe, wanted, lines);
    uint64_t deadline = now_ns() + connect_limit_seconds * 1000000000ull;
    while (atomic_load(lines) < 2) {
        if (now_ns() > deadline) die("the reader receives nothing");
        usleep(pause_us);
    }
    uint64_t before = atomic_load(lines), started = now_ns();
    measure(fd, request, answer, seconds, &beside[0], &beside[1]);
    double elapsed = (double)(now_ns() - started) / 1e9;
    uint64_t read_lines = atomic_load(lines) - before;
    kill(reader, SIGKILL);
    waitpid(reader, NULL, 0);
    printf("%.0f %.1f %.1f %.1f %.1f\n", (double)read_lines / elapsed, alone[0], alone[1], beside[0], beside[1]);
}
