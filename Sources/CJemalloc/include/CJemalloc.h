#pragma once

// What links this module has jemalloc for its allocator, with the settings in CJemalloc.c; nothing is called.
//
// glibc's allocator gives back only the pages between which no small piece lives, and one large request leaves many
// pieces. jemalloc keeps sizes apart, and gives pages back by itself.
