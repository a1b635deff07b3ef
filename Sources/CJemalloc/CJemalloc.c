#include "CJemalloc.h"

#include <jemalloc/jemalloc.h>

// jemalloc reads it before `main`, and then MALLOC_CONF of the environment. Few arenas share what is free, pages go
// back once they have been free for 10 ms, and a thread keeps only small pieces for itself. Unmapped is better than
// retained: the limit of jq's workers counts addresses.
const char *malloc_conf =
    "narenas:2,dirty_decay_ms:10,muzzy_decay_ms:0,retain:false,background_thread:true,lg_tcache_max:11";
