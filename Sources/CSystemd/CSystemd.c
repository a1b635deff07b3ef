#define _GNU_SOURCE
#include "CSystemd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

// A memfd that nobody can change any more: the journal maps it and refuses anything less.
static int sealed_memfd(const char *bytes, size_t size) {
    int memfd = memfd_create("journal-record", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memfd < 0) return -errno;
    while (size > 0) {
        ssize_t written = write(memfd, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) goto failed;
        bytes += written;
        size -= (size_t)written;
    }
    if (fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0) return memfd;
failed:;
    int error = errno ? errno : EIO;
    close(memfd);
    return -error;
}

static int send_descriptor(int fd, int passed) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof passed);
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int csystemd_send_record(int fd, const void *bytes, size_t size) {
    if (send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return 0;
    if (errno != EMSGSIZE && errno != ENOBUFS) return -errno;
    int memfd = sealed_memfd(bytes, size);
    if (memfd < 0) return memfd;
    int result = send_descriptor(fd, memfd);
    close(memfd);
    return result;
}
