#include "allocations.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_bool counting;
static atomic_uint_fast64_t count;

static inline void counted(void) {
    if (atomic_load_explicit(&counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) { counted(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { counted(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { counted(); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { counted(); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { counted(); return __libc_memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    counted();
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

void allocations_begin(void) {
    atomic_store(&count, 0);
    atomic_store(&counting, true);
}

uint64_t allocations_end(void) {
    atomic_store(&counting, false);
    return atomic_load(&count);
}

uint64_t allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
