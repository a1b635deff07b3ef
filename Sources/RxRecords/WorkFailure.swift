public import RxJSON

/// Work that failed for a reason it can tell: a sentence for people, and facts for programs.
public struct WorkFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public let message: String
    /// What `data` of the `workFailed` error holds beside its name: `exit`, `signal`, `errno`, `stderr`, …
    public let facts: JSONObject
    /// Whether the same work may succeed another time; if not, it is not retried.
    public let mayPass: Bool

    public init(message: String, facts: JSONObject = [:], mayPass: Bool = true) {
        self.message = message
        self.facts = facts
        self.mayPass = mayPass
    }

    public var description: String { message }
}

/// The reason given to work that is cancelled on somebody's word.
public struct CancellationRequest: Error, Sendable {
    /// Who asked; nil when its last requester went away.
    public let by: Origin?
    /// Time the work has to end by itself, instead of its own.
    public let grace: Duration?

    public init(by: Origin?, grace: Duration? = nil) {
        self.by = by
        self.grace = grace
    }
}

/// The reason given to work that took longer than it may.
public struct WorkTimedOut: Error, Sendable {
    public let limit: Duration

    package init(limit: Duration) { self.limit = limit }
}

/// The reason given to work when the host stops.
public struct HostStopping: Error, Sendable {
    package init() {}
}
