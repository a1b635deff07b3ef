#include "Compiler.hpp"

#include "Evaluation.hpp"
#include "Metaschema.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace schema {

namespace {

// Each fault names its place, so a few are enough to continue with.
constexpr size_t greatestFaults = 20;
// Schemas within one text and the documents that it refers to.
constexpr size_t greatestCount = 10'000;

// Keywords of later drafts that would change what is accepted. Draft 7 ignores what it does not know, but an author who
// writes one of these expects it to count.
constexpr const char *laterKeywords[] = {
    "dependentRequired", "dependentSchemas", "maxContains", "minContains", "prefixItems", "unevaluatedItems",
    "unevaluatedProperties", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef",
};

bool isTrue(const Value *value) { return value && value->isBoolean() && value->truth; }
bool isFalse(const Value &value) { return value.isBoolean() && !value.truth; }

// Makes a `Schema` of each schema that the root contains or refers to. What it compiles has the form that the
// meta-schema describes.
class Compiler {
public:
    Compiler(
        const Value &root, const std::string &base, const FindDocument &find, const Compiled *meta, Compiled &compiled,
        std::vector<Fault> &faults)
        : references(root, base, find), meta(meta), compiled(compiled), faults(faults) {
        compiled.root = make(root, "");
        // Grows as it is worked off.
        for (size_t index = 0; index < deferred.size(); ++index) {
            const Location location = deferred[index];
            make(*location.value, location.path);
        }
        refuseCircles();
        for (auto &document : references.takeDocuments()) { compiled.documents.push_back(std::move(document)); }
    }

private:
    struct Node {
        Schema *schema;
        bool isFilled;
    };

    References references;
    const Compiled *meta;
    Compiled &compiled;
    std::vector<Fault> &faults;
    std::unordered_map<const Value *, Node> nodes;
    std::unordered_map<const Schema *, std::string> paths;
    // Those to compile that are not part of the schema at hand: definitions, and what references lead to.
    std::vector<Location> deferred;
    std::unordered_set<const Value *> verified;
    size_t count = 0;

    void fault(const std::string &path, const std::string &message) {
        const bool isKnown = std::any_of(faults.begin(), faults.end(), [&](const Fault &fault) {
            return fault.path == path && fault.message == message;
        });
        if (!isKnown && faults.size() < greatestFaults) { faults.push_back({path, message}); }
    }

    // MARK: Schemas

    static bool isReference(const Value &schema) {
        return schema.find("$ref") && !isTrue(schema.find("writeOnly"));
    }

    Node &node(const Value &schema, const std::string &path) {
        auto [entry, isNew] = nodes.emplace(&schema, Node{nullptr, false});
        if (isNew) {
            entry->second.schema = &compiled.schemas.emplace_back();
            paths.emplace(entry->second.schema, path);
        }
        return entry->second;
    }

    const Schema *make(const Value &schema, const std::string &path) {
        if (isReference(schema)) {
            return isOneTooMany(path) ? &compiled.schemas.emplace_back() : referred(schema, path);
        }
        Node &node = this->node(schema, path);
        Schema *made = node.schema;
        if (node.isFilled) { return made; }
        node.isFilled = true;
        if (!isOneTooMany(path)) { fill(*made, schema, path); }
        return made;
    }

    bool isOneTooMany(const std::string &path) {
        if (++count == greatestCount + 1) {
            fault(path, "is beyond the limit: a schema has at most " + std::to_string(greatestCount) + " parts");
        }
        return count > greatestCount;
    }

    std::vector<const Schema *> makeAll(const Value &schemas, const std::string &path) {
        std::vector<const Schema *> made;
        size_t index = 0;
        for (const Value &schema : schemas.elements()) {
            made.push_back(make(schema, path + "/" + std::to_string(index++)));
        }
        return made;
    }

