#include "Evaluation.hpp"

#include <algorithm>

namespace schema {

namespace {

struct NamedType {
    Type type;
    std::string_view name;
};

// In the order of messages.
constexpr NamedType namedTypes[] = {
    {typeString, "string"}, {typeInteger, "integer"}, {typeNumber, "number"}, {typeBoolean, "boolean"},
    {typeObject, "object"}, {typeArray, "array"},     {typeNull, "null"},
};

struct Violation {
    enum class Kind { type, choice, other };

    std::string path;
    std::string message;
    Kind kind = Kind::other;
    Types types = 0;
};

struct Report {
    size_t limit;
    std::vector<Violation> violations = {};
    bool more = false;

    void add(Violation violation) {
        for (const Violation &known : violations) {
            if (known.path == violation.path && known.message == violation.message) { return; }
        }
        if (violations.size() == limit) {
            more = true;
        } else {
            violations.push_back(std::move(violation));
        }
    }
};

std::string typeMessage(Types types) {
    std::string text;
    for (auto [type, name] : namedTypes) {
        if (!(types & type)) { continue; }
        text += text.empty() ? "must be " : " or ";
        if (type != typeNull) { text += type & (typeInteger | typeObject | typeArray) ? "an " : "a "; }
        text += name;
    }
    return text;
}

Types typesOf(const Value &value) {
    switch (value.kind) {
    case Kind::null: return typeNull;
    case Kind::boolean: return typeBoolean;
    case Kind::integer:
    case Kind::natural: return typeNumber | typeInteger;
    case Kind::real: return isInteger(value) ? typeNumber | typeInteger : typeNumber;
    case Kind::string: return typeString;
    case Kind::array: return typeArray;
    case Kind::object: return typeObject;
    }
    return 0;
}

// Checks one value. Without a report it stops at the first violation.
class Evaluation {
public:
    explicit Evaluation(Report *report) : report(report) {}

    bool exhausted = false;

    bool check(const Schema &schema, const Value &value, const Place &place) {
        if (exhausted || (report && report->more)) { return false; }
        if (++work > greatestWork || nesting == greatestNesting) {
            exhausted = true;
            return false;
        }
        ++nesting;
        const bool valid = schema.acceptsNothing ? refuse(place, [] { return "is not allowed"; })
                                                 : checkRules(schema, value, place);
        --nesting;
        return valid;
    }

private:
    // Where violations go; null for nowhere.
    Report *report;
    size_t work = 0;
    size_t nesting = 0;

    bool goesOn(bool valid) const { return valid || (report && !report->more && !exhausted); }

    bool spend() {
        exhausted = exhausted || ++work > greatestWork;
        return !exhausted;
    }

    template <typename Body> void reporting(Report *other, Body body) {
        std::swap(report, other);
        body();
        std::swap(report, other);
    }

    bool passes(const Schema &schema, const Value &value, const Place &place) {
        bool valid = false;
        reporting(nullptr, [&] { valid = check(schema, value, place); });
        return valid;
    }

    // False, for the caller that refuses. The message is made only if it is wanted.
    template <typename Message>
    bool refuse(
        const Place &place, Message message, Violation::Kind kind = Violation::Kind::other, Types types = 0) {
        if (report) { report->add({place.pointer(), message(), kind, types}); }
        return false;
    }

    // In a report, which of several violations of one value stands for a branch depends on the order of the rules.
    // Without one, the first decides, so those that need no other schema come first.
    bool checkRules(const Schema &schema, const Value &value, const Place &place) {
        if (!report) { return checkAlone(schema, value, place) && checkOthers(schema, value, place); }
        const bool valid = checkOthers(schema, value, place);
        return goesOn(valid) && checkAlone(schema, value, place) && valid;
    }

    // The keywords that apply other schemas.
    bool checkOthers(const Schema &schema, const Value &value, const Place &place) {
        bool valid = true;
        for (const Schema *branch : schema.allOf) {
            valid = check(*branch, value, place) && valid;
            if (!goesOn(valid)) { return false; }
        }
        if (!schema.anyOf.empty()) { valid = checkAnyOf(schema.anyOf, value, place) && valid; }
        if (schema.arrays && value.isArray() && goesOn(valid)) {
            valid = checkArray(*schema.arrays, value, place) && valid;
        }
        if (schema.condition && goesOn(valid)) {
            const Schema *branch = passes(*schema.condition, value, place) ? schema.consequence : schema.alternative;
            if (branch) { valid = check(*branch, value, place) && valid; }
        }
        if (schema.negated && goesOn(valid) && passes(*schema.negated, value, place)) {
            valid = refuse(place, [] { return "must not match the schema in \"not\""; });
        }
        if (!schema.oneOf.empty() && goesOn(valid)) { valid = checkOneOf(schema.oneOf, value, place) && valid; }
        if (schema.objects && value.isObject() && goesOn(valid)) {
            valid = checkObject(*schema.objects, value, place) && valid;
        }
        return valid;
    }

