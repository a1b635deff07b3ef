/// What a gate queues and tells: one change of an action.
enum ActionStep {
    case queued(AnyExecution)
    case begin(AnyExecution)
    case element(AnyElementStep)
    case end(AnyExecution, ExecutionEnd)
    case refused(Refusal)
    case conditionFailed(any Error)
    /// The levels alone.
    case levels
    case released
}

/// Which levels a step changes, and to what.
struct LevelChange {
    var executing: Bool?
    var enabled: Bool?
}

/// What `enabledIf` has said last.
enum ReactorCondition {
    case holds(Bool)
    case failed(any Error)

    var isMet: Bool {
        switch self {
        case .holds(let value): value
        case .failed: false
        }
    }
}
