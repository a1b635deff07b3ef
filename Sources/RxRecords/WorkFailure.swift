public import RxJSON

/// A failure of work, with a sentence for people and facts for programs.
public struct WorkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as one sentence.
    public let message: String
    /// The members of the `workFailed` error's `data` beside its name: `exit`, `signal`, `errno`, `stderr`, …
    public let facts: JSONObject
    /// Whether the same work may succeed another time; if not, it is not retried.
    public let mayPass: Bool

    /// A failure that may pass, unless given.
    public init(message: String, facts: JSONObject = [:], mayPass: Bool = true) {
        self.message = message
        self.facts = facts
        self.mayPass = mayPass
    }

    /// The message.
    public var description: String { message }
}

/// The reason passed to work that is canceled by a request.
public struct CancellationRequest: Error, Sendable {
    /// The origin of the request; nil if the last requester went away.
    public let by: Origin?
    /// The time that the work has to end by itself; nil for the time its definition gives.
    public let grace: Duration?

    /// A request without a grace period of its own, unless given.
    public init(by: Origin?, grace: Duration? = nil) {
        self.by = by
        self.grace = grace
    }
}

/// The reason passed to work that took too long.
public struct WorkTimedOut: Error, Sendable {
    /// The time that the work was allowed.
    public let limit: Duration

    package init(limit: Duration) { self.limit = limit }
}

/// The reason passed to work when the host stops.
public struct HostStopping: Error, Sendable {
    package init() {}
}