    // The keywords that need no other schema.
    bool checkAlone(const Schema &schema, const Value &value, const Place &place) {
        bool valid = true;
        if (schema.types && !(schema.types & typesOf(value))) {
            valid = refuse(place, [&] { return typeMessage(schema.types); }, Violation::Kind::type, schema.types);
        }
        for (auto &check : schema.checks) {
            if (!goesOn(valid)) { return false; }
            if (check->accepts(value)) { continue; }
            valid = refuse(
                place, [&] { return check->message; },
                check->isChoice ? Violation::Kind::choice : Violation::Kind::other);
        }
        return valid;
    }

    // MARK: Arrays

    bool checkArray(const ArrayRules &rules, const Value &array, const Place &place) {
        bool valid = true;
        for (size_t index = 0; index < array.size && goesOn(valid); ++index) {
            const Schema *schema = index < rules.items.size() ? rules.items[index] : rules.rest;
            // None of those behind has a schema either.
            if (!schema) { break; }
            const Place element{&place, nullptr, index};
            valid = check(*schema, array.list[index], element) && valid;
        }
        if (rules.isClosed && array.size > rules.items.size()) {
            valid = refuse(
                place, [&] { return counted("must have at most ", rules.items.size(), "element", "elements"); });
        }
        if (rules.isUnique && goesOn(valid)) { valid = checkUnique(array, place) && valid; }
        if (rules.contains && goesOn(valid)) {
            const bool found = std::any_of(array.elements().begin(), array.elements().end(), [&](const Value &element) {
                return passes(*rules.contains, element, place);
            });
            if (!found) { valid = refuse(place, [] { return "must contain an element that matches \"contains\""; }); }
        }
        return valid;
    }

    bool checkUnique(const Value &array, const Place &place) {
        std::vector<const Value *> elements;
        elements.reserve(array.size);
        for (const Value &element : array.elements()) { elements.push_back(&element); }
        std::sort(elements.begin(), elements.end(), [](const Value *one, const Value *other) {
            const int found = compare(*one, *other);
            // Elements of an array lie one after another: of equal ones the earlier comes first.
            return found < 0 || (found == 0 && one < other);
        });
        auto same = std::adjacent_find(elements.begin(), elements.end(), [](const Value *one, const Value *other) {
            return compare(*one, *other) == 0;
        });
        return same == elements.end() || refuse(place, [&] {
            return "must not repeat an element, as it does at " + std::to_string(same[0] - array.list) + " and "
                + std::to_string(same[1] - array.list);
        });
    }

    // MARK: Objects

    bool checkObject(const ObjectRules &rules, const Value &object, const Place &place) {
        bool valid = true;
        for (std::string_view name : rules.required) {
            if (object.find(name)) { continue; }
            valid = refuse(place, [&] { return "missing required " + dump(Value(name)); });
            if (!goesOn(valid)) { return false; }
        }
        valid = checkMembers(rules, object, place) && valid;
        if (!goesOn(valid)) { return false; }
        if (rules.names) { valid = checkNames(*rules.names, object, place) && valid; }
        for (auto &dependency : rules.dependencies) {
            if (!goesOn(valid)) { return false; }
            if (!object.find(dependency.name)) { continue; }
            if (dependency.schema) { valid = check(*dependency.schema, object, place) && valid; }
            for (std::string_view other : dependency.names) {
                if (object.find(other)) { continue; }
                valid = refuse(place, [&] {
                    return "missing " + dump(Value(other)) + ", required beside " + dump(Value(dependency.name));
                });
            }
        }
        return valid;
    }

    bool checkMembers(const ObjectRules &rules, const Value &object, const Place &place) {
        const bool anyRest = !rules.rest && !rules.isClosed;
        if (rules.properties.empty() && rules.patterns.empty() && anyRest) { return true; }
        bool valid = true;
        // Properties and members are both in the order of the names.
        auto property = rules.properties.begin();
        for (const Member &member : object.members()) {
            if (!goesOn(valid)) { return false; }
            const Place inner{&place, &member.key};
            property = std::lower_bound(
                property, rules.properties.end(), member.key,
                [](const ObjectRules::Property &property, std::string_view name) { return property.name < name; });
            bool isDescribed = property != rules.properties.end() && property->name == member.key;
            if (isDescribed) { valid = check(*property->schema, member.value, inner) && valid; }
            for (auto &pattern : rules.patterns) {
                if (!spend()) { return false; }
                if (!matches(*pattern.pattern, member.key)) { continue; }
                isDescribed = true;
                valid = check(*pattern.schema, member.value, inner) && valid;
            }
            if (isDescribed || anyRest) { continue; }
            valid = (rules.rest ? check(*rules.rest, member.value, inner)
                                : refuse(inner, [] { return "is not a known property"; }))
                && valid;
        }
        return valid;
    }

