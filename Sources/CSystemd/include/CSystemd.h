// Two things that Swift cannot express: the CMSG macros that pass a file descriptor, and the seals of a memfd. And the
// declarations of libsystemd that the modules Systemd and RxSources use.
#pragma once

#include <stddef.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

/// Sends `size` bytes as one datagram on the connected socket `fd`, without waiting and without SIGPIPE.
/// A record too large for a datagram goes as a sealed memfd, as the journal's native protocol has it.
/// 0, or a negative errno.
int csystemd_send_record(int fd, const void *bytes, size_t size);
