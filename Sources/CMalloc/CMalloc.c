#include "CMalloc.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

size_t cmalloc_free_bytes(void) { return mallinfo2().fordblks; }

size_t cmalloc_used_bytes(void) {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

ssize_t cmalloc_resident_bytes(void) {
    int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    char text[128];
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (length <= 0) return -1;
    text[length] = 0;
    // In pages: the whole, what is in memory, and what of that belongs to files.
    long resident, shared;
    if (sscanf(text, "%*d %ld %ld", &resident, &shared) != 2) return -1;
    return (ssize_t)(resident - shared) * sysconf(_SC_PAGESIZE);
}

void cmalloc_trim(void) { malloc_trim(0); }
