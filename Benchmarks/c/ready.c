// Starts a daemon the way systemd does, and measures how soon it serves and how much memory it holds.
//
//     ready SOCKET IDLE_MS REQUEST PROGRAM [ARGUMENT…]
//
// SOCKET is where PROGRAM will listen, REQUEST a line it answers. Ends the daemon with SIGTERM. Prints: microseconds
// from before fork to READY=1 on NOTIFY_SOCKET, microseconds to the first reply, VmRSS in KiB after that reply, and
// VmRSS in KiB after IDLE_MS more.
#include "bench.h"
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

enum { start_limit_ms = 5000 };

static pid_t child;
static char notify_path[108];

static void leave(void) {
    if (child > 0) {
        kill(child, SIGTERM);
        for (int waited_ms = 0; waitpid(child, NULL, WNOHANG) == 0; waited_ms++) {
            if (waited_ms == start_limit_ms) kill(child, SIGKILL);
            usleep(1000);
        }
    }
    unlink(notify_path);
}

static long resident_kib(void) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", child);
    FILE *file = fopen(path, "r");
    long kib = -1;
    while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kib);
    if (kib < 0) die("the daemon has ended");
    fclose(file);
    return kib;
}

int main(int argc, char **argv) {
    if (argc < 5) die("usage: ready SOCKET IDLE_MS REQUEST PROGRAM [ARGUMENT…]");
    snprintf(notify_path, sizeof notify_path, "%s.notify", argv[1]);
    struct sockaddr_un address = unix_address(notify_path);
    int notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    unlink(notify_path);
    if (notify < 0 || bind(notify, (struct sockaddr *)&address, sizeof address))
        die("bind %s: %s", notify_path, strerror(errno));
    atexit(leave);
    setenv("NOTIFY_SOCKET", notify_path, 1);

    uint64_t start = now_ns();
    child = fork();
    if (child < 0) die("fork: %s", strerror(errno));
    if (child == 0) {
        execvp(argv[4], argv + 4);
        fprintf(stderr, "%s: %s\n", argv[4], strerror(errno));
        _exit(127);
    }

    uint64_t ready_at = 0;
    while (!ready_at) {
        struct pollfd wait = {.fd = notify, .events = POLLIN};
        if (poll(&wait, 1, start_limit_ms) != 1) die("no READY=1 within %d ms", start_limit_ms);
        char text[4096];
        ssize_t got = recv(notify, text, sizeof text - 1, 0);
        if (got < 0) die("recv: %s", strerror(errno));
        text[got] = 0;
        if (!strncmp(text, "READY=1", 7) || strstr(text, "\nREADY=1")) ready_at = now_ns();
    }

    int fd = try_connect(argv[1]);
    if (fd < 0) die("it said READY=1 and does not listen");
    send_all(fd, argv[3], strlen(argv[3]));
    send_all(fd, "\n", 1);
    char reply[65536];
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (poll(&wait, 1, start_limit_ms) != 1 || read(fd, reply, sizeof reply) <= 0) die("no reply");
    uint64_t reply_at = now_ns();
    long started_kib = resident_kib();
    close(fd);
    usleep((useconds_t)strtoul(argv[2], NULL, 10) * 1000);
    printf("%.0f %.0f %ld %ld\n", (double)(ready_at - start) / 1e3, (double)(reply_at - start) / 1e3, started_kib,
           resident_kib());
}
