// The floor of running a program: posix_spawn and waitpid in a loop.
//
//     spawn COUNT PROGRAM
//
// Prints: processes/s, p50 and p99 in microseconds.
#include "bench.h"
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv) {
    if (argc != 3) die("usage: spawn COUNT PROGRAM");
    size_t count = strtoul(argv[1], NULL, 10);
    if (count < 10 || count > 1000000) die("not a count from 10 to 1000000: %s", argv[1]);
    uint32_t *times = calloc(count, sizeof *times);
    char *arguments[] = {argv[2], NULL};
    uint64_t start = now_ns();
    for (size_t i = 0; i < count; i++) {
        uint64_t before = now_ns();
        pid_t pid;
        int error = posix_spawn(&pid, argv[2], NULL, NULL, arguments, environ);
        if (error) die("posix_spawn %s: %s", argv[2], strerror(error));
        int status;
        if (waitpid(pid, &status, 0) != pid || status != 0) die("%s did not succeed", argv[2]);
        times[i] = (uint32_t)(now_ns() - before);
    }
    double elapsed = (double)(now_ns() - start) / 1e9;
    qsort(times, count, sizeof *times, compare_u32);
    printf("%.0f %.1f %.1f\n", (double)count / elapsed, percentile(times, count, 0.5) / 1e3,
           percentile(times, count, 0.99) / 1e3);
}
