// The limits of a worker process, and its view of its own size.
#pragma once

#include "CJq.h"

// Sets the limits of memory, descriptors, and core dumps. `take` handles the signals of a process that has used too
// much of something or is broken: SIGPROF, and those that `cjq_cause_of` knows.
void cjq_keep_limits(int descriptor, struct cjq_limits limits, void (*take)(int));

// The cause of the end by SIGABRT, SIGSEGV, and the like. Safe in a signal handler.
enum cjq_exit cjq_cause_of(int number);

// The bytes that the thread has allocated, or with glibc's allocator the process.
long cjq_bytes_in_use(void);

// jq reads definitions from the home directory when it compiles.
void cjq_hide_home(void);
// Programs must not see an environment.
void cjq_drop_environment(void);
