internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxStreams

/// What the parts of a condition depend on, as it is now.
struct ConditionInputs: Sendable {
    enum Input: Sendable {
        /// The last element of a stream, with its number; see `LastElements`.
        case element(RawJSON, number: UInt64)
        case state(any ReactorState)
        case isPresent(Bool)
        /// The path cannot be watched at present, with the reason.
        case isUnwatched(String)
    }

    private(set) var inputs: [EnabledCondition: Input] = [:]
    /// The parts whose inputs have changed since they were evaluated.
    private(set) var changed: Set<EnabledCondition> = []
    private(set) var mustEvaluate = true

    /// Takes the input of a part, unless it has a newer one: the last element of a stream is looked up while new ones
    /// come.
    ///
    /// - Returns: whether the condition is to be evaluated.
    mutating func take(_ input: Input, of part: EnabledCondition) -> Bool {
        if case .element(_, let number) = input, case .element(_, let known)? = inputs[part], number < known {
            return false
        }
        inputs[part] = input
        note(part)
        return true
    }

    /// Forgets the input of a part.
    ///
    /// - Returns: whether the condition is to be evaluated.
    mutating func forget(_ part: EnabledCondition) -> Bool {
        guard inputs.removeValue(forKey: part) != nil else { return false }
        note(part)
        return true
    }

    private mutating func note(_ part: EnabledCondition) {
        changed.insert(part)
        mustEvaluate = true
    }

    /// Takes what has changed, to evaluate it.
    mutating func takeChanges() -> Set<EnabledCondition> {
        defer {
            changed = []
            mustEvaluate = false
        }
        return changed
    }
}
