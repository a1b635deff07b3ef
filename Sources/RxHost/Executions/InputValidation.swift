internal import RxJSON
internal import RxRecords

/// The result of validating an input ahead of its request, on another thread, with what else takes long: what is shown
/// of it, its secrets, and its hash for a key.
///
/// `Host.submit` and `Host.check` use it instead of validating again, unless the action has another definition by then.
public struct InputValidation: Sendable {
    let definition: SharedDefinition
    let faults: [InputFault]
    /// The group of a valid input; nil for an action without groups.
    let group: String?
    /// Nil for an input that is not valid, or that was validated within its request.
    let redaction: InputRedaction?
    /// The salted hash of the input; nil without a key, or if the input was validated within its request.
    let inputHash: String?

    /// Validates `input` within its request.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - inputHash: the salted hash of the input, if it is known.
    init(_ input: RawJSON, under definition: SharedDefinition, at time: Int64, inputHash: String? = nil) {
        self.init(input, under: definition, at: time, inputHash: inputHash, { _ in nil })
    }

    /// Validates `input` ahead of its request, which may take long. The caller waits.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - salt: makes the hash of the input; nil if the request has no key.
    init(ahead input: RawJSON, under definition: SharedDefinition, at time: Int64, _ salt: InputSalt?) {
        self.init(input, under: definition, at: time, inputHash: salt?.hash(input)) {
            InputRedaction($0.value.schema, input)
        }
    }

    private init(
        _ input: RawJSON, under definition: SharedDefinition, at time: Int64, inputHash: String?,
        _ redaction: (SharedDefinition) -> InputRedaction?
    ) {
        self.definition = definition
        self.inputHash = inputHash
        let faults = definition.value.validate(input)
        switch faults.isEmpty ? definition.value.group(of: input, at: time) : nil {
        case .fault(let reason)?: (self.faults, group) = ([InputFault(ungrouped: reason)], nil)
        case .group(let name)?: (self.faults, group) = (faults, name)
        case nil: (self.faults, group) = (faults, nil)
        }
        self.redaction = self.faults.isEmpty ? redaction(definition) : nil
    }

    /// The result under `definition`; made anew if this is that of another one.
    static func of(
        _ input: RawJSON, _ known: InputValidation?, under definition: SharedDefinition, at time: Int64
    ) -> InputValidation {
        if let known, known.definition === definition { return known }
        return InputValidation(input, under: definition, at: time, inputHash: known?.inputHash)
    }

    /// The redaction of an input under `definition`, if it was made ahead.
    func redaction(under definition: SharedDefinition) -> InputRedaction? {
        definition === self.definition ? redaction : nil
    }

    /// The faults of an input under `definition`; nil if this is the result of another definition.
    func faults(under definition: SharedDefinition) -> [InputFault]? {
        definition === self.definition ? faults : nil
    }
}
