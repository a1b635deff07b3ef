internal import RxJSON

/// The result of validating an input ahead of its request, on another thread.
///
/// `Host.submit` and `Host.check` use it instead of validating again, unless the action has another definition by then.
public struct InputValidation: Sendable {
    let definition: SharedDefinition
    let faults: [InputFault]
    /// The group of a valid input; nil for an action without groups.
    let group: String?

    /// Validates `input`, which may take long. The caller waits.
    ///
    /// - Parameter time: milliseconds since 1970.
    init(_ input: RawJSON, under definition: SharedDefinition, at time: Int64) {
        self.definition = definition
        let faults = definition.value.validate(input)
        switch faults.isEmpty ? definition.value.group(of: input, at: time) : nil {
        case .fault(let reason)?: (self.faults, group) = ([InputFault(ungrouped: reason)], nil)
        case .group(let name)?: (self.faults, group) = (faults, name)
        case nil: (self.faults, group) = (faults, nil)
        }
    }

    /// The result under `definition`; made anew if this is that of another one.
    static func of(
        _ input: RawJSON, _ known: InputValidation?, under definition: SharedDefinition, at time: Int64
    ) -> InputValidation {
        if let known, known.definition === definition { return known }
        return InputValidation(input, under: definition, at: time)
    }

    /// The faults of an input under `definition`; nil if this is the result of another definition.
    func faults(under definition: SharedDefinition) -> [InputFault]? {
        definition === self.definition ? faults : nil
    }
}
