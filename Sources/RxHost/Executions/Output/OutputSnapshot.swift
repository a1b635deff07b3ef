internal import RxJSON
internal import RxRecords
internal import RxStore

/// The output of an execution at one moment, not packed yet.
struct OutputSnapshot: Sendable {
    let elements: RetainedElements.Snapshot
    let errors: RetainedErrors
    let mask: SecretMask?
    /// Whether nothing follows.
    let isOver: Bool

    /// Whether nothing came.
    var isEmpty: Bool { elements.total == 0 && errors.total == 0 }
    /// The approximate memory that it uses.
    var cost: Int { elements.cost + errors.cost + (mask?.cost ?? 0) }

    /// The elements that are kept after an event, without what must not be kept. They take memory as they are read.
    func elements(after number: UInt64) -> LogOutput.Elements {
        let halves = elements.halves(after: number)
        guard let mask else { return LogOutput.Elements(halves: halves, redact: nil) }
        // Made with the first element: most readers want none of most executions.
        var redactor: SecretRedactor?
        return LogOutput.Elements(halves: halves) { text in
            let used = redactor ?? mask.redactor
            redactor = used
            return used.redacting(text)
        }
    }

    /// What is kept, without what must not be kept. Takes up to a millisecond, or several with secrets.
    func kept() -> KeptOutput {
        var kept = KeptOutput(elements: elements.kept, errors: errors.kept)
        if let mask { kept = mask.masking(kept, limit: elements.limit, isOver: isOver) }
        kept.errors = kept.errors.limited(to: elements.limit)
        return kept
    }
}
