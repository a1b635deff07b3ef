#include "Evaluation.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <valijson/constraints/constraint_visitor.hpp>

namespace schema {

namespace {

using namespace valijson::constraints;
using valijson::Subschema;

using Types = unsigned;  // bits of TypeConstraint::JsonType

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

std::string quoted(std::string_view name) { return Json(name).dump(); }

std::string counted(const char *words, uint64_t count, const char *one, const char *many) {
    return words + std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string typeMessage(Types types) {
    static constexpr std::pair<TypeConstraint::JsonType, const char *> names[] = {
        {TypeConstraint::kString, "string"}, {TypeConstraint::kInteger, "integer"},
        {TypeConstraint::kNumber, "number"}, {TypeConstraint::kBoolean, "boolean"},
        {TypeConstraint::kObject, "object"}, {TypeConstraint::kArray, "array"},
        {TypeConstraint::kNull, "null"},
    };
    std::string text;
    for (auto [type, name] : names) {
        if (!(types & 1u << type)) { continue; }
        text += text.empty() ? "must be of type " : " or ";
        text += name;
    }
    return text;
}

// Looks at one value. Without a report it stops at the first violation.
class Evaluation final : public ConstraintVisitor {
public:
    Evaluation(const Compiled &schema, Report *report) : schema(schema), report(report) {}

    bool exhausted = false;

    bool check(const Subschema &subschema, const Json &inner, const Place &innerPlace) {
        if (exhausted || (report && report->more)) { return false; }
        if (++work > greatestWork || nesting == greatestNesting) {
            exhausted = true;
            return false;
        }
        const Json *outer = value;
        const Place *outerPlace = place;
        value = &inner;
        place = &innerPlace;
        ++nesting;
        bool valid = !subschema.getAlwaysInvalid() || refuse([] { return "is not allowed"; });
        if (valid) { valid = report ? subschema.apply(each) : subschema.applyStrict(each); }
        --nesting;
        place = outerPlace;
        value = outer;
        return valid;
    }

    bool visit(const AllOfConstraint &constraint) override {
        bool valid = true;
        constraint.applyToSubschemas([&](unsigned, const Subschema *branch) {
            valid = check(*branch, *value, *place) && valid;
            return goesOn(valid);
        });
        return valid;
    }

    bool visit(const AnyOfConstraint &constraint) override {
        std::vector<const Subschema *> branches;
        bool valid = false;
        constraint.applyToSubschemas([&](unsigned, const Subschema *branch) {
            branches.push_back(branch);
            valid = passes(*branch, *value);
            return !valid;
        });
        return valid || refuse(branches);
    }

    bool visit(const OneOfConstraint &constraint) override {
        std::vector<const Subschema *> branches;
        std::vector<unsigned> fitting;
        constraint.applyToSubschemas([&](unsigned index, const Subschema *branch) {
            branches.push_back(branch);
            if (passes(*branch, *value)) { fitting.push_back(index); }
            return fitting.size() < 2;
        });
        if (fitting.size() == 1) { return true; }
        if (fitting.empty()) { return refuse(branches); }
        return refuse([&] {
            return "matches alternatives " + std::to_string(fitting[0]) + " and " + std::to_string(fitting[1])
                + " of \"oneOf\", which exclude each other";
        });
    }

    bool visit(const NotConstraint &constraint) override {
        return !passes(*constraint.getSubschema(), *value)
            || refuse([] { return "must not match the schema in \"not\""; });
    }

    bool visit(const ConditionalConstraint &constraint) override {
        const Subschema *consequence = passes(*constraint.getIfSubschema(), *value) ? constraint.getThenSubschema()
                                                                                     : constraint.getElseSubschema();
        return !consequence || check(*consequence, *value, *place);
    }

    // MARK: Arrays

    bool visit(const SingularItemsConstraint &constraint) override {
        if (!value->is_array()) { return true; }
        bool valid = true;
        for (size_t index = 0; index < value->size() && goesOn(valid); ++index) {
            valid = checkElement(*constraint.getItemsSubschema(), index) && valid;
        }
        return valid;
    }

    bool visit(const LinearItemsConstraint &constraint) override {
        if (!value->is_array()) { return true; }
        bool valid = true;
        constraint.applyToItemSubschemas([&](unsigned index, const Subschema *item) {
            if (index >= value->size()) { return false; }
            valid = checkElement(*item, index) && valid;
            return goesOn(valid);
        });
        size_t described = constraint.getItemSubschemaCount();
        const Subschema *rest = constraint.getAdditionalItemsSubschema();
        if (value->size() <= described || rest == schema.model.emptySubschema()) { return valid; }
        if (!rest) {
            return refuse([&] { return counted("must have at most ", described, "element", "elements"); });
        }
        for (size_t index = described; index < value->size() && goesOn(valid); ++index) {
            valid = checkElement(*rest, index) && valid;
        }
        return valid;
    }

    bool visit(const ContainsConstraint &constraint) override {
        if (!value->is_array()) { return true; }
        for (const Json &element : *value) {
            if (passes(*constraint.getSubschema(), element)) { return true; }
        }
        return refuse([] { return "must contain an element that matches \"contains\""; });
    }

    bool visit(const MinItemsConstraint &constraint) override {
        return !value->is_array() || value->size() >= constraint.getMinItems() || refuse([&] {
            return counted("must have at least ", constraint.getMinItems(), "element", "elements");
        });
    }

    bool visit(const MaxItemsConstraint &constraint) override {
        return !value->is_array() || value->size() <= constraint.getMaxItems() || refuse([&] {
            return counted("must have at most ", constraint.getMaxItems(), "element", "elements");
        });
    }

    bool visit(const UniqueItemsConstraint &) override {
        if (!value->is_array()) { return true; }
        std::vector<const Json *> elements;
        elements.reserve(value->size());
        for (const Json &element : *value) { elements.push_back(&element); }
        std::sort(elements.begin(), elements.end(), [](const Json *one, const Json *other) {
            int found = compare(*one, *other);
            // Elements of an array lie one after another: of equal ones the earlier comes first.
            return found < 0 || (found == 0 && one < other);
        });
        auto same = std::adjacent_find(elements.begin(), elements.end(), [](const Json *one, const Json *other) {
            return compare(*one, *other) == 0;
        });
        return same == elements.end() || refuse([&] {
            const Json *first = &(*value)[0];
            return "must not repeat an element, as it does at " + std::to_string(same[0] - first) + " and "
                + std::to_string(same[1] - first);
        });
    }

    // MARK: Objects

    bool visit(const PropertiesConstraint &constraint) override {
        auto *members = value->get_ptr<const Json::object_t *>();
        if (!members) { return true; }
        bool valid = true;
        const Subschema *rest = constraint.getAdditionalPropertiesSubschema();
        const bool anyRest = rest == schema.model.emptySubschema();
        // In the order of the names, which is the order of the members as well.
        std::vector<const std::string *> known;
        constraint.applyToProperties([&](auto &name, const Subschema *property) {
            auto member = members->find(std::string_view(name.data(), name.size()));
            if (member == members->end()) { return true; }
            if (!anyRest) { known.push_back(&member->first); }
            valid = checkMember(*property, *member) && valid;
            return goesOn(valid);
        });
        std::vector<std::pair<const RE2 *, const Subschema *>> patterns;
        constraint.applyToPatternProperties([&](auto &number, const Subschema *property) {
            patterns.emplace_back(schema.patterns[size_t(std::stoul(number.c_str()))].get(), property);
            return true;
        });
        if (patterns.empty() && anyRest) { return valid; }
        auto next = known.begin();
        for (auto member = members->begin(); member != members->end() && goesOn(valid); ++member) {
            bool described = next != known.end() && *next == &member->first;
            if (described) { ++next; }
            for (auto [pattern, property] : patterns) {
                if (!spend()) { return false; }
                if (!matches(*pattern, member->first)) { continue; }
                described = true;
                valid = checkMember(*property, *member) && valid;
            }
            if (described || anyRest) { continue; }
            if (rest) {
                valid = checkMember(*rest, *member) && valid;
            } else {
                Place unknown{place, &member->first};
                valid = refuse([] { return "is not a known property"; }, Violation::Kind::other, 0, &unknown);
            }
        }
        return valid;
    }

    bool visit(const PropertyNamesConstraint &constraint) override {
        auto *members = value->get_ptr<const Json::object_t *>();
        if (!members) { return true; }
        bool valid = true;
        for (auto member = members->begin(); member != members->end() && goesOn(valid); ++member) {
            const Json name = member->first;
            if (passes(*constraint.getSubschema(), name)) { continue; }
            valid = false;
            if (!report) { return false; }
            Place named{place, &member->first};
            Report about{report->limit};
            report.swap(about, [&] { check(*constraint.getSubschema(), name, named); });
            for (Violation &violation : about.violations) {
                violation.message = "as a name " + violation.message;
                violation.kind = Violation::Kind::other;
                report->add(std::move(violation));
            }
        }
        return valid;
    }

    bool visit(const RequiredConstraint &constraint) override {
        auto *members = value->get_ptr<const Json::object_t *>();
        if (!members) { return true; }
        bool valid = true;
        constraint.applyToRequiredProperties([&](auto &text) {
            std::string_view name(text.data(), text.size());
            if (members->find(name) != members->end()) { return true; }
            valid = refuse([&] { return "missing required " + quoted(name); });
            return goesOn(valid);
        });
        return valid;
    }

    bool visit(const DependenciesConstraint &constraint) override {
        auto *members = value->get_ptr<const Json::object_t *>();
        if (!members) { return true; }
        bool valid = true;
        auto has = [&](auto &text) {
            return members->find(std::string_view(text.data(), text.size())) != members->end();
        };
        constraint.applyToPropertyDependencies([&](auto &name, auto &wanted) {
            if (!has(name)) { return true; }
            for (auto &other : wanted) {
                if (has(other)) { continue; }
                valid = refuse([&] {
                    return "missing " + quoted(std::string_view(other.data(), other.size())) + ", required beside "
                        + quoted(std::string_view(name.data(), name.size()));
                });
            }
            return goesOn(valid);
        });
        constraint.applyToSchemaDependencies([&](auto &name, const Subschema *wanted) {
            if (has(name)) { valid = check(*wanted, *value, *place) && valid; }
            return goesOn(valid);
        });
        return valid;
    }

    bool visit(const MinPropertiesConstraint &constraint) override {
        return !value->is_object() || value->size() >= constraint.getMinProperties() || refuse([&] {
            return counted("must have at least ", constraint.getMinProperties(), "property", "properties");
        });
    }

    bool visit(const MaxPropertiesConstraint &constraint) override {
        return !value->is_object() || value->size() <= constraint.getMaxProperties() || refuse([&] {
            return counted("must have at most ", constraint.getMaxProperties(), "property", "properties");
        });
    }

    // MARK: Scalars

    bool visit(const TypeConstraint &constraint) override {
        Types types = 0;
        constraint.applyToNamedTypes([&](TypeConstraint::JsonType type) {
            types |= 1u << type;
            return true;
        });
        return types & own() || refuse([&] { return typeMessage(types); }, Violation::Kind::type, types);
    }

    bool visit(const MinLengthConstraint &constraint) override {
        auto *text = value->get_ptr<const std::string *>();
        return !text || characters(*text) >= constraint.getMinLength() || refuse([&] {
            return counted("must have at least ", constraint.getMinLength(), "character", "characters");
        });
    }

    bool visit(const MaxLengthConstraint &constraint) override {
        auto *text = value->get_ptr<const std::string *>();
        return !text || characters(*text) <= constraint.getMaxLength() || refuse([&] {
            return counted("must have at most ", constraint.getMaxLength(), "character", "characters");
        });
    }

    bool visit(const PolyConstraint &constraint) override {
        bool valid = true;
        for (auto &check : static_cast<const PartConstraint &>(constraint).part.checks) {
            if (check->accepts(*value)) { continue; }
            valid = refuse(
                [&] { return check->message; }, check->choice ? Violation::Kind::choice : Violation::Kind::other);
        }
        return valid;
    }

    // MARK: Parts instead, the compiler lets no such keyword through

    bool visit(const ConstConstraint &) override { return true; }
    bool visit(const EnumConstraint &) override { return true; }
    bool visit(const FormatConstraint &) override { return true; }
    bool visit(const MaximumConstraint &) override { return true; }
    bool visit(const MinimumConstraint &) override { return true; }
    bool visit(const MultipleOfDoubleConstraint &) override { return true; }
    bool visit(const MultipleOfIntConstraint &) override { return true; }
    bool visit(const PatternConstraint &) override { return true; }

private:
    // Where violations go; null for nowhere.
    struct Reporting {
        Report *current;

        explicit Reporting(Report *current) : current(current) {}
        explicit operator bool() const { return current != nullptr; }
        Report *operator->() const { return current; }

        template <typename Body> void swap(Report &other, Body body) { swap(&other, body); }
        template <typename Body> void swap(Report *other, Body body) {
            std::swap(current, other);
            body();
            std::swap(current, other);
        }
    };

    const Compiled &schema;
    Reporting report;
    size_t work = 0;
    size_t nesting = 0;
    const Json *value = nullptr;
    const Place *place = nullptr;
    Subschema::ApplyFunction each = [this](const Constraint &constraint) { return constraint.accept(*this); };

    bool goesOn(bool valid) const { return valid || (report && !report->more && !exhausted); }

    bool spend() {
        exhausted = exhausted || ++work > greatestWork;
        return !exhausted;
    }

    bool passes(const Subschema &subschema, const Json &inner) {
        bool valid = false;
        // Nothing is told, so it does not matter where.
        report.swap(nullptr, [&] { valid = check(subschema, inner, *place); });
        return valid;
    }

    bool checkElement(const Subschema &subschema, size_t index) {
        Place element{place, nullptr, index};
        return check(subschema, (*value)[index], element);
    }

    bool checkMember(const Subschema &subschema, const Json::object_t::value_type &member) {
        Place inner{place, &member.first};
        return check(subschema, member.second, inner);
    }

    Types own() const {
        switch (value->type()) {
        case Json::value_t::null: return 1u << TypeConstraint::kNull;
        case Json::value_t::boolean: return 1u << TypeConstraint::kBoolean;
        case Json::value_t::string: return 1u << TypeConstraint::kString;
        case Json::value_t::array: return 1u << TypeConstraint::kArray;
        case Json::value_t::object: return 1u << TypeConstraint::kObject;
        default: return 1u << TypeConstraint::kNumber | (isInteger(*value) ? 1u << TypeConstraint::kInteger : 0);
        }
    }

    // False, for whoever refuses. The message is made only if it is wanted.
    template <typename Message>
    bool refuse(
        Message message, Violation::Kind kind = Violation::Kind::other, Types types = 0, const Place *at = nullptr) {
        if (report) { report->add({(at ? at : place)->pointer(), message(), kind, types}); }
        return false;
    }

    // Of a value that fits no branch: what is wrong with it in the one branch that seems to be meant, if there is one.
    bool refuse(const std::vector<const Subschema *> &branches) {
        if (!report) { return false; }
        const std::string here = place->pointer();
        Types types = 0;
        size_t mistyped = 0, meant = 0, chosen = 0;
        Report ofMeant{0}, ofChosen{0};
        for (const Subschema *branch : branches) {
            Report own{report->limit};
            report.swap(own, [&] { check(*branch, *value, *place); });
            auto &violations = own.violations;
            auto typed = std::find_if(violations.begin(), violations.end(), [&](const Violation &violation) {
                return violation.kind == Violation::Kind::type && violation.path == here;
            });
            if (typed != violations.end()) {
                types |= typed->types;
                ++mistyped;
                continue;
            }
            bool choice = std::any_of(violations.begin(), violations.end(), [](const Violation &violation) {
                return violation.kind == Violation::Kind::choice;
            });
            if (!choice && ++chosen == 1) { ofChosen = own; }
            if (++meant == 1) { ofMeant = std::move(own); }
        }
        if (mistyped == branches.size()) {
            return refuse([&] { return typeMessage(types); }, Violation::Kind::type, types);
        }
        if (meant == 1 || chosen == 1) {
            for (Violation &violation : (meant == 1 ? ofMeant : ofChosen).violations) {
                report->add(std::move(violation));
            }
            return false;
        }
        return refuse([&] { return "matches none of the " + std::to_string(branches.size()) + " alternatives"; });
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

std::vector<Fault> evaluate(const Compiled &schema, const Json &value, size_t limit) {
    const Place root;
    // Most texts are valid, and saying so is quicker.
    Evaluation quick(schema, nullptr);
    if (quick.check(schema.model, value, root) && !quick.exhausted) { return {}; }
    std::vector<Fault> faults;
    static constexpr char tooMuch[] = "takes too much work to check";
    if (quick.exhausted) { return {{"", tooMuch}}; }
    Report report{limit};
    Evaluation full(schema, &report);
    full.check(schema.model, value, root);
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
