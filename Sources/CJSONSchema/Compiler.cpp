#include "Compiler.hpp"

#include "Evaluation.hpp"
#include "Metaschema.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/constraint_builder.hpp>
#include <valijson/schema_parser.hpp>

namespace schema {

namespace {

// A fault is told with its place, so that a few of them are enough to go on with.
constexpr size_t greatestFaults = 20;
// Schemas within one text. Reading them costs stack for each that refers to the next, see `CJSONSchemaCompile`.
constexpr size_t greatestCount = 10'000;

// Keywords of later drafts that would change what is let in. Draft 7 ignores what it does not know, but an author who
// writes one of these expects it to count.
constexpr const char *laterKeywords[] = {
    "dependentRequired", "dependentSchemas", "maxContains", "minContains", "prefixItems", "unevaluatedItems",
    "unevaluatedProperties", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef",
};

constexpr char partKeyword[] = "part";
constexpr char listKeyword[] = "schemas";

std::string joined(const std::string &path, const std::string &key) {
    Place root;
    Place inner{&root, &key};
    return path + inner.pointer();
}

// Copies a schema into the form that valijson reads well, which it does not do with any schema: it takes keys with
// slashes for pointers, mistakes the schema in `propertyNames` for the one around it when that was referred to, follows
// references in circles, cuts strings at NUL, and finds neither `$id` nor what stands beside a reference. In the copy
// - every schema that is referred to is a numbered member of one object, and references name these alone;
// - what our own checks do is replaced by the number of a `Part`, what has no effect is left out;
// - `patternProperties` has numbers for keys.
class Copier {
public:
    Copier(const Json &root, const Compiled *meta, Compiled &compiled, std::vector<Fault> &faults)
        : root(root), meta(meta), compiled(compiled), faults(faults) {}

    Json copy() {
        findAnchors(root, "");
        hoist("", root);
        Json list = Json::object();
        // Grows while it is worked off.
        for (size_t number = 0; number < hoisted.size(); ++number) {
            auto [path, schema] = hoisted[number];
            list[std::to_string(number)] = copy(*schema, path, number);
        }
        refuseCircles();
        return {{"$ref", reference(0)}, {listKeyword, std::move(list)}};
    }

private:
    static constexpr size_t elsewhere = SIZE_MAX;

    const Json &root;
    const Compiled *meta;
    Compiled &compiled;
    std::vector<Fault> &faults;
    // The schemas that are referred to, with their numbers by place.
    std::vector<std::pair<std::string, const Json *>> hoisted;
    std::map<std::string, size_t> numbers;
    std::map<std::string, std::string> anchors;
    // Which of them apply to the very value that another applies to.
    std::map<size_t, std::set<size_t>> beside;
    size_t count = 0;

    static std::string reference(size_t number) {
        return std::string("#/") + listKeyword + "/" + std::to_string(number);
    }

    void fault(const std::string &path, const std::string &message) {
        bool known = std::any_of(faults.begin(), faults.end(), [&](const Fault &fault) {
            return fault.path == path && fault.message == message;
        });
        if (!known && faults.size() < greatestFaults) { faults.push_back({path, message}); }
    }

    size_t hoist(const std::string &path, const Json &schema) {
        auto [entry, isNew] = numbers.emplace(path, hoisted.size());
        if (isNew) { hoisted.emplace_back(path, &schema); }
        return entry->second;
    }

    // `within`: which of the numbered schemas applies to the same value, or `elsewhere`.
    Json copy(const Json &schema, const std::string &path, size_t within) {
        if (++count > greatestCount) {
            if (count == greatestCount + 1) {
                fault(path, "is one too many: a schema has at most " + std::to_string(greatestCount) + " parts");
            }
            return true;
        }
        if (schema.is_boolean()) { return schema; }
        const bool writeOnly = schema.value("writeOnly", false);
        if (schema.contains("$ref")) {
            Json result = referred(schema, path, within);
            // Draft 7 ignores what is beside a reference; a mark that protects somebody is heeded all the same.
            if (!writeOnly) { return result; }
            return {{"allOf", {std::move(result)}}, {partKeyword, makePart({}, true)}};
        }
        for (const char *keyword : laterKeywords) {
            if (schema.contains(keyword)) {
                fault(joined(path, keyword), "is a keyword of a later draft; this is draft 7");
            }
        }
        Json result = Json::object();
        std::vector<std::pair<const char *, std::string>> refused;
        Checks checks = makeChecks(schema, refused);
        for (auto &[keyword, message] : refused) { fault(joined(path, keyword), message); }
        if (!checks.empty() || writeOnly) { result[partKeyword] = makePart(std::move(checks), writeOnly); }
        for (auto &[keyword, value] : schema.items()) { copy(keyword, value, schema, path, within, result); }
        return result;
    }

