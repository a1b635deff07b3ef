/// One change of an action, as the gate queues and delivers it.
enum ActionStep {
    case queued(AnyExecution)
    case begin(AnyExecution)
    case element(AnyElementStep)
    case end(AnyExecution, ExecutionEnd)
    case refused(Refusal)
    case conditionFailed(any Error)
    /// A change of the levels alone.
    case levels
    case released
}

/// The levels that a step changes and their new values.
struct LevelChange {
    var executing: Bool?
    var enabled: Bool?
}

/// The last result of `enabledIf`.
enum GateCondition {
    case holds(Bool)
    case failed(any Error)

    var isMet: Bool {
        switch self {
        case .holds(let value): value
        case .failed: false
        }
    }
}
