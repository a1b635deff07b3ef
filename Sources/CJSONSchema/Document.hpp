#pragma once

#include "Value.hpp"

#include <memory>
#include <memory_resource>

namespace schema {

// Reads a JSON text with simdjson and owns the values in it.
//
// A number beyond 64 bits is a double, as it is for most readers; the last of several members with the same key counts.
// Reads one text after another with the same memory.
class Document {
public:
    Document();
    ~Document();

    // Null for a text that is not JSON. Values of the text read before are gone. Throws `std::bad_alloc`.
    const Value *read(std::string_view text);

    // Gives back the memory that only reading needs; the values stay.
    void finishReading();

private:
    struct Tables;

    // Null once reading is finished.
    std::unique_ptr<Tables> tables;
    std::unique_ptr<uint8_t[]> strings;
    std::pmr::monotonic_buffer_resource arena;
    Value root;

    friend struct Builder;
};

}  // namespace schema
