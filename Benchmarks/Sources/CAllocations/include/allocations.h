// Counts what is allocated, for the Swift benchmarks: this program's `malloc` and its like stand before those of glibc.
#pragma once
#include <stdint.h>

// Counts from now on, from zero. Off while the time is taken.
void allocations_begin(void);
// Stops counting and returns how many there were, on all threads.
uint64_t allocations_end(void);
// Bytes that are allocated now, with what malloc itself needs for them.
uint64_t allocated_bytes(void);
