#include "CSQLite.h"

int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, size_t size) {
    return sqlite3_bind_text64(statement, index, bytes, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t size) {
    if (size == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, size, SQLITE_TRANSIENT);
}

int csqlite_switch(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)NULL);
}