    void fill(Schema &made, const Value &schema, const std::string &path) {
        if (schema.isBoolean()) {
            made.acceptsNothing = !schema.truth;
            return;
        }
        made.isWriteOnly = isTrue(schema.find("writeOnly"));
        compiled.hasSecrets = compiled.hasSecrets || made.isWriteOnly;
        if (schema.find("$ref")) {
            // Draft 7 ignores what is beside a reference; a mark that protects somebody counts all the same.
            made.allOf = {referred(schema, path)};
            return;
        }
        for (const char *keyword : laterKeywords) {
            if (schema.find(keyword)) { fault(path + step(keyword), "is a keyword of a later draft; this is draft 7"); }
        }
        std::vector<std::pair<const char *, std::string>> refused;
        made.checks = makeChecks(schema, refused);
        for (auto &[keyword, message] : refused) { fault(path + step(keyword), message); }
        auto arrays = std::make_unique<ArrayRules>();
        auto objects = std::make_unique<ObjectRules>();
        bool hasArrays = false, hasObjects = false;
        for (const Member &member : schema.members()) {
            const std::string place = path + step(member.key);
            if (fillArrays(*arrays, member, schema, place)) {
                hasArrays = true;
            } else if (fillObjects(*objects, member, place)) {
                hasObjects = true;
            } else {
                fill(made, member, place);
            }
        }
        if (hasArrays) { made.arrays = std::move(arrays); }
        if (hasObjects) { made.objects = std::move(objects); }
    }

    void fill(Schema &made, const Member &member, const std::string &place) {
        auto &[keyword, value] = member;
        if (keyword == "type") {
            made.types = types(value);
        } else if (keyword == "allOf") {
            made.allOf = makeAll(value, place);
        } else if (keyword == "anyOf") {
            made.anyOf = makeAll(value, place);
        } else if (keyword == "oneOf") {
            made.oneOf = makeAll(value, place);
        } else if (keyword == "not") {
            made.negated = make(value, place);
        } else if (keyword == "if") {
            made.condition = make(value, place);
        } else if (keyword == "then") {
            made.consequence = make(value, place);
        } else if (keyword == "else") {
            made.alternative = make(value, place);
        } else if (keyword == "definitions" || keyword == "$defs") {
            // They apply where they are referred to, but their faults count anyway.
            for (const Member &definition : value.members()) {
                deferred.push_back({&definition.value, place + step(definition.key)});
            }
        } else if (keyword == "$schema" && !isDraft7(value.text())) {
            fault(place, "must be \"http://json-schema.org/draft-07/schema#\"");
        }
    }

    // False if the keyword is not about arrays.
    bool fillArrays(ArrayRules &rules, const Member &member, const Value &schema, const std::string &place) {
        auto &[keyword, value] = member;
        if (keyword == "items") {
            if (value.isArray()) {
                rules.items = makeAll(value, place);
            } else if (!isTrue(&value)) {
                rules.rest = make(value, place);
            }
        } else if (keyword == "additionalItems") {
            const Schema *made = make(value, place);
            const Value *items = schema.find("items");
            if (!items || !items->isArray()) { return false; }
            rules.isClosed = isFalse(value);
            if (!value.isBoolean()) { rules.rest = made; }
        } else if (keyword == "contains") {
            rules.contains = make(value, place);
        } else if (keyword == "uniqueItems") {
            rules.isUnique = value.truth;
        } else {
            return false;
        }
        return true;
    }

    // False if the keyword is not about objects.
    bool fillObjects(ObjectRules &rules, const Member &member, const std::string &place) {
        auto &[keyword, value] = member;
        if (keyword == "properties") {
            for (const Member &property : value.members()) {
                rules.properties.push_back({property.key, make(property.value, place + step(property.key))});
            }
        } else if (keyword == "patternProperties") {
            for (const Member &property : value.members()) {
                const std::string inner = place + step(property.key);
                std::string reason;
                auto pattern = compilePattern(property.key, reason);
                if (!pattern) { fault(inner, patternFault(reason)); }
                rules.patterns.push_back({std::move(pattern), make(property.value, inner)});
            }
        } else if (keyword == "additionalProperties") {
            rules.isClosed = isFalse(value);
            if (!value.isBoolean()) { rules.rest = make(value, place); }
        } else if (keyword == "required") {
            rules.required = names(value);
        } else if (keyword == "dependencies") {
            for (const Member &dependency : value.members()) {
                const Value &wanted = dependency.value;
                if (wanted.isArray()) {
                    rules.dependencies.push_back({dependency.key, nullptr, names(wanted)});
                } else {
                    rules.dependencies.push_back({dependency.key, make(wanted, place + step(dependency.key)), {}});
                }
            }
        } else if (keyword == "propertyNames") {
            rules.names = make(value, place);
        } else {
            return false;
        }
        return true;
    }

    static std::vector<std::string_view> names(const Value &list) {
        std::vector<std::string_view> names;
        for (const Value &name : list.elements()) { names.push_back(name.text()); }
        return names;
    }

