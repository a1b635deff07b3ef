#include "Secrets.hpp"

#include "Evaluation.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_set>

namespace schema {

namespace {

// The most memory that the pointers of secrets may take: a value can have very many secrets, and each of them a long
// pointer. With more, all of the value counts as secret.
constexpr size_t greatestFound = 1 << 20;
constexpr size_t bytesBesidePointer = 64;

// Follows every way in which a schema may apply to a part of the value, without asking whether it does.
class SecretSearch {
public:
    std::set<std::string> found;
    bool exhausted = false;

    void search(const Schema &schema, const Value &value, const Place &place) {
        if (exhausted || seen.size() > greatestWork || work > greatestWork || nesting == greatestNesting) {
            exhausted = true;
            return;
        }
        if (!seen.insert({&schema, &value}).second) { return; }
        ++nesting;
        if (schema.isWriteOnly) { add(place); }
        for (auto *branches : {&schema.allOf, &schema.anyOf, &schema.oneOf}) {
            for (const Schema *branch : *branches) { search(*branch, value, place); }
        }
        for (auto *branch : {schema.negated, schema.condition, schema.consequence, schema.alternative}) {
            if (branch) { search(*branch, value, place); }
        }
        if (schema.objects && value.isObject()) { searchObject(*schema.objects, value, place); }
        if (schema.objects) {
            for (auto &dependency : schema.objects->dependencies) {
                if (dependency.schema) { search(*dependency.schema, value, place); }
            }
        }
        if (schema.arrays && value.isArray()) { searchArray(*schema.arrays, value, place); }
        --nesting;
    }

private:
    struct Hash {
        size_t operator()(const std::pair<const Schema *, const Value *> &pair) const {
            return std::hash<const void *>()(pair.first) * 31 + std::hash<const void *>()(pair.second);
        }
    };

    // No value is searched twice with the same schema, however many ways lead there.
    std::unordered_set<std::pair<const Schema *, const Value *>, Hash> seen;
    size_t work = 0;
    size_t nesting = 0;
    size_t foundBytes = 0;

    void add(const Place &place) {
        auto [pointer, isNew] = found.insert(place.pointer());
        if (!isNew) { return; }
        foundBytes += pointer->size() + bytesBesidePointer;
        exhausted = exhausted || foundBytes > greatestFound;
    }

    void searchArray(const ArrayRules &rules, const Value &array, const Place &place) {
        for (size_t index = 0; index < array.size; ++index) {
            const Place element{&place, nullptr, index};
            const Schema *schema = index < rules.items.size() ? rules.items[index] : rules.rest;
            if (schema) { search(*schema, array.list[index], element); }
            if (rules.contains) { search(*rules.contains, array.list[index], element); }
        }
    }

    void searchObject(const ObjectRules &rules, const Value &object, const Place &place) {
        auto property = rules.properties.begin();
        for (const Member &member : object.members()) {
            const Place inner{&place, &member.key};
            property = std::lower_bound(
                property, rules.properties.end(), member.key,
                [](const ObjectRules::Property &property, std::string_view name) { return property.name < name; });
            bool isDescribed = property != rules.properties.end() && property->name == member.key;
            if (isDescribed) { search(*property->schema, member.value, inner); }
            for (auto &pattern : rules.patterns) {
                ++work;
                if (!matches(*pattern.pattern, member.key)) { continue; }
                isDescribed = true;
                search(*pattern.schema, member.value, inner);
            }
            if (!isDescribed && rules.rest) { search(*rules.rest, member.value, inner); }
        }
    }
};

}  // namespace

bool findSecrets(const Compiled &schema, const Value &value, std::vector<std::string> &pointers) {
    SecretSearch search;
    const Place root;
    search.search(*schema.root, value, root);
    if (search.exhausted) { return false; }
    for (const std::string &pointer : search.found) {
        bool inside = search.found.count("") && !pointer.empty();
        for (size_t end = pointer.find('/', 1); end != std::string::npos && !inside; end = pointer.find('/', end + 1)) {
            inside = search.found.count(pointer.substr(0, end)) != 0;
        }
        if (!inside) { pointers.push_back(pointer); }
    }
    return true;
}

}  // namespace schema
