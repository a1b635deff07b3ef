#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace schema {

using Json = nlohmann::json;

// An order of all JSON values in which equal means what JSON Schema calls equal: 1 is 1.0, members have no order.
int compare(const Json &one, const Json &other);

// Whether a number has no fraction: 1.0 is an integer, in draft 7.
bool isInteger(const Json &number);

// Of the numbers as they are written in decimal: 19.99 is a multiple of 0.01, though their doubles do not divide.
bool isMultiple(const Json &number, const Json &divisor);

// Unicode code points.
size_t characters(const std::string &utf8);

// One step of a way into a value, kept on the stack; the pointer's text is made only for what is told.
struct Place {
    const Place *parent = nullptr;
    const std::string *key = nullptr;  // or an index
    size_t index = 0;

    std::string pointer() const;
};

}  // namespace schema