    void copy(
        const std::string &keyword, const Json &value, const Json &schema, const std::string &path, size_t within,
        Json &result) {
        static const std::set<std::string> plain = {"type", "required", "uniqueItems"};
        static const std::set<std::string> counts = {
            "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"};
        static const std::set<std::string> besides = {"allOf", "anyOf", "oneOf", "not", "if", "then", "else"};
        const std::string place = joined(path, keyword);
        if (plain.count(keyword)) {
            if (keyword == "required") { checkNames(value, place); }
            result[keyword] = value;
        } else if (counts.count(keyword)) {
            // 3.0 is an integer; what no value reaches may as well be the greatest.
            result[keyword] = value.is_number_integer()
                ? std::min<uint64_t>(value.get<uint64_t>(), INT64_MAX)
                : uint64_t(std::min(value.get<double>(), 9e18));
        } else if (besides.count(keyword)) {
            result[keyword] = value.is_array() ? copyAll(value, place, within) : copy(value, place, within);
        } else if (keyword == "definitions" || keyword == "$defs") {
            // They count where they are referred to, but their faults count anyway.
            for (auto &[name, member] : value.items()) { hoist(joined(place, name), member); }
        } else if (keyword == "properties") {
            Json copied = Json::object();
            for (auto &[name, member] : value.items()) {
                checkName(name, place);
                copied[name] = copy(member, joined(place, name), elsewhere);
            }
            result[keyword] = std::move(copied);
        } else if (keyword == "patternProperties") {
            Json copied = Json::object();
            for (auto &[pattern, member] : value.items()) {
                copied[std::to_string(makePattern(pattern, place))] = copy(member, joined(place, pattern), elsewhere);
            }
            result[keyword] = std::move(copied);
        } else if (keyword == "items") {
            result[keyword] = value.is_array() ? copyAll(value, place, elsewhere) : copy(value, place, elsewhere);
        } else if (keyword == "additionalItems") {
            auto items = schema.find("items");
            Json copied = copy(value, place, elsewhere);
            if (items != schema.end() && items->is_array()) { result[keyword] = std::move(copied); }
        } else if (keyword == "additionalProperties" || keyword == "contains") {
            result[keyword] = copy(value, place, elsewhere);
        } else if (keyword == "propertyNames") {
            result[keyword] = {{"$ref", reference(hoist(place, value))}};
        } else if (keyword == "dependencies") {
            Json copied = Json::object();
            for (auto &[name, member] : value.items()) {
                checkName(name, place);
                const std::string inner = joined(place, name);
                if (member.is_array()) { checkNames(member, inner); }
                copied[name] = member.is_array() ? member : copy(member, inner, within);
            }
            result[keyword] = std::move(copied);
        } else if (keyword == "$id") {
            auto &id = value.get_ref<const std::string &>();
            if (!path.empty() && id.rfind('#', 0) != 0) {
                fault(place, "is not supported below the top, except as a name such as \"#address\"");
            }
        } else if (keyword == "$schema") {
            checkDraft(value.get_ref<const std::string &>(), place);
        }
    }

    Json copyAll(const Json &schemas, const std::string &path, size_t within) {
        Json copied = Json::array();
        for (size_t index = 0; index < schemas.size(); ++index) {
            copied.push_back(copy(schemas[index], path + "/" + std::to_string(index), within));
        }
        return copied;
    }

