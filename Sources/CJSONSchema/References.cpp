#include "References.hpp"

#include "Metaschema.hpp"
#include "URI.hpp"

#include <algorithm>
#include <set>

namespace schema {

// Documents that one schema may refer to, directly or through each other.
static constexpr size_t greatestDocuments = 100;

// MARK: Subschemas

void forEachSubschema(
    const Value &schema, const std::string &path,
    const std::function<void(const Value &schema, const std::string &path)> &body) {
    enum class Shape { schema, list, schemaOrList, table };
    static const std::map<std::string_view, Shape> keywords = {
        {"$defs", Shape::table}, {"additionalItems", Shape::schema}, {"additionalProperties", Shape::schema},
        {"allOf", Shape::list}, {"anyOf", Shape::list}, {"contains", Shape::schema}, {"definitions", Shape::table},
        {"dependencies", Shape::table}, {"else", Shape::schema}, {"if", Shape::schema},
        {"items", Shape::schemaOrList}, {"not", Shape::schema}, {"oneOf", Shape::list},
        {"patternProperties", Shape::table}, {"properties", Shape::table}, {"propertyNames", Shape::schema},
        {"then", Shape::schema},
    };
    if (!schema.isObject()) { return; }
    for (const Member &member : schema.members()) {
        auto keyword = keywords.find(member.key);
        if (keyword == keywords.end()) { continue; }
        const std::string place = path + step(member.key);
        const Value &value = member.value;
        const Shape shape = keyword->second;
        if (shape == Shape::table) {
            if (!value.isObject()) { continue; }
            for (const Member &inner : value.members()) { body(inner.value, place + step(inner.key)); }
        } else if (value.isArray() && shape != Shape::schema) {
            size_t index = 0;
            for (const Value &inner : value.elements()) { body(inner, place + "/" + std::to_string(index++)); }
        } else if (!value.isArray() && shape != Shape::list) {
            body(value, place);
        }
    }
}

// MARK: Documents

bool isDraft7(std::string_view uri) {
    static const std::set<std::string_view> known = {
        "http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#",
        "http://json-schema.org/schema#"};
    return known.count(uri) != 0;
}

References::References(const Value &root, const std::string &base, FindDocument find) : findDocument(std::move(find)) {
    add(root, schema::resolve(base, ""), "", true);
}

bool References::isInPlace(const Value &schema) const {
    auto found = scanned.find(&schema);
    return found != scanned.end() && found->second.isInPlace;
}

void References::add(const Value &root, const std::string &uri, const std::string &path, bool isInPlace) {
    bases.push_back(uri);
    const std::string *base = &bases.back();
    resources.emplace(uri, Location{&root, path});
    // Ignored for the base beside a `$ref`, the root's `$id` is still what the document calls itself.
    const Value *id = root.find("$id");
    if (id && id->isString()) { resources.emplace(schema::resolve(uri, id->text()), Location{&root, path}); }
    scan(root, path, base, isInPlace);
}

void References::scan(const Value &schema, const std::string &path, const std::string *base, bool isInPlace) {
    const Value *id = schema.find("$id");
    if (id && id->isString() && !schema.find("$ref")) {
        const std::string uri = schema::resolve(*base, id->text());
        const std::string_view name = URI(id->text()).fragment.value_or("");
        if (!name.empty()) { named.emplace(uri + "#" + unescaped(name), Location{&schema, path}); }
        if (id->text().substr(0, 1) != "#") {
            resources.emplace(uri, Location{&schema, path});
            bases.push_back(uri);
            base = &bases.back();
        }
    }
    scanned.emplace(&schema, Scanned{base, isInPlace});
    forEachSubschema(schema, path, [&](const Value &inner, const std::string &innerPath) {
        scan(inner, innerPath, base, isInPlace);
    });
}

const Location *References::load(const std::string &uri, std::string &reason) {
    Answer answer;
    if (uri == "http://json-schema.org/draft-07/schema" || uri == "https://json-schema.org/draft-07/schema") {
        answer = {Answer::Kind::text, publishedMetaschema};
    } else if (findDocument) {
        answer = findDocument(uri);
    }
    switch (answer.kind) {
    case Answer::Kind::unknown: reason = ", outside of this schema; nothing is fetched"; return nullptr;
    case Answer::Kind::failure: reason = ", which " + answer.text; return nullptr;
    case Answer::Kind::text: break;
    }
    if (documents.size() == greatestDocuments) {
        reason = ": a schema may refer to at most " + std::to_string(greatestDocuments) + " documents";
        return nullptr;
    }
    auto document = std::make_unique<Document>();
    const Value *root = document->read(answer.text);
    document->finishReading();
    if (!root) {
        reason = ", which is not JSON";
        return nullptr;
    }
    const Value *draft = root->find("$schema");
    if (draft && !(draft->isString() && isDraft7(draft->text()))) {
        reason = ", whose \"$schema\" is not \"http://json-schema.org/draft-07/schema#\"";
        return nullptr;
    }
    documents.push_back(std::move(document));
    add(*root, uri, uri + "#", false);
    return &resources.find(uri)->second;
}

// MARK: References

Location References::resolve(const Value &schema, std::string &fault) {
    const std::string_view text = schema.find("$ref")->text();
    const std::string uri = schema::resolve(*scanned.at(&schema).base, text);
    const std::string fragment = unescaped(URI(text).fragment.value_or(""));
    const std::string words = "refers to " + dump(Value(text));
    auto known = resources.find(uri);
    std::string reason;
    const Location *resource = known != resources.end() ? &known->second : load(uri, reason);
    if (!resource) {
        fault = words + reason;
        return {};
    }
    Location target;
    if (fragment.empty() || fragment[0] == '/') {
        target = follow(*resource, fragment);
    } else if (auto found = named.find(uri + "#" + fragment); found != named.end()) {
        target = found->second;
    }
    if (!target.value) { fault = words + ", which does not exist"; }
    return target;
}

// The value that the pointer leads to from the resource on; null if there is none.
Location References::follow(const Location &resource, const std::string &pointer) {
    const Value *target = resource.value;
    const std::string *base = scanned.at(target).base;
    for (size_t begin = 1; begin <= pointer.size();) {
        const size_t end = std::min(pointer.find('/', begin), pointer.size());
        std::string token;
        for (size_t at = begin; at < end; ++at) {
            const bool escape = pointer[at] == '~' && at + 1 < end
                && (pointer[at + 1] == '0' || pointer[at + 1] == '1');
            if (escape) { ++at; }
            token += !escape ? pointer[at] : pointer[at] == '0' ? '~' : '/';
        }
        begin = end + 1;
        if (target->isArray()) {
            // Longer than any index there is.
            constexpr size_t tooLong = 10;
            const bool digits = !token.empty() && token.size() < tooLong
                && token.find_first_not_of("0123456789") == std::string::npos;
            const size_t index = digits ? std::stoul(token) : SIZE_MAX;
            target = index < target->size ? target->list + index : nullptr;
        } else {
            target = target->find(token);
        }
        if (!target) { return {}; }
        if (auto found = scanned.find(target); found != scanned.end()) { base = found->second.base; }
    }
    const std::string path = resource.path + pointer;
    // No keyword leads here, so nothing within has been scanned yet.
    if (!scanned.count(target)) { scan(*target, path, base, false); }
    return {target, path};
}

}  // namespace schema
