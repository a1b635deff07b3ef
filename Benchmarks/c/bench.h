// What the programs in this directory share: the clock, connecting to a server that may still be starting, and
// percentiles.
#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static inline struct sockaddr_un unix_address(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) die("the socket path is too long: %s", path);
    strcpy(address.sun_path, path);
    return address;
}

// -1 while nobody listens there.
static inline int try_connect(const char *path) {
    struct sockaddr_un address = unix_address(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) die("socket: %s", strerror(errno));
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    if (errno != ENOENT && errno != ECONNREFUSED && errno != EAGAIN) die("connect %s: %s", path, strerror(errno));
    close(fd);
    return -1;
}

static inline int connect_within(const char *path, uint64_t limit_ns) {
    uint64_t deadline = now_ns() + limit_ns;
    for (;;) {
        int fd = try_connect(path);
        if (fd >= 0) return fd;
        if (now_ns() > deadline) die("nobody answers at %s", path);
        usleep(1000);
    }
}

// Connections need descriptors: as many as the hard limit allows.
static inline void raise_open_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) die("getrlimit: %s", strerror(errno));
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit)) die("setrlimit: %s", strerror(errno));
}

// Small requests into an empty socket buffer: a short write means the server has stopped reading.
static inline void send_all(int fd, const char *bytes, size_t count) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) die("send: %s", strerror(errno));
    if ((size_t)sent != count) die("the server does not read its requests");
}

static inline int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Of sorted values; `share` from 0 to 1.
static inline uint32_t percentile(const uint32_t *sorted, size_t count, double share) {
    return sorted[(size_t)(share * (double)(count - 1))];
}
