public import RxRecords
public import RxJSON

/// One request for an execution.
public struct ExecutionRequest: Sendable {
    /// The input.
    public var input: RawJSON
    /// The result of validating the input; nil if `Host.submit` is to validate it.
    public var validation: InputValidation?
    /// What led to the request, the requester first.
    public var causes: Causes
    /// The longest time that the work may take; the shorter of this and the action's own holds. Ignored if the request
    /// joins an execution.
    public var timeout: Duration?
    /// The time at which the work is to start, in milliseconds since 1970; nil for at once. With a time, the request is
    /// durable, and starts exactly once: at its time, or as soon as the action may start it after that.
    public var dueAt: Int64?
    /// The executions whose ends the start waits for; nil for none. It starts as soon as the action may start it then,
    /// and not before `dueAt`.
    public var after: After?
    /// The same key within its lifetime refers to the same execution: a second request joins it, also after its end.
    public var key: String?
    /// A token with which the requester can withdraw; nil leaves the execution running whatever becomes of it.
    public var requester: UInt64?
    /// Whether the execution's events are kept for `EventLog.drain` even if no reader watches the action.
    public var isWatched: Bool

    /// Whether a refusal is an event of the action. A stream records it as a firing instead.
    public var publishesRefusal = true
    /// The values that the stream which makes the request stores with the acceptance, given the execution's record: the
    /// claim of its slot. They make the execution durable, so that it is started exactly once; nil for every other
    /// request. Not called if the request joins an execution or is refused.
    public var claim: (@Sendable (ExecutionRecord) -> [StreamRow])?

    /// Whether work that is a function of the input needs no execution object. It takes next to no time, so it has
    /// ended before anybody could withdraw, and a timeout does not expire.
    var isPlain: Bool { key == nil && !isWatched && claim == nil && dueAt == nil && after == nil }

    /// The requester: the nearest of the causes.
    public var by: Origin { causes.by }

    /// A request of `by` for no other cause, without a key, whose requester never withdraws, unless given.
    public init(
        input: RawJSON, by: Origin, timeout: Duration? = nil, key: String? = nil, requester: UInt64? = nil,
        isWatched: Bool = false
    ) {
        self.init(
            input: input, causes: Causes(by), timeout: timeout, key: key, requester: requester, isWatched: isWatched)
    }

    /// A request without a key whose requester never withdraws, unless given.
    public init(
        input: RawJSON, causes: Causes, timeout: Duration? = nil, key: String? = nil, requester: UInt64? = nil,
        isWatched: Bool = false
    ) {
        self.input = input
        self.causes = causes
        self.timeout = timeout
        self.key = key
        self.requester = requester
        self.isWatched = isWatched
    }
}
