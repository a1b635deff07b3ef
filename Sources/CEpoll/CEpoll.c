#define _GNU_SOURCE
#include "CEpoll.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

#define ANSWER(call)                                                                                                   \
    do {                                                                                                               \
        __typeof__(call) answer_;                                                                                      \
        do answer_ = (call);                                                                                           \
        while (answer_ < 0 && errno == EINTR);                                                                         \
        return answer_ < 0 ? -errno : answer_;                                                                         \
    } while (0)

_Static_assert(EPOLLIN == 0x1 && EPOLLOUT == 0x4 && EPOLLERR == 0x8 && EPOLLHUP == 0x10 && EPOLLET == 0x80000000u,
               "the header repeats these numbers");

int cepoll_create(void) { ANSWER(epoll_create1(EPOLL_CLOEXEC)); }

int cepoll_add(int epoll, int fd, uint32_t events, uint64_t key) {
    struct epoll_event event = {.events = events, .data.u64 = key};
    ANSWER(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
}

int cepoll_modify(int epoll, int fd, uint32_t events, uint64_t key) {
    struct epoll_event event = {.events = events, .data.u64 = key};
    ANSWER(epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event));
}

int cepoll_remove(int epoll, int fd) { ANSWER(epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL)); }

int cepoll_wait(int epoll, struct cepoll_event *into, int64_t nanoseconds) {
    struct epoll_event batch[cepoll_batch];
    int count;
    if (nanoseconds <= 0) {
        count = epoll_wait(epoll, batch, cepoll_batch, nanoseconds < 0 ? -1 : 0);
    } else {
        const int64_t second = 1000000000;
        struct timespec limit = {.tv_sec = nanoseconds / second, .tv_nsec = nanoseconds % second};
        count = epoll_pwait2(epoll, batch, cepoll_batch, &limit, NULL);
        if (count < 0 && errno == ENOSYS) {
            // Before Linux 5.11: whole milliseconds, rounded up so that no timer is early.
            int64_t milliseconds = (nanoseconds + 999999) / 1000000;
            count = epoll_wait(epoll, batch, cepoll_batch, milliseconds > INT32_MAX ? INT32_MAX : (int)milliseconds);
        }
    }
    if (count < 0) return errno == EINTR ? 0 : -errno;
    // epoll_event is packed on some machines, so Swift gets a struct of its own.
    for (int i = 0; i < count; i++) into[i] = (struct cepoll_event){batch[i].data.u64, batch[i].events};
    return count;
}

uint64_t cepoll_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void cepoll_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

int cepoll_access(
    const char *path, int mode, uint32_t user, uint32_t group, const uint32_t *groups, size_t count) {
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child == 0) {
        // The system calls themselves, which are safe after fork() in a process with threads.
        int is_other = syscall(SYS_setgroups, count, groups) == 0
            && syscall(SYS_setresgid, group, group, group) == 0 && syscall(SYS_setresuid, user, user, user) == 0;
        _exit(!is_other || access(path, mode) != 0 ? errno : 0);
    }
    int status, answer;
    do answer = waitpid(child, &status, 0);
    while (answer < 0 && errno == EINTR);
    if (answer < 0) return -errno;
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

int cepoll_eventfd(void) { ANSWER(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int cepoll_notify(int fd) {
    const uint64_t one = 1;
    ANSWER((int)write(fd, &one, sizeof one));
}

int64_t cepoll_wall_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t cepoll_elapsed(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int cepoll_wall_timer(void) { ANSWER(timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK)); }

int cepoll_wall_timer_set(int timer, int64_t microseconds) {
    // 0 would stop the timer, which then reports no changes of the clock.
    if (microseconds < 1) microseconds = 1;
    const struct itimerspec at = {
        .it_value = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000}};
    ANSWER(timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL));
}

int cepoll_wall_timer_read(int timer) {
    uint64_t times;
    ssize_t count;
    do count = read(timer, &times, sizeof times);
    while (count < 0 && errno == EINTR);
    if (count >= 0) return 1;
    return errno == EAGAIN ? 0 : -errno;
}

// Where the handler writes each signal's number; 0 for one that nobody catches.
static volatile sig_atomic_t signal_pipes[NSIG];

