public import RxAction
public import RxJSON

/// What an earlier daemon left behind, after it has been put in order.
public struct Recovery: Sendable {
    /// At most this many interrupted executions are listed; the rest are in the history like these.
    public static let interruptedListed = 1000

    /// What was executing, or queued without being durable: `interrupted` now. In order of acceptance.
    public internal(set) var interrupted: [ExecutionRecord] = []
    public internal(set) var interruptedCount = 0
    /// Durable inputs that have not started, in order of acceptance. They stay stored until `started` or `ended`;
    /// they need not be accepted again.
    public internal(set) var queued: [StoredInput] = []
    /// By action.
    public internal(set) var switches: [String: ManualSwitch] = [:]
    /// Keys still within their lifetime, oldest first.
    public internal(set) var keyed: [KeyedExecution] = []
    /// Rows that could not be read. They are left as they are.
    public internal(set) var unreadable = 0
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

/// The key a requester gave an execution, so that asking again gives the same one.
public struct ExecutionKey: Sendable, Hashable {
    public let text: String
    /// Keys of different users are different keys.
    public let uid: UInt32
    /// Tells another input under the same key apart. The same for the same input after a restart too.
    public let inputHash: String

    public init(_ text: String, uid: UInt32, inputHash: String) {
        self.text = text
        self.uid = uid
        self.inputHash = inputHash
    }
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
