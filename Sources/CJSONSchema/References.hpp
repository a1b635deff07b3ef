#pragma once

#include "Document.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace schema {

// A schema in a document.
struct Location {
    const Value *value = nullptr;
    // As in `Fault`.
    std::string path;
};

// A document that a schema refers to, as the caller of the compiler has it.
struct Answer {
    enum class Kind { unknown, text, failure };

    Kind kind = Kind::unknown;
    // The document, or why it cannot be had: a verb and what follows, whose subject is the document.
    std::string text;
};

using FindDocument = std::function<Answer(const std::string &uri)>;

// Calls `body(schema, path)` for each schema directly within one, in the order of the keywords. Skips what is not of
// the type that its keyword wants.
void forEachSubschema(
    const Value &schema, const std::string &path,
    const std::function<void(const Value &schema, const std::string &path)> &body);

// Finds the schemas that references lead to (draft 7, section 8): by `$id` or by the URI of a document, and within it
// by JSON Pointer or by name.
//
// Reads documents as they are needed, and fetches nothing.
class References {
public:
    // `root` is the first document's. `base` is its URI; empty if it has none.
    References(const Value &root, const std::string &base, FindDocument find);

    // What the `$ref` of a schema leads to; null, with the reason in `fault`.
    Location resolve(const Value &schema, std::string &fault);

    // Whether the schema is where the first document's keywords, from its root on, expect one.
    bool isInPlace(const Value &schema) const;

    // Those read so far, without the first. The references must not be used any more.
    std::vector<std::unique_ptr<Document>> takeDocuments() { return std::move(documents); }

private:
    struct Scanned {
        // The base URI of the schema's references.
        const std::string *base;
        bool isInPlace;
    };

    FindDocument findDocument;
    std::vector<std::unique_ptr<Document>> documents;
    // By URI, without a fragment.
    std::map<std::string, Location> resources;
    // By URI, with the name as its fragment.
    std::map<std::string, Location> named;
    std::unordered_map<const Value *, Scanned> scanned;
    // A deque, since `scanned` refers to its elements.
    std::deque<std::string> bases;

    void add(const Value &root, const std::string &uri, const std::string &path, bool isInPlace);
    void scan(const Value &schema, const std::string &path, const std::string *base, bool isInPlace);
    const Location *load(const std::string &uri, std::string &reason);
    Location follow(const Location &resource, const std::string &pointer);
};

// Whether a `$schema` names draft 7.
bool isDraft7(std::string_view uri);

}  // namespace schema
