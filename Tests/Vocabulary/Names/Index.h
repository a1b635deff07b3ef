// The C interface of the toolchain's index store reader, as Names.swift imports it.
#include <indexstore/indexstore.h>