    static Types types(const Value &value) {
        Types types = 0;
        if (value.isString()) { return typeNamed(value.text()); }
        for (const Value &name : value.elements()) { types |= typeNamed(name.text()); }
        return types;
    }

    // MARK: References

    // What the schema's reference leads to; references to references are followed up to something that is none.
    const Schema *referred(const Value &schema, const std::string &path) {
        Location target{&schema, path};
        std::set<const Value *> visited;
        do {
            const std::string place = target.path + step("$ref");
            if (!visited.insert(target.value).second) {
                fault(place, "leads in a circle");
                return &compiled.schemas.emplace_back();
            }
            std::string reason;
            target = references.resolve(*target.value, reason);
            if (!target.value) { fault(place, reason); }
            if (!target.value || !verify(target)) { return &compiled.schemas.emplace_back(); }
        } while (isReference(*target.value));
        const Schema *made = node(*target.value, target.path).schema;
        deferred.push_back(target);
        return made;
    }

    // Whether it is a schema; so far only what is in place in the first document has been checked.
    bool verify(const Location &target) {
        if (!meta || references.isInPlace(*target.value) || verified.count(target.value)) { return true; }
        auto found = evaluate(*meta, *target.value, greatestFaults);
        for (const Fault &one : found) { fault(target.path + one.path, one.message); }
        if (found.empty()) { verified.insert(target.value); }
        return found.empty();
    }

    // A schema that applies itself to the very same value would never be done.
    void refuseCircles() {
        std::unordered_set<const Schema *> done;
        for (const Schema &start : compiled.schemas) {
            if (!done.insert(&start).second) { continue; }
            // The way here, each with the successors that have not been tried. No recursion: ways can be long.
            std::vector<std::pair<const Schema *, std::vector<const Schema *>>> way;
            std::unordered_set<const Schema *> onWay;
            auto enter = [&](const Schema &schema) {
                way.push_back({&schema, applied(schema)});
                onWay.insert(&schema);
            };
            enter(start);
            while (!way.empty()) {
                auto &[schema, next] = way.back();
                if (next.empty()) {
                    onWay.erase(schema);
                    way.pop_back();
                    continue;
                }
                const Schema *successor = next.back();
                next.pop_back();
                if (onWay.count(successor)) {
                    fault(paths[successor], "applies itself to the same value, which never ends");
                } else if (done.insert(successor).second) {
                    enter(*successor);
                }
            }
        }
    }

    // Those that it applies to the very same value.
    static std::vector<const Schema *> applied(const Schema &schema) {
        std::vector<const Schema *> applied;
        for (auto *branches : {&schema.allOf, &schema.anyOf, &schema.oneOf}) {
            applied.insert(applied.end(), branches->begin(), branches->end());
        }
        for (auto *branch : {schema.negated, schema.condition, schema.consequence, schema.alternative}) {
            if (branch) { applied.push_back(branch); }
        }
        if (schema.objects) {
            for (auto &dependency : schema.objects->dependencies) {
                if (dependency.schema) { applied.push_back(dependency.schema); }
            }
        }
        return applied;
    }
};

const Compiled &metaCompiled() {
    static const std::unique_ptr<const Compiled> compiled = [] {
        std::vector<Fault> faults;
        auto compiled = std::make_unique<Compiled>();
        auto document = std::make_unique<Document>();
        const Value *root = document->read(metaschema);
        document->finishReading();
        Compiler(*root, "", nullptr, nullptr, *compiled, faults);
        compiled->documents.push_back(std::move(document));
        return compiled;
    }();
    return *compiled;
}

}  // namespace

std::unique_ptr<const Compiled> compile(
    std::string_view text, const std::string &base, const FindDocument &find, std::vector<Fault> &faults) {
    auto document = std::make_unique<Document>();
    const Value *root = document->read(text);
    document->finishReading();
    if (!root) {
        faults.push_back({"", "is not JSON"});
        return nullptr;
    }
    const Compiled &meta = metaCompiled();
    faults = evaluate(meta, *root, greatestFaults);
    if (!faults.empty()) { return nullptr; }
    auto compiled = std::make_unique<Compiled>();
    Compiler(*root, base, find, &meta, *compiled, faults);
    compiled->documents.push_back(std::move(document));
    if (!faults.empty()) { return nullptr; }
    return compiled;
}

}  // namespace schema
