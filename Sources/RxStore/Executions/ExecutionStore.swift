public import RxRecords
public import RxAction
public import RxJSON
internal import Rx

/// Finished executions, durable inputs, keys and manual switches.
public final class ExecutionStore: Sendable {
    /// How much is kept. More is removed as executions end, and when the store is opened; what is in flight never is.
    public struct Retention: Sendable, Equatable {
        /// Executions.
        public var count = 10_000
        public var age = Duration.seconds(30 * 86_400)
        /// Keys of executions, and for how long they are held to.
        public var keys = 10_000
        public var keyLifetime = Duration.seconds(3600)

        public init() {}
    }

    public let path: String
    let writes: WriteQueue<Writer>
    let reads: ReadQueue<History>
    private let recovery: Locked<Recovery?>

    /// Opens the file, or makes it (mode 0600; the directory must exist), and puts in order what an earlier daemon left:
    /// what was executing, and what was queued without being durable, becomes `interrupted`. The file's neighbours
    /// `-wal`, `-shm` and `-lock` belong to it.
    ///
    /// Refused, and left as it is, is a file that is damaged, of a later version, another program's, or in use.
    ///
    /// - Parameter onFailure: called from a queue of the store when writes begin to be lost, and once more, with their
    ///   number, when writing works again.
    public convenience init(
        path: String, retention: Retention = Retention(), onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        try self.init(
            path: path, retention: retention, waitingBytes: StoreLimits.waitingBytes,
            now: { WallClock.milliseconds }, onFailure: onFailure)
    }

    init(
        path: String, retention: Retention, waitingBytes: Int, now: @escaping @Sendable () -> Int64,
        onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        let lock = try StoreLock(path: path)
        try Schema.createFile(path)
        let database = try Database(path: path)
        try Schema.executions.prepare(database)
        let time = now()
        let since = time - retention.keyLifetime.wholeMilliseconds
        let recovery = try Recoverer(database, at: time, keysSince: since).run()
        database.movesLogAtClose(true)
        self.path = path
        self.recovery = Locked(recovery)
        reads = try ReadQueue(History(Database(path: path)), unreadable: recovery.unreadable)
        writes = try WriteQueue(
            Writer(database, retention: retention), lock, limit: waitingBytes, now: now, onFailure: onFailure)
    }

    /// What an earlier daemon left: given once, since whole inputs are large; empty from then on.
    public func takeRecovery() -> Recovery {
        recovery.withLock { recovery in
            defer { recovery = nil }
            return recovery ?? Recovery()
        }
    }

    /// An input was accepted: it is queued, or executing at once if the record says so.
    ///
    /// Accepting an id again changes nothing.
    ///
    /// - Parameters:
    ///   - record: its input, what may be shown of it, is kept if it is at most `ExecutionRecord.inputBytesKept` long.
    ///   - durableInput: all of it, to be started by a later daemon if this one does not; kept until `started`. Of a
    ///     record that is executing at once, this completion is also that of its start.
    ///   - timeout: of the durable input; kept in whole milliseconds.
    ///   - key: kept for the retention's `keyLifetime` from the record's `queuedAt`.
    ///   - completion: called from a queue of the store, when the acceptance is on the disk, or with the reason why not.
    public func accepted(
        _ record: ExecutionRecord, durableInput: RawJSON? = nil, timeout: Duration? = nil, key: ExecutionKey? = nil,
        completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        let acceptance = Write.Acceptance(record: record, durableInput: durableInput, timeout: timeout, key: key)
        writes.add(Write(.accepted(acceptance), completion))
    }

    /// A queued input is about to start; from the completion on, it is never started again.
    ///
    /// - Parameter isDurable: whether it was accepted as durable: then its work waits for the completion, and the
    ///   start is on the disk by then.
    public func started(
        _ id: ExecutionID, at time: Int64, isDurable: Bool = false,
        completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        writes.add(Write(.started(id, at: time, isDurable: isDurable), completion))
    }

    /// An execution has ended, or was withdrawn before it started. It need not have been accepted.
    ///
    /// - Parameter isKept: whether the history shall have it.
    public func ended(
        _ record: ExecutionRecord, isKept: Bool = true, completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        writes.add(Write(.ended(record, isKept: isKept), completion))
    }

    /// An action was switched off, or on again (nil).
    public func set(
        _ manual: ManualSwitch?, of action: String, completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        writes.add(Write(.switched(action: action, manual), completion))
    }

    /// The newest `limit` ended executions, oldest first.
    ///
    /// - Parameters:
    ///   - actions: only of these; nil for all.
    ///   - states: only in these, of the final ones; nil for all.
    ///   - before: only older ones than this.
    ///   - completion: called from a queue of the store.
    public func records(
        actions: Set<String>? = nil, states: Set<ExecutionState>? = nil, before: ExecutionID? = nil,
        in scope: ExecutionScope? = nil, limit: Int,
        completion: @escaping @Sendable (Result<ExecutionPage, StoreError>) -> Void
    ) {
        reads.add(completion) { history throws(StoreError) in
            try history.page(actions: actions, states: states, before: before, scope: scope, limit: limit)
        }
    }

    /// An ended execution; nil if the history does not have it.
    public func record(
        _ id: ExecutionID, completion: @escaping @Sendable (Result<ExecutionRecord?, StoreError>) -> Void
    ) {
        reads.add(completion) { history throws(StoreError) in try history.record(id) }
    }

    /// Writes that were lost so far.
    public var lostWrites: Int { writes.lost }

    /// Rows that were met and could not be read. They are passed over and left as they are.
    public var unreadableRows: Int { reads.unreadable }

    /// Writes all that waits, then closes the file; later calls fail. Returns when that is done. Not to be called from
    /// a completion.
    public func close() {
        // The last to close moves the log to the file, and that should be the one that writes.
        reads.close()
        writes.close()
    }
}
