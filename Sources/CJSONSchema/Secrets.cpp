#include "Secrets.hpp"

#include "Evaluation.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <valijson/constraints/constraint_visitor.hpp>

namespace schema {

namespace {

using namespace valijson::constraints;
using valijson::Subschema;

// Follows every way that a schema may apply to a part of the value, without asking whether it does.
class SecretSearch final : public ConstraintVisitor {
public:
    SecretSearch(const Compiled &schema, std::set<std::string> &found) : schema(schema), found(found) {}

    bool exhausted = false;

    bool look(const Subschema &subschema, const Json &inner, const Place &innerPlace) {
        if (exhausted || seen.size() > greatestWork || work > greatestWork || nesting == greatestNesting) {
            exhausted = true;
            return true;
        }
        if (!seen.insert({&subschema, &inner}).second) { return true; }
        auto outer = std::pair(value, place);
        value = &inner;
        place = &innerPlace;
        ++nesting;
        subschema.apply(each);
        --nesting;
        std::tie(value, place) = outer;
        return true;
    }

    bool visit(const PolyConstraint &constraint) override {
        if (static_cast<const PartConstraint &>(constraint).part.writeOnly) { found.insert(place->pointer()); }
        return true;
    }

    bool visit(const AllOfConstraint &constraint) override { return lookAtAll(constraint); }
    bool visit(const AnyOfConstraint &constraint) override { return lookAtAll(constraint); }
    bool visit(const OneOfConstraint &constraint) override { return lookAtAll(constraint); }
    bool visit(const NotConstraint &constraint) override { return lookHere(constraint.getSubschema()); }

    bool visit(const ConditionalConstraint &constraint) override {
        return lookHere(constraint.getIfSubschema()) && lookHere(constraint.getThenSubschema())
            && lookHere(constraint.getElseSubschema());
    }

    bool visit(const DependenciesConstraint &constraint) override {
        constraint.applyToSchemaDependencies([&](auto &, const Subschema *wanted) { return lookHere(wanted); });
        return true;
    }

    bool visit(const SingularItemsConstraint &constraint) override {
        return lookAtElements(constraint.getItemsSubschema(), 0);
    }

    bool visit(const ContainsConstraint &constraint) override { return lookAtElements(constraint.getSubschema(), 0); }

    bool visit(const LinearItemsConstraint &constraint) override {
        constraint.applyToItemSubschemas([&](unsigned index, const Subschema *item) {
            return !value->is_array() || index >= value->size() || lookAtElement(*item, index);
        });
        return lookAtElements(constraint.getAdditionalItemsSubschema(), constraint.getItemSubschemaCount());
    }

    bool visit(const PropertiesConstraint &constraint) override {
        auto *members = value->get_ptr<const Json::object_t *>();
        if (!members) { return true; }
        std::unordered_set<const std::string *> known;
        constraint.applyToProperties([&](auto &name, const Subschema *property) {
            auto member = members->find(std::string_view(name.data(), name.size()));
            if (member == members->end()) { return true; }
            known.insert(&member->first);
            return lookAtMember(*property, *member);
        });
        for (auto &member : *members) {
            bool described = known.count(&member.first) != 0;
            constraint.applyToPatternProperties([&](auto &number, const Subschema *property) {
                ++work;
                if (!matches(*schema.patterns[size_t(std::stoul(number.c_str()))], member.first)) { return true; }
                described = true;
                return lookAtMember(*property, member);
            });
            const Subschema *rest = constraint.getAdditionalPropertiesSubschema();
            if (!described && rest) { lookAtMember(*rest, member); }
        }
        return true;
    }

    // MARK: Nothing to follow

    bool visit(const ConstConstraint &) override { return true; }
    bool visit(const EnumConstraint &) override { return true; }
    bool visit(const FormatConstraint &) override { return true; }
    bool visit(const MaxItemsConstraint &) override { return true; }
    bool visit(const MaximumConstraint &) override { return true; }
    bool visit(const MaxLengthConstraint &) override { return true; }
    bool visit(const MaxPropertiesConstraint &) override { return true; }
    bool visit(const MinItemsConstraint &) override { return true; }
    bool visit(const MinimumConstraint &) override { return true; }
    bool visit(const MinLengthConstraint &) override { return true; }
    bool visit(const MinPropertiesConstraint &) override { return true; }
    bool visit(const MultipleOfDoubleConstraint &) override { return true; }
    bool visit(const MultipleOfIntConstraint &) override { return true; }
    bool visit(const PatternConstraint &) override { return true; }
    bool visit(const PropertyNamesConstraint &) override { return true; }
    bool visit(const RequiredConstraint &) override { return true; }
    bool visit(const TypeConstraint &) override { return true; }
    bool visit(const UniqueItemsConstraint &) override { return true; }

private:
    struct Hash {
        size_t operator()(const std::pair<const Subschema *, const Json *> &pair) const {
            return std::hash<const void *>()(pair.first) * 31 + std::hash<const void *>()(pair.second);
        }
    };

    const Compiled &schema;
    std::set<std::string> &found;
    // No value is looked at twice with the same schema, however many ways lead there.
    std::unordered_set<std::pair<const Subschema *, const Json *>, Hash> seen;
    size_t work = 0;
    size_t nesting = 0;
    const Json *value = nullptr;
    const Place *place = nullptr;
    Subschema::ApplyFunction each = [this](const Constraint &constraint) { return constraint.accept(*this); };

    bool lookHere(const Subschema *subschema) { return !subschema || look(*subschema, *value, *place); }

    template <typename Branches> bool lookAtAll(const Branches &branches) {
        branches.applyToSubschemas([&](unsigned, const Subschema *branch) { return lookHere(branch); });
        return true;
    }

    bool lookAtElement(const Subschema &subschema, size_t index) {
        Place element{place, nullptr, index};
        return look(subschema, (*value)[index], element);
    }

    bool lookAtElements(const Subschema *subschema, size_t first) {
        if (!subschema || !value->is_array()) { return true; }
        for (size_t index = first; index < value->size(); ++index) { lookAtElement(*subschema, index); }
        return true;
    }

    bool lookAtMember(const Subschema &subschema, const Json::object_t::value_type &member) {
        Place inner{place, &member.first};
        return look(subschema, member.second, inner);
    }
};

}  // namespace

bool findSecrets(const Compiled &schema, const Json &value, std::vector<std::string> &pointers) {
    std::set<std::string> found;
    SecretSearch search(schema, found);
    const Place root;
    search.look(schema.model, value, root);
    if (search.exhausted) { return false; }
    for (const std::string &pointer : found) {
        bool inside = found.count("") && !pointer.empty();
        for (size_t end = pointer.find('/', 1); end != std::string::npos && !inside; end = pointer.find('/', end + 1)) {
            inside = found.count(pointer.substr(0, end)) != 0;
        }
        if (!inside) { pointers.push_back(pointer); }
    }
    return true;
}

}  // namespace schema