    bool checkNames(const Schema &schema, const Value &object, const Place &place) {
        bool valid = true;
        for (const Member &member : object.members()) {
            const Value name(member.key);
            if (passes(schema, name, place)) { continue; }
            valid = false;
            if (!goesOn(valid)) { return false; }
            const Place named{&place, &member.key};
            Report about{report->limit};
            reporting(&about, [&] { check(schema, name, named); });
            for (Violation &violation : about.violations) {
                violation.message = "as a name " + violation.message;
                violation.kind = Violation::Kind::other;
                report->add(std::move(violation));
            }
        }
        return valid;
    }

    // MARK: Alternatives

    bool checkAnyOf(const std::vector<const Schema *> &branches, const Value &value, const Place &place) {
        for (const Schema *branch : branches) {
            if (passes(*branch, value, place)) { return true; }
        }
        return refuse(branches, value, place);
    }

    bool checkOneOf(const std::vector<const Schema *> &branches, const Value &value, const Place &place) {
        constexpr size_t none = SIZE_MAX;
        size_t fitting = none;
        for (size_t index = 0; index < branches.size(); ++index) {
            if (!passes(*branches[index], value, place)) { continue; }
            if (fitting == none) {
                fitting = index;
                continue;
            }
            return refuse(place, [&] {
                return "matches alternatives " + std::to_string(fitting) + " and " + std::to_string(index)
                    + " of \"oneOf\", which exclude each other";
            });
        }
        return fitting != none || refuse(branches, value, place);
    }

    // Of a value that fits no branch: what is wrong with it in the one branch that seems to be meant, if there is one.
    bool refuse(const std::vector<const Schema *> &branches, const Value &value, const Place &place) {
        if (!report) { return false; }
        const std::string here = place.pointer();
        Types types = 0;
        size_t mistyped = 0, meant = 0, chosen = 0;
        Report ofMeant{0}, ofChosen{0};
        for (const Schema *branch : branches) {
            Report own{report->limit};
            reporting(&own, [&] { check(*branch, value, place); });
            auto &violations = own.violations;
            auto typed = std::find_if(violations.begin(), violations.end(), [&](const Violation &violation) {
                return violation.kind == Violation::Kind::type && violation.path == here;
            });
            if (typed != violations.end()) {
                types |= typed->types;
                ++mistyped;
                continue;
            }
            const bool isChoice = std::any_of(violations.begin(), violations.end(), [](const Violation &violation) {
                return violation.kind == Violation::Kind::choice;
            });
            if (!isChoice && ++chosen == 1) { ofChosen = own; }
            if (++meant == 1) { ofMeant = std::move(own); }
        }
        if (mistyped == branches.size()) {
            return refuse(place, [&] { return typeMessage(types); }, Violation::Kind::type, types);
        }
        if (meant == 1 || chosen == 1) {
            for (Violation &violation : (meant == 1 ? ofMeant : ofChosen).violations) {
                report->add(std::move(violation));
            }
            return false;
        }
        return refuse(
            place, [&] { return "matches none of the " + std::to_string(branches.size()) + " alternatives"; });
    }
};

// By path, elements by number.
bool precedes(const std::string &one, const std::string &other) {
    size_t at = 0;
    while (at < one.size() && at < other.size() && one[at] == other[at]) { ++at; }
    auto token = [&](const std::string &path) {
        size_t begin = at == 0 ? 0 : path.rfind('/', at - 1) + 1;
        return path.substr(begin, path.find('/', at) - begin);
    };
    std::string first = token(one), second = token(other);
    auto isNumber = [](const std::string &text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    };
    if (first == second) { return one < other; }
    if (isNumber(first) != isNumber(second)) { return isNumber(first); }
    if (isNumber(first) && first.size() != second.size()) { return first.size() < second.size(); }
    return first < second;
}

}  // namespace

Types typeNamed(std::string_view name) {
    for (auto [type, known] : namedTypes) {
        if (known == name) { return type; }
    }
    return 0;
}

std::vector<Fault> evaluate(const Compiled &schema, const Value &value, size_t limit) {
    const Place root;
    // Most texts are valid, and finding that out is quicker.
    Evaluation quick(nullptr);
    if (quick.check(*schema.root, value, root) && !quick.exhausted) { return {}; }
    std::vector<Fault> faults;
    static constexpr char tooMuch[] = "takes too much work to check";
    if (quick.exhausted) { return {{"", tooMuch}}; }
    Report report{limit};
    Evaluation full(&report);
    full.check(*schema.root, value, root);
    std::sort(
        report.violations.begin(), report.violations.end(), [](const Violation &one, const Violation &other) {
            return one.path == other.path ? one.message < other.message : precedes(one.path, other.path);
        });
    for (Violation &violation : report.violations) {
        faults.push_back({std::move(violation.path), std::move(violation.message)});
    }
    if (report.more) { faults.push_back({"", "has more than these " + std::to_string(limit) + " violations"}); }
    if (full.exhausted || faults.empty()) { faults.push_back({"", tooMuch}); }
    return faults;
}

}  // namespace schema
