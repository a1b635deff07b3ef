public import RxRecords
public import RxAction
public import RxJSON

/// What an earlier daemon left behind, after it has been put in order.
public struct Recovery: Sendable {
    /// At most this many interrupted executions are listed; the rest are in the history like these.
    public static let interruptedListed = 1000

    /// What was executing, or queued without being durable: `interrupted` now. In order of acceptance.
    public package(set) var interrupted: [ExecutionRecord] = []
    public package(set) var interruptedCount = 0
    /// Durable inputs that have not started, in order of acceptance. They stay stored until `started` or `ended`;
    /// they need not be accepted again.
    public package(set) var queued: [StoredInput] = []
    /// By action.
    public package(set) var switches: [String: ManualSwitch] = [:]
    /// Keys still within their lifetime, oldest first.
    public package(set) var keyed: [KeyedExecution] = []
    /// Rows that could not be read. They are left as they are.
    public package(set) var unreadable = 0

    package init() {}
}

/// A durable input that waits for its turn.
public struct StoredInput: Sendable {
    public let id: ExecutionID
    public let action: String
    public let by: Origin
    /// All of it.
    public let input: RawJSON
    /// What records show of it: without what must not be shown; nil if it is too large to keep.
    public let shown: RawJSON?
    /// Milliseconds since 1970.
    public let queuedAt: Int64
    /// In whole milliseconds.
    public let timeout: Duration?
    public let key: ExecutionKey?
}

/// An execution that was asked for with a key.
public struct KeyedExecution: Sendable {
    /// A larger error is shortened here, since all keys stay in memory; the history has more of it.
    public static let errorBytesKept = 512

    public let key: ExecutionKey
    public let action: String
    /// Milliseconds since 1970.
    public let givenAt: Int64
    public let id: ExecutionID
    /// Its end, without input. Nil if the history does not have it: it is still queued, or was removed.
    public let record: ExecutionRecord?
}
