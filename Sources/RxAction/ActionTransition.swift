/// One transition of an action.
///
/// The order per execution is: `queued` if it has to wait, `started`, `executing(true)`, `enabled(false)`, `element`s,
/// `ended`, `executing(false)`, `enabled(true)`. Levels are reported only when they change. An execution that is
/// canceled while it waits ends without starting.
public enum ActionTransition<Element: Sendable>: Sendable {
    case queued(Execution<Element>)
    case started(Execution<Element>)
    case executing(Bool)
    case enabled(Bool)
    case element(Execution<Element>, Element)
    case ended(Execution<Element>, ExecutionEnd)
    case refused(Refusal)
    /// `enabledIf` failed. The action stays disabled, with this error as the reason.
    case conditionFailed(any Error)
}

/// How an execution ended.
public enum ExecutionEnd: Sendable {
    case completed
    case failed(any Error)
    case cancelled(reason: any Error)
}
