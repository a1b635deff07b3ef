// SQLite seen from Swift: all of sqlite3.h, and what of it Swift cannot call, because it is variadic or a macro that
// stands for a function pointer.
#pragma once

#include <sqlite3.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Binds a copy of `size` bytes of UTF-8. Null bytes bind NULL.
int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, size_t size);

// Binds a copy of `size` bytes as a BLOB, which may be empty.
int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t size);

// Sets one of the SQLITE_DBCONFIG options that are switches.
int csqlite_switch(sqlite3 *database, int option, int on);

#ifdef __cplusplus
}
#endif
