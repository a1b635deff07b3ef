#pragma once

// Why this exists: Swift's Glibc module leaves out <malloc.h>.

#include <stddef.h>
#include <sys/types.h>

/// Bytes that the allocator keeps for later, whether or not their pages were given back to the system.
size_t cmalloc_free_bytes(void);

/// Bytes that are allocated, with what the allocator adds to each piece.
size_t cmalloc_used_bytes(void);

/// Bytes of memory that the process has from the system, without those of files; -1 if unknown.
ssize_t cmalloc_resident_bytes(void);

/// Gives the pages of what is free back to the system. Takes some milliseconds.
void cmalloc_trim(void);
