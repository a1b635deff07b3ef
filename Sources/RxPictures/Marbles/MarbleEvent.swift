public import RxJSON

/// Something that happened at a stream, a step, an action, or a reactor: one row of the input of ``Marbles``.
public struct MarbleEvent: Sendable, Equatable {
    /// How an element ended at an `on`.
    public enum Firing: String, Sendable, CaseIterable {
        /// An execution has begun, waits, or is one that was under way.
        case started, queued, joined
        /// A reactor has reduced the element.
        case reduced
        /// The element was not accepted, for the reason in ``MarbleEvent/error``, or its input could not be made.
        case refused, failed
    }

    /// What kind of thing happened.
    public enum Kind: Sendable, Equatable {
        /// An element; with an ``MarbleEvent/execution``, one of that execution.
        case element
        /// An error that did not end anything; with an ``MarbleEvent/execution``, one in it.
        case error
        /// The stream has ended.
        case completed
        /// The level `executing` of an action has changed.
        case executing(Bool)
        /// An execution has begun, or goes on since before the window.
        case executionStarted
        /// An execution has ended: well, or with the ``MarbleEvent/error``.
        case executionEnded
        /// What became of an element at an `on`.
        case firing(Firing)
        /// Events are missing here: their number.
        case lag(Int)
    }

    /// In milliseconds since 1970-01-01T00:00Z.
    public var time: Int64
    /// The name of the lane: a stream, step, action, or reactor. For the events of an execution, the lane that
    /// started it, below which it is forked.
    public var lane: String
    /// What happened.
    public var kind: Kind
    /// The execution that the event belongs to, or that the firing started.
    public var execution: String?
    /// The value of an element.
    public var value: RawJSON?
    /// The name of an error, or the reason of a refusal.
    public var error: String?

    /// An event; what does not apply to its kind is nil.
    public init(
        time: Int64, lane: String, kind: Kind, execution: String? = nil, value: RawJSON? = nil, error: String? = nil
    ) {
        self.time = time
        self.lane = lane
        self.kind = kind
        self.execution = execution
        self.value = value
        self.error = error
    }
}
