public import RxRecords
public import RxAction
public import RxJSON

/// What an earlier daemon left in the store, after it was put in order.
public struct Recovery: Sendable {
    /// The most interrupted executions that are listed; all of them are in the history. As many as the daemon's list of
    /// processes has lines, because it is made from this one if it is damaged.
    public static let interruptedListed = 1024

    /// Executions that were executing, or queued without being durable, and are `interrupted` now, in the order of
    /// their acceptance.
    public package(set) var interrupted: [ExecutionRecord] = []
    /// The number of interrupted executions, listed or not.
    public package(set) var interruptedCount = 0
    /// Durable inputs that have not started, in the order of their acceptance. They stay stored until `started` or
    /// `ended`, and need not be accepted again.
    public package(set) var queued: [StoredInput] = []
    /// The manual switches by action name.
    public package(set) var switches: [String: ManualSwitch] = [:]
    /// Keys that are still in force, oldest first.
    public package(set) var keyed: [KeyedExecution] = []
    /// The salt of the keys' input hashes.
    package var inputSalt: InputSalt?
    /// The log, with the ends of the interrupted executions.
    public package(set) var log = RecoveredLog()
    /// The values of streams, by the names of the streams.
    public package(set) var streams: [String: [String: RawJSON]] = [:]
    /// Rows that could not be read. They are left as they are.
    public package(set) var unreadable = 0

    package init() {}
}

/// A durable input that waits for its turn.
public struct StoredInput: Sendable {
    /// The identity of the execution.
    public let id: ExecutionID
    /// The name of its action.
    public let action: String
    /// What led to its request.
    public let causes: Causes
    /// The input as it came.
    public let input: RawJSON
    /// The input without values that must not be shown; nil if it is too large for a record.
    public let shown: RawJSON?
    /// When it was accepted, in milliseconds since 1970.
    public let queuedAt: Int64
    /// The time at which it is to start; nil for as soon as it may.
    public let dueAt: Int64?
    /// The longest time that its work may take, in whole milliseconds.
    public let timeout: Duration?
    /// The key of its request, if it had one.
    public let key: ExecutionKey?
    /// The group of its input, if it has one.
    public let group: String?
    /// What it waits for; nil for nothing.
    public let after: AwaitedEnds?
    /// The states in which those of `after` have ended of which the history knows.
    public let ends: [ExecutionID: ExecutionState]

    /// The requester: the nearest of the causes.
    public var by: Origin { causes.by }
}

/// An execution whose request had a key.
public struct KeyedExecution: Sendable {
    /// The bytes of an error that are kept with a key, since all keys stay in memory; the history has more of it.
    public static let errorBytesKept = 512

    /// The key of the request.
    public let key: ExecutionKey
    /// The name of its action.
    public let action: String
    /// How long ago the key was given.
    public let age: Duration
    /// The identity of the execution.
    public let id: ExecutionID
    /// Its end, without input, whether or not the history has its record. Nil if the execution is queued.
    public package(set) var record: ExecutionRecord?
}
