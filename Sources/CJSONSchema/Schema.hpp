#pragma once

#include "Checks.hpp"
#include "Document.hpp"

#include <deque>

namespace schema {

// The types of JSON Schema, one bit each; `integer` and `number` overlap.
using Types = unsigned;

enum Type : Types {
    typeString = 1,
    typeInteger = 2,
    typeNumber = 4,
    typeBoolean = 8,
    typeObject = 16,
    typeArray = 32,
    typeNull = 64,
};

struct Schema;

struct ArrayRules {
    // Of the first elements, one each.
    std::vector<const Schema *> items;
    // Of the elements behind them; null for any.
    const Schema *rest = nullptr;
    // Whether there may be none behind them.
    bool isClosed = false;
    bool isUnique = false;
    const Schema *contains = nullptr;
};

struct ObjectRules {
    struct Property {
        std::string_view name;
        const Schema *schema;
    };
    struct PropertyPattern {
        std::unique_ptr<const RE2> pattern;
        const Schema *schema;
    };
    struct Dependency {
        std::string_view name;
        // Either null or with no `names`.
        const Schema *schema;
        std::vector<std::string_view> names;
    };

    // In the order of the names.
    std::vector<Property> properties;
    std::vector<PropertyPattern> patterns;
    // Of members that neither of these describes; null for any.
    const Schema *rest = nullptr;
    // Whether there may be no such members.
    bool isClosed = false;
    std::vector<std::string_view> required;
    std::vector<Dependency> dependencies;
    const Schema *names = nullptr;
};

// One schema: every rule must accept a value. Schemas refer to each other, in circles too.
struct Schema {
    // The schema `false`.
    bool acceptsNothing = false;
    // Marks the value as a secret.
    bool isWriteOnly = false;
    // Those that the value may have; 0 for any.
    Types types = 0;
    Checks checks;
    std::unique_ptr<const ArrayRules> arrays;
    std::unique_ptr<const ObjectRules> objects;
    std::vector<const Schema *> allOf, anyOf, oneOf;
    const Schema *negated = nullptr;
    const Schema *condition = nullptr, *consequence = nullptr, *alternative = nullptr;
};

// A schema ready for use, with everything that it refers to. Never changes once it is made.
struct Compiled {
    // Pointers into it stay valid as it grows.
    std::deque<Schema> schemas;
    const Schema *root = nullptr;
    bool hasSecrets = false;
    // The schemas' strings and constants are in these.
    std::vector<std::unique_ptr<const Document>> documents;
};

// Something wrong with a schema or a value.
struct Fault {
    // A JSON Pointer. In another document than the first: that document's URI, "#", and a JSON Pointer.
    std::string path;
    std::string message;
};

}  // namespace schema
