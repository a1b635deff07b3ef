#pragma once

#include "Patterns.hpp"
#include "Values.hpp"

#include <string>
#include <vector>
// Off, valijson ends the process where it would throw.
#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/constraints/concrete_constraints.hpp>

namespace schema {

// What one keyword asks of one value by itself. These are the keywords of which valijson's model keeps too little: the
// numbers are doubles, the values of `enum` can be compared but not named.
struct Check {
    // What to say of a value that is refused.
    std::string message;
    // A value out of a given few: such a violation tells apart the branches of an `anyOf`.
    bool choice = false;

    virtual ~Check() = default;
    virtual bool accepts(const Json &value) const = 0;
};

using Checks = std::vector<std::unique_ptr<const Check>>;

// The checks that `schema` asks for. Reasons why one cannot be made are added to `faults`, with their keyword.
Checks makeChecks(const Json &schema, std::vector<std::pair<const char *, std::string>> &faults);

// Our part of a schema in valijson's model: the checks, and whether the value is a secret.
struct Part {
    Checks checks;
    bool writeOnly = false;
};

class PartConstraint final : public valijson::constraints::PolyConstraint {
public:
    // Outlives this.
    const Part &part;

    explicit PartConstraint(const Part &part) : part(part) {}

    // For valijson's own visitor, which is never used.
    bool validate(
        const valijson::adapters::Adapter &, const std::vector<std::string> &,
        valijson::ValidationResults *) const override {
        return true;
    }

private:
    valijson::constraints::Constraint *cloneInto(void *memory) const override {
        return new (memory) PartConstraint(part);
    }
    size_t sizeOf() const override { return sizeof(PartConstraint); }
};

}  // namespace schema
