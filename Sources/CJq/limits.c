#define _GNU_SOURCE
#include "limits.h"
#include "program.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

// Of jemalloc, if the program links it; see JEMALLOC(3). glibc's figures are 0 then.
extern int mallctl(const char *name, void *old, size_t *old_size, void *new, size_t new_size) __attribute__((weak));

// The size of the address space. Safe in a signal handler.
static long memory_in_use(void) {
    char text[32] = "";
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    long pages = 0;
    for (ssize_t index = 0; index < count && text[index] >= '0' && text[index] <= '9'; index++) {
        pages = pages * 10 + text[index] - '0';
    }
    return pages * sysconf(_SC_PAGESIZE);
}

static long memory_at_start, most_memory;

enum cjq_exit cjq_cause_of(int number) {
    if (number != SIGABRT) return cjq_exit_crash;
    if (cjq_is_out_of_memory) return cjq_exit_memory;
    // Swift aborts, too, when it gets no memory. That allocation may be several times its current size.
    return memory_in_use() - memory_at_start > most_memory / 4 ? cjq_exit_memory : cjq_exit_abort;
}

void cjq_keep_limits(int descriptor, struct cjq_limits limits, void (*take)(int)) {
    // The name for `top`, which would otherwise display "exe".
    prctl(PR_SET_NAME, "rxd-jq");
    // The parent may have ended already.
    if (getppid() != limits.parent) _exit(0);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    // After too deep a recursion there is no stack left for a handler.
    static char stack[65536];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = take, .sa_flags = SA_ONSTACK};
    sigfillset(&action.sa_mask);
    static const int signals[] = {SIGPROF, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (unsigned index = 0; index < sizeof signals / sizeof *signals; index++)
        sigaction(signals[index], &action, NULL);
    // With a mask of the parent, nothing would end it.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    memory_at_start = memory_in_use();
    most_memory = limits.memory;
    rlim_t memory = (rlim_t)(memory_at_start + most_memory);
    setrlimit(RLIMIT_AS, &(struct rlimit){memory, memory});
    // Close the other descriptors that the parent left open.
    close_range((unsigned)descriptor + 1, ~0U, 0);
}

long cjq_bytes_in_use(void) {
    // What this thread has allocated and freed in all: a worker has no other that does.
    uint64_t allocated = 0, freed = 0;
    size_t size = sizeof allocated;
    if (mallctl && mallctl("thread.allocated", &allocated, &size, NULL, 0) == 0
        && mallctl("thread.deallocated", &freed, &size, NULL, 0) == 0) return (long)(allocated - freed);
    struct mallinfo2 use = mallinfo2();
    return (long)(use.uordblks + use.hblkhd);
}

void cjq_hide_home(void) {
    setenv("HOME", "/nonexistent", 1);
}

void cjq_drop_environment(void) {
    // Not clearenv, because `env` would not survive it.
    static char *nothing[] = {NULL};
    environ = nothing;
}