    int64_t makePart(Checks checks, bool writeOnly) {
        compiled.parts.push_back({std::move(checks), writeOnly});
        compiled.hasSecrets = compiled.hasSecrets || writeOnly;
        return int64_t(compiled.parts.size()) - 1;
    }

    size_t makePattern(const std::string &pattern, const std::string &path) {
        std::string reason;
        compiled.patterns.push_back(compilePattern(pattern, reason));
        if (!compiled.patterns.back()) {
            fault(joined(path, pattern), "is no pattern that can be matched in linear time: " + reason);
        }
        return compiled.patterns.size() - 1;
    }

    void checkNames(const Json &names, const std::string &path) {
        for (const Json &name : names) { checkName(name.get_ref<const std::string &>(), path); }
    }

    void checkName(const std::string &name, const std::string &path) {
        if (name.find('\0') != std::string::npos) { fault(path, "names a property with a NUL in it"); }
    }

    void checkDraft(const std::string &draft, const std::string &path) {
        static const std::set<std::string> known = {
            "http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#",
            "http://json-schema.org/schema#"};
        if (!known.count(draft)) { fault(path, "must be \"http://json-schema.org/draft-07/schema#\""); }
    }

    // MARK: References

    void findAnchors(const Json &value, const std::string &path) {
        if (value.is_object()) {
            auto id = value.find("$id");
            if (id != value.end() && id->is_string()) {
                auto &name = id->get_ref<const std::string &>();
                if (name.size() > 1 && name[0] == '#') { anchors.emplace(name, path); }
            }
            for (auto &[key, member] : value.items()) { findAnchors(member, joined(path, key)); }
        } else if (value.is_array()) {
            for (size_t index = 0; index < value.size(); ++index) {
                findAnchors(value[index], path + "/" + std::to_string(index));
            }
        }
    }

    // The reference as the copy has it, or true if it leads nowhere.
    Json referred(const Json &schema, const std::string &path, size_t within) {
        std::string place = joined(path, "$ref");
        const Json *target = &schema;
        std::string targetPath = path;
        std::set<std::string> visited;
        // References to references are followed up to something that is none.
        do {
            if (!visited.insert(targetPath).second) {
                fault(place, "leads in a circle");
                return true;
            }
            auto &text = target->at("$ref").get_ref<const std::string &>();
            target = find(text, place, targetPath);
            if (!target) { return true; }
            place = joined(targetPath, "$ref");
        } while (target->is_object() && target->contains("$ref") && !target->value("writeOnly", false));
        size_t number = hoist(targetPath, *target);
        if (within != elsewhere) { beside[within].insert(number); }
        return {{"$ref", reference(number)}};
    }

    // Null, with a fault, if the reference leads nowhere or not to a schema.
    const Json *find(const std::string &text, const std::string &place, std::string &path) {
        size_t hash = std::min(text.find('#'), text.size());
        if (hash > 0 && text.substr(0, hash) != ownName()) {
            fault(place, "refers to " + Json(text).dump() + ", outside of this schema; nothing is fetched");
            return nullptr;
        }
        std::string fragment = decoded(hash < text.size() ? text.substr(hash) : "#");
        auto anchor = anchors.find(fragment);
        path = anchor == anchors.end() ? fragment.substr(1) : anchor->second;
        const Json *target = path.empty() || path[0] == '/' ? at(path) : nullptr;
        if (!target) {
            fault(place, "refers to " + Json(text).dump() + ", which is not there");
            return nullptr;
        }
        // Only what stands where a schema belongs has been checked so far.
        if (meta) {
            auto found = evaluate(*meta, *target, greatestFaults);
            for (const Fault &one : found) { fault(path + one.path, one.message); }
            if (!found.empty()) { return nullptr; }
        }
        return target;
    }

    std::string ownName() const {
        auto id = root.is_object() ? root.find("$id") : root.end();
        if (!root.is_object() || id == root.end() || !id->is_string()) { return ""; }
        auto &text = id->get_ref<const std::string &>();
        return text.substr(0, text.find('#'));
    }

