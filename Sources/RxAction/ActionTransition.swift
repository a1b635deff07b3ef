public import Rx

/// One transition of an action.
///
/// The order per execution is: `queued` if it has to wait, `started`, `executing(true)`, `enabled(false)`, `element`s,
/// `ended`, `executing(false)`, `enabled(true)`. Levels are reported only when they change. An execution that is
/// canceled while it waits ends without starting.
public enum ActionTransition<Element: RxSendable>: Sendable {
    /// The execution waits to start.
    case queued(Execution<Element>)
    /// The execution is in flight.
    case started(Execution<Element>)
    /// The new value of `Action.executing`.
    case executing(Bool)
    /// The new value of `Action.enabled`.
    case enabled(Bool)
    /// An element of an execution.
    case element(Execution<Element>, Element)
    /// An execution ended, after it started or while it waited.
    case ended(Execution<Element>, ExecutionEnd)
    /// An attempt was refused.
    case refused(Refusal)
    /// `enabledIf` failed. The action stays disabled, with this error as the reason.
    case conditionFailed(any Error)
}

/// How an execution ended.
public enum ExecutionEnd: Sendable {
    /// The work completed.
    case completed
    /// The work failed with this error.
    case failed(any Error)
    /// The execution was canceled for this reason.
    case cancelled(reason: any Error)
}
