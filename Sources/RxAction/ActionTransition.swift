/// Everything an action does, as one ordered stream.
///
/// Per execution: `queued` if it has to wait, `started`, `executing(true)`, `enabled(false)`, `element`s, `ended`,
/// `executing(false)`, `enabled(true)`; the levels only where they change. One that is cancelled while it waits ends without
/// having started.
public enum ActionTransition<Element: Sendable>: Sendable {
    case queued(Execution<Element>)
    case started(Execution<Element>)
    case executing(Bool)
    case enabled(Bool)
    case element(Execution<Element>, Element)
    case ended(Execution<Element>, ExecutionEnd)
    case refused(Refusal)
    /// `enabledIf` failed: the action is disabled from now on, with this error as the reason.
    case conditionFailed(any Error)
}

/// How an execution ended.
public enum ExecutionEnd: Sendable {
    case completed
    case failed(any Error)
    case cancelled(reason: any Error)
}
