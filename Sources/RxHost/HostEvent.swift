public import RxAction
public import RxJSON

/// One change of what clients can see, in the one order of the event log.
public struct HostEvent: Sendable {
    public enum Change: Sendable {
        case element(RawJSON)
        /// An execution ended by this error.
        case failure(ExecutionError)
        /// An input was refused because the action is not enabled.
        case refusal(Enabled)
        /// An input was refused because so many wait already.
        case queueFull(limit: Int)
        /// The action's condition failed; it stays disabled.
        case conditionFailure(String)
        case executing(Bool)
        case enabled(Enabled)
        // Apart, because it is large and all others are small.
        indirect case execution(ExecutionRecord)
        /// The name is no longer configured.
        case removed
    }

    /// Counts changes of the whole host; grows, and is never used twice.
    public let cursor: UInt64
    /// Milliseconds since 1970.
    public let time: Int64
    public let action: HostedAction
    public let execution: ExecutionID?
    public let change: Change
}
