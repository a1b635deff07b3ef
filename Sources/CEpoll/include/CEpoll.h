#pragma once

// Why this exists: Swift's Glibc module leaves out epoll, eventfd, accept4 and SO_PEERGROUPS, imports
// sockaddr_un as a 108-tuple, and reads errno after code of its own may have changed it. Each function here is one
// system call (restarted after EINTR) that answers what the kernel answered, or -errno.

// No system header is included: the types it declares would belong to this module instead of Glibc for its importers.
#include <stddef.h>
#include <stdint.h>

struct cepoll_event {
    uint64_t key;
    uint32_t events;
};

// EPOLLIN, EPOLLOUT, EPOLLHUP | EPOLLERR, EPOLLET
static const uint32_t cepoll_in = 0x1u;
static const uint32_t cepoll_out = 0x4u;
static const uint32_t cepoll_gone = 0x10u | 0x8u;
static const uint32_t cepoll_edge = 0x80000000u;

int cepoll_create(void);
int cepoll_add(int epoll, int fd, uint32_t events, uint64_t key);
int cepoll_modify(int epoll, int fd, uint32_t events, uint64_t key);
int cepoll_remove(int epoll, int fd);

/// More events than this are left for the next call.
static const int cepoll_batch = 256;
/// Waits for at most `nanoseconds` (negative: for ever) and answers how many events it wrote to `into`, which has room
/// for `cepoll_batch`; 0 when a signal cut the wait short.
int cepoll_wait(int epoll, struct cepoll_event *into, int64_t nanoseconds);

/// Nanoseconds of CLOCK_MONOTONIC.
uint64_t cepoll_now(void);

/// Names the calling thread; the kernel keeps 15 bytes.
void cepoll_name_thread(const char *name);

/// access(2) as another user, in a short-lived child process: 0, or an errno below 0. Only root may do this.
int cepoll_access(
    const char *path, int mode, uint32_t user, uint32_t group, const uint32_t *groups, size_t count);

int cepoll_eventfd(void);
int cepoll_notify(int eventfd);

/// Microseconds of CLOCK_REALTIME since 1970, rounded down.
int64_t cepoll_wall_now(void);
/// Nanoseconds of CLOCK_BOOTTIME, which no one sets and which passes while the machine is suspended.
int64_t cepoll_elapsed(void);
/// A timer of CLOCK_REALTIME: readable when its time has come, or when the clock was set.
int cepoll_wall_timer(void);
/// The microsecond since 1970 at which it becomes readable; at once for one that has passed. -ECANCELED if the clock
/// was set since the last call or reading: the timer is set nevertheless, but does not report that change any more.
int cepoll_wall_timer_set(int timer, int64_t microseconds);
/// 1 if the time has come, 0 if it has not, -ECANCELED if the clock was set.
int cepoll_wall_timer_read(int timer);

/// Catches the signals, whichever thread they come to, unblocks them for this one, and answers the read end of a pipe
/// that they go through.
int cepoll_catch_signals(const int *signals, int count, int *write_end);
/// Ignores them from now on. The ends of the pipe are the caller's to close.
void cepoll_release_signals(const int *signals, int count);
/// A signal, with the process and the user that sent it; 0 for both if a process did not send it.
struct cepoll_signal {
    int32_t number;
    int32_t pid;
    uint32_t uid;
};
/// Takes the next signal from the pipe. Its number, or -EAGAIN.
int cepoll_next_signal(int read_end, struct cepoll_signal *signal);

/// Unix stream sockets: close-on-exec and non-blocking from birth.
int cepoll_socket(void);
int cepoll_accept(int listener);
/// `path` without its terminator; the caller has checked that it fits `cepoll_path_limit`.
int cepoll_bind(int fd, const char *path, size_t length);
int cepoll_connect(int fd, const char *path, size_t length);
int cepoll_path_limit(void);
/// Makes an inherited descriptor close-on-exec and non-blocking.
int cepoll_adopt(int fd);
/// An integer option of SOL_SOCKET.
int cepoll_option(int fd, int option);
/// The path a socket is bound to; its length, 0 when it has none.
int cepoll_bound_path(int fd, char *into, size_t capacity);

long cepoll_receive(int fd, void *into, size_t capacity);
/// Never raises SIGPIPE.
long cepoll_send(int fd, const void *bytes, size_t count);

int cepoll_peer(int fd, int32_t *pid, uint32_t *uid, uint32_t *gid);
/// The number of groups written; -ERANGE with the number needed in `capacity` when it is too small.
int cepoll_peer_groups(int fd, uint32_t *into, int *capacity);

// The nanoseconds of a `struct timespec`. Which module declares that type depends on what else a file imports, so Swift
// may not see its fields.
int64_t cepoll_nanoseconds(const void *timespec);

