/// What a gate queues and tells: one change of an action.
enum ActionStep {
    case begin(AnyExecution)
    case element(AnyElementStep)
    case end(AnyExecution, ExecutionEnd, enables: Bool)
    case refused(Refusal)
    case enabled(Bool)
    case conditionFailed(any Error, disables: Bool)
    case released
}

/// What `enabledIf` has said last.
enum ActionCondition {
    case holds(Bool)
    case failed(any Error)

    var isMet: Bool {
        switch self {
        case .holds(let value): value
        case .failed: false
        }
    }
}
