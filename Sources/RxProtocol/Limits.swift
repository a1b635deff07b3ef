/// What a connection and a subscription may take up. All of them are told by `server.hello` and set in `[limits]`.
public struct Limits: Sendable, Equatable {
    /// Longest line in bytes: one message must fit in memory many times over.
    public var lineBytes = 1_048_576
    /// Deepest nesting of a message; no honest input comes near, and readers recurse.
    public var depth = 128
    /// Most requests in one batch.
    public var batch = 64
    /// Most elements in the reply of an `execute` without `stream`; the rest is counted as truncated.
    public var elementsPerReply = 1000
    /// Bytes waiting for one connection before its requests are read more slowly and its events are dropped.
    public var outboxBytes = 1_048_576
    /// Events waiting for one subscription.
    public var buffer = 1024
    public var subscriptionsPerConnection = 256
    public var connections = 1024
    /// Keeps one user from taking all connections.
    public var connectionsPerUid = 256

    /// Events kept of each action for subscriptions that come late or come back.
    public var replayEvents = 10_000
    /// Bytes of memory for these, about.
    public var replayBytes = 4_194_304
    /// Bytes waiting for all connections of one user together.
    public var bytesPerUid = 67_108_864

    /// Idempotency keys remembered, for all clients together.
    public var keys = 10_000

    public init() {}

    /// Names and values in the order in which they are told.
    public var fields: [(name: String, value: Int)] {
        [
            ("lineBytes", lineBytes), ("depth", depth), ("batch", batch), ("elementsPerReply", elementsPerReply),
            ("outboxBytes", outboxBytes), ("buffer", buffer),
            ("subscriptionsPerConnection", subscriptionsPerConnection), ("connections", connections),
            ("connectionsPerUid", connectionsPerUid), ("replayEvents", replayEvents), ("replayBytes", replayBytes),
            ("bytesPerUid", bytesPerUid), ("keys", keys),
        ]
    }
}