    const Json *at(const std::string &path) const {
        const Json *target = &root;
        for (size_t begin = 1; begin <= path.size();) {
            size_t end = std::min(path.find('/', begin), path.size());
            std::string token;
            for (size_t index = begin; index < end; ++index) {
                bool escape = path[index] == '~' && index + 1 < end && (path[index + 1] == '0' || path[index + 1] == '1');
                if (escape) { ++index; }
                token += !escape ? path[index] : path[index] == '0' ? '~' : '/';
            }
            begin = end + 1;
            if (target->is_object()) {
                auto member = target->find(token);
                if (member == target->end()) { return nullptr; }
                target = &*member;
            } else if (target->is_array()) {
                // Longer than any index there is.
                bool digits = !token.empty() && token.size() < 10
                    && token.find_first_not_of("0123456789") == std::string::npos;
                size_t index = digits ? std::stoul(token) : SIZE_MAX;
                if (index >= target->size()) { return nullptr; }
                target = &(*target)[index];
            } else {
                return nullptr;
            }
        }
        return target;
    }

    static std::string decoded(const std::string &fragment) {
        std::string text;
        for (size_t at = 0; at < fragment.size(); ++at) {
            bool escape = fragment[at] == '%' && at + 2 < fragment.size() && std::isxdigit((unsigned char)fragment[at + 1])
                && std::isxdigit((unsigned char)fragment[at + 2]);
            text += escape ? char(std::stoi(fragment.substr(at + 1, 2), nullptr, 16)) : fragment[at];
            at += escape ? 2 : 0;
        }
        return text;
    }

    // A schema that applies itself to the very same value would never be done.
    void refuseCircles() {
        std::set<size_t> done;
        for (size_t start = 0; start < hoisted.size(); ++start) {
            // Numbers on the way and how far their successors have been tried; no recursion, ways can be long.
            std::vector<std::pair<size_t, std::vector<size_t>>> way;
            std::set<size_t> onWay;
            auto enter = [&](size_t number) {
                auto &next = beside[number];
                way.push_back({number, {next.begin(), next.end()}});
                onWay.insert(number);
            };
            if (done.insert(start).second) { enter(start); }
            while (!way.empty()) {
                auto &[number, next] = way.back();
                if (next.empty()) {
                    onWay.erase(number);
                    way.pop_back();
                    continue;
                }
                size_t successor = next.back();
                next.pop_back();
                if (onWay.count(successor)) {
                    fault(hoisted[successor].first, "refers to itself for the same value, and so without end");
                } else if (done.insert(successor).second) {
                    enter(successor);
                }
            }
        }
    }
};

class PartBuilder final : public valijson::ConstraintBuilder {
public:
    explicit PartBuilder(const Compiled &compiled) : compiled(compiled) {}

    valijson::constraints::Constraint *make(const valijson::adapters::Adapter &number) const override {
        return new PartConstraint(compiled.parts.at(size_t(number.asInteger())));
    }

private:
    const Compiled &compiled;
};

std::unique_ptr<Compiled> compile(const Json &root, const Compiled *meta, std::vector<Fault> &faults) {
    auto compiled = std::make_unique<Compiled>();
    const Json copy = Copier(root, meta, *compiled, faults).copy();
    if (!faults.empty()) { return nullptr; }
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    // The parser takes it over.
    parser.addConstraintBuilder(partKeyword, new PartBuilder(*compiled));
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(copy), compiled->model);
    return compiled;
}

const Compiled &metaCompiled() {
    static const std::unique_ptr<const Compiled> compiled = [] {
        std::vector<Fault> faults;
        return compile(Json::parse(metaschema), nullptr, faults);
    }();
    return *compiled;
}

}  // namespace

std::unique_ptr<const Compiled> compile(const char *text, size_t length, std::vector<Fault> &faults) {
    const Json root = Json::parse(text, text + length, nullptr, false);
    if (root.is_discarded()) {
        faults.push_back({"", "is not JSON"});
        return nullptr;
    }
    const Compiled &meta = metaCompiled();
    faults = evaluate(meta, root, greatestFaults);
    if (!faults.empty()) { return nullptr; }
    return compile(root, &meta, faults);
}

}  // namespace schema