static void pass_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    // The other reasons for a signal have something else in the place of the sender.
    int has_sender = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
    struct cepoll_signal signal = {number, has_sender ? info->si_pid : 0, has_sender ? info->si_uid : 0};
    // A full pipe means that the loop has plenty to read already. So few bytes are written as a whole or not at all.
    ssize_t ignored = write(signal_pipes[number], &signal, sizeof signal);
    (void)ignored;
    errno = saved;
}

int cepoll_catch_signals(const int *signals, int count, int *write_end) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -errno;
    struct sigaction action;
    sigset_t set;
    memset(&action, 0, sizeof action);
    sigemptyset(&set);
    action.sa_sigaction = pass_signal;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    for (int i = 0; i < count; i++) {
        if (signals[i] <= 0 || signals[i] >= NSIG) errno = EINVAL;
        else {
            signal_pipes[signals[i]] = ends[1];
            sigaddset(&set, signals[i]);
            if (sigaction(signals[i], &action, NULL) == 0) continue;
        }
        int failure = errno;
        cepoll_release_signals(signals, i);
        close(ends[0]);
        close(ends[1]);
        return -failure;
    }
    // A parent may have left them blocked.
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    *write_end = ends[1];
    return ends[0];
}

void cepoll_release_signals(const int *signals, int count) {
    for (int i = 0; i < count; i++) signal(signals[i], SIG_IGN);
}

int cepoll_next_signal(int fd, struct cepoll_signal *signal) {
    ssize_t count;
    do count = read(fd, signal, sizeof *signal);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count == sizeof *signal ? signal->number : -EAGAIN;
}

int cepoll_socket(void) { ANSWER(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

int cepoll_accept(int listener) { ANSWER(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)); }

static socklen_t fill(struct sockaddr_un *address, const char *path, size_t length) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
}

int cepoll_path_limit(void) { return (int)sizeof(((struct sockaddr_un *)0)->sun_path) - 1; }

int cepoll_bind(int fd, const char *path, size_t length) {
    struct sockaddr_un address;
    socklen_t size = fill(&address, path, length);
    ANSWER(bind(fd, (struct sockaddr *)&address, size));
}

int cepoll_connect(int fd, const char *path, size_t length) {
    struct sockaddr_un address;
    socklen_t size = fill(&address, path, length);
    ANSWER(connect(fd, (struct sockaddr *)&address, size));
}

int cepoll_adopt(int fd) {
    int descriptor = fcntl(fd, F_GETFD), status = fcntl(fd, F_GETFL);
    if (descriptor < 0 || status < 0) return -errno;
    if (fcntl(fd, F_SETFD, descriptor | FD_CLOEXEC) < 0) return -errno;
    if (fcntl(fd, F_SETFL, status | O_NONBLOCK) < 0) return -errno;
    return 0;
}

int cepoll_option(int fd, int option) {
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &size) < 0 ? -errno : value;
}

int cepoll_bound_path(int fd, char *into, size_t capacity) {
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &size) < 0) return -errno;
    if (size <= offsetof(struct sockaddr_un, sun_path) || address.sun_path[0] == 0) return 0;
    size_t length = strnlen(address.sun_path, size - offsetof(struct sockaddr_un, sun_path));
    if (length > capacity) return -ERANGE;
    memcpy(into, address.sun_path, length);
    return (int)length;
}

// Not by recv and send, which are places where pthread_cancel may end a thread: to enter and to leave one costs as much
// as the rest of what the C library does here, and nobody cancels threads.
long cepoll_receive(int fd, void *into, size_t capacity) {
    ANSWER(syscall(SYS_recvfrom, fd, into, capacity, 0, NULL, NULL));
}

long cepoll_send(int fd, const void *bytes, size_t count) {
    ANSWER(syscall(SYS_sendto, fd, bytes, count, MSG_NOSIGNAL, NULL, 0));
}

int cepoll_peer(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int cepoll_peer_groups(int fd, uint32_t *into, int *capacity) {
    socklen_t size = (socklen_t)*capacity * sizeof(gid_t);
    int answer = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, into, &size);
    int failure = errno;
    *capacity = (int)(size / sizeof(gid_t));
    return answer < 0 ? -failure : *capacity;
}

int64_t cepoll_nanoseconds(const void *timespec) {
    const struct timespec *time = timespec;
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}
