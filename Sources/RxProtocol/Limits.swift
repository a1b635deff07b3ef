/// The resources that a connection and a subscription may use. `server.hello` reports all of them, and `[limits]`
/// sets them.
public struct Limits: Sendable, Equatable {
    /// The most records or steps in one answer of `execution.list` or `reactor.history`.
    public static let listed = 10_000
    /// The most records or steps in an answer to a request without `limit`.
    public static let listedByDefault = 1000
    /// The most actions whose last ends one answer of `action.list` has: more than a screen has rows.
    public static let actionsWithEnds = 200
    /// The last ends of each of them: as many as a column of bars shows.
    public static let endsOfAction = 20

    /// Longest line in bytes: one message must fit in memory many times over.
    public var lineBytes = 1_048_576
    /// Deepest nesting of a message: no honest input comes near, and readers recurse.
    public var depth = 128
    /// Most requests in one batch.
    public var batch = 64
    /// Most elements in the reply of an `execute` without `stream`; the rest is left out, and the reply is `truncated`.
    public var elementsPerReply = 1000
    /// Bytes of memory that may wait for one connection; beyond, its requests wait and its events are dropped.
    public var outboxBytes = 1_048_576
    /// Events that may wait for one subscription.
    public var buffer = 1024
    /// Most open subscriptions of one connection.
    public var subscriptionsPerConnection = 256
    /// Most connections.
    public var connections = 1024
    /// The connections, of `connections`, that only root and the daemon's user get: an eighth, at least one and at most
    /// 16. A single connection is for everyone.
    public var connectionsReserved: Int { connections > 1 ? min(16, max(1, connections / 8)) : 0 }
    /// Most connections of one user, so that no user can take all of them.
    public var connectionsPerUid = 256

    /// Events kept of each action for subscriptions that come late or come back.
    public var replayEvents = 10_000
    /// Bytes of memory for these events, approximately.
    public var replayBytes = 4_194_304
    /// Bytes of memory for the events of all actions, reactors, and streams together, approximately: half of what one
    /// user may make the daemon grow by.
    public var replayBytesOfAll = 33_554_432
    /// Bytes of memory that may wait for all connections of one user together. One user may make the daemon grow by
    /// 64 MiB; the rest is for what is not counted: received lines, buffers, and what the allocator keeps.
    public var bytesPerUid = 25_165_824

    /// Idempotency keys remembered, for all clients together.
    public var keys = 10_000
    /// Idempotency keys remembered of one user, so that no user can take all of them.
    public var keysPerUid = 2500

    /// The defaults.
    public init() {}

    /// A limit's name on the wire, where its value is, and its meaning.
    public typealias Description = (name: String, value: any KeyPath<Limits, Int> & Sendable, summary: String)

    /// All limits, in the order in which `server.hello` reports them.
    public static let descriptions: [Description] = [
        ("lineBytes", \.lineBytes, "Longest line in bytes."),
        ("depth", \.depth, "Deepest nesting of a message."),
        ("batch", \.batch, "Most requests in one batch."),
        (
            "elementsPerReply", \.elementsPerReply,
            "Most elements in the answer to an `action.execute` without `stream`."
        ),
        (
            "outboxBytes", \.outboxBytes,
            "Bytes of memory that may wait for one connection; beyond, its requests wait and its events are dropped."
        ),
        ("buffer", \.buffer, "Events that may wait for one subscription."),
        ("subscriptionsPerConnection", \.subscriptionsPerConnection, "Most open subscriptions of one connection."),
        (
            "connections", \.connections,
            "Most connections; an eighth of them, from 1 to 16, is for root and the daemon's user."
        ),
        ("connectionsPerUid", \.connectionsPerUid, "Most connections of one user."),
        ("replayEvents", \.replayEvents, "Events kept of each action for subscriptions that come late or come back."),
        ("replayBytes", \.replayBytes, "Bytes of memory for these events of one action, approximately."),
        (
            "replayBytesOfAll", \.replayBytesOfAll,
            "Bytes of memory for the events of all names together, approximately; the largest lose their oldest."
        ),
        ("bytesPerUid", \.bytesPerUid, "Bytes of memory that may wait for all connections of one user together."),
        ("keys", \.keys, "Idempotency keys remembered, for all clients together."),
        ("keysPerUid", \.keysPerUid, "Idempotency keys remembered of one user."),
    ]

    /// Names and values in the order in which `server.hello` reports them.
    public var fields: [(name: String, value: Int)] {
        Self.descriptions.map { ($0.name, self[keyPath: $0.value]) }
    }
}
