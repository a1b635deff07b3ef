// Persistence: what outlives the daemon, in one SQLite file.
//
//     caller -> ExecutionStore -> WaitingWrites -> Writer (a queue and a connection, one transaction for all that wait)
//                       |-------> History (a queue and a connection that only reads)
//
// Rules:
// - The order of calls is the order of effect. A completion comes after the commit; what it has told survives the
//   daemon's sudden end, and the machine's too if it is durable.
// - Work of a durable input begins only after the completion of its `started`. Then it runs exactly once.
// - A call costs its caller a lock and an append. No completion is called before the call has returned.
// - Reads see what is committed; what was ended a moment ago may still be on its way.
//
// Read: Recovery, ExecutionStore, WaitingWrites, Writer, Schema. Statement and Database are SQLite in Swift.
public import RxAction
public import RxJSON
internal import Dispatch
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

    /// Reads that may wait; a disk that hangs must not collect more.
    public static let waitingReads = 1024

    /// Writes of one transaction: about 20 ms, so that who waits for the first does not wait for many more.
    private static let writesPerCommit = 1024

    public let path: String
    private let waiting: Locked<WaitingWrites>
    private let losses: Locked<Losses>
    private let recovery: Locked<Recovery?>
    private let reads = Locked(0)
    private let unreadable = Locked(0)
    let now: @Sendable () -> Int64
    private let onFailure: @Sendable (StoreError) -> Void
    let writeQueue = DispatchQueue(label: "rxd.store.writes")
    let readQueue = DispatchQueue(label: "rxd.store.reads")
    /// For what is told of writes that no other queue will come to.
    let refusalQueue = DispatchQueue(label: "rxd.store.refusals")
    let connections: Connections

    /// What belongs to the queues: `writer` and `lock` to that of writes, `history` to that of reads.
    // Unchecked: each field is used on its own queue only, once `init` is done.
    final class Connections: @unchecked Sendable {
        var writer: Writer?
        var history: History?
        var lock: StoreLock?

        init(writer: Writer, history: History, lock: consuming StoreLock) {
            self.writer = writer
            self.history = history
            self.lock = consume lock
        }
    }

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
            path: path, retention: retention, waitingBytes: WaitingWrites.bytesKept,
            now: { WallClock.milliseconds }, onFailure: onFailure)
    }

    init(
        path: String, retention: Retention, waitingBytes: Int, now: @escaping @Sendable () -> Int64,
        onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        let lock = try StoreLock(path: path)
        try Schema.createFile(path)
        let database = try Database(path: path)
        try Schema.prepare(database)
        let time = now()
        let recovery = try Recoverer(database, at: time, keysSince: time - retention.keyLifetime.wholeMilliseconds)
            .run()
        database.movesLogAtClose(true)
        connections = try Connections(
            writer: Writer(database, retention: retention), history: History(Database(path: path)), lock: lock)
        self.path = path
        self.now = now
        self.onFailure = onFailure
        self.recovery = Locked(recovery)
        waiting = Locked(WaitingWrites(limit: waitingBytes))
        losses = Locked(Losses())
        unreadable.withLock { $0 = recovery.unreadable }
        writeQueue.async { self.tidy() }
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
    ///   - record: its input, what may be shown of it, is kept if it is at most `EventLog.inputBytesKept` long.
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
        add(Write(.accepted(acceptance), completion))
    }

    /// A queued input is about to start; from the completion on, it is never started again.
    ///
    /// - Parameter isDurable: whether it was accepted as durable: then its work waits for the completion, and the
    ///   start is on the disk by then.
    public func started(
        _ id: ExecutionID, at time: Int64, isDurable: Bool = false,
        completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        add(Write(.started(id, at: time, isDurable: isDurable), completion))
    }

    /// An execution has ended, or was withdrawn before it started. It need not have been accepted.
    ///
    /// - Parameter isKept: whether the history shall have it.
    public func ended(
        _ record: ExecutionRecord, isKept: Bool = true, completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        add(Write(.ended(record, isKept: isKept), completion))
    }

    /// An action was switched off, or on again (nil).
    public func set(
        _ manual: ManualSwitch?, of action: String, completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        add(Write(.switched(action: action, manual), completion))
    }

    /// The newest `limit` ended executions, oldest first.
    ///
    /// - Parameters:
    ///   - actions: only of these; nil for all.
    ///   - states: only in these, of the final ones; nil for all.
    ///   - before: only older ones than this.
    ///   - completion: called from a queue of the store.
    public func records(
        actions: Set<String>? = nil, states: Set<ExecutionState>? = nil, before: ExecutionID? = nil, limit: Int,
        completion: @escaping @Sendable (Result<ExecutionPage, StoreError>) -> Void
    ) {
        read(completion) { history throws(StoreError) in
            try history.page(actions: actions, states: states, before: before, limit: limit)
        }
    }

    /// An ended execution; nil if the history does not have it.
    public func record(
        _ id: ExecutionID, completion: @escaping @Sendable (Result<ExecutionRecord?, StoreError>) -> Void
    ) {
        read(completion) { history throws(StoreError) in try history.record(id) }
    }

    /// Writes that were lost so far.
    public var lostWrites: Int { losses.withLock { $0.total } }

    /// Rows that were met and could not be read. They are passed over and left as they are.
    public var unreadableRows: Int { unreadable.withLock { $0 } }

    /// Writes all that waits, then closes the file; later calls fail. Returns when that is done. Not to be called from
    /// a completion.
    public func close() {
        waiting.withLock { $0.close() }
        dispatchPrecondition(condition: .notOnQueue(writeQueue))
        dispatchPrecondition(condition: .notOnQueue(readQueue))
        readQueue.sync { connections.history = nil }
        writeQueue.sync {
            drain()
            connections.writer = nil
            connections.lock = nil
        }
    }
}

extension ExecutionStore {
    private func add(_ write: Write) {
        switch waiting.withLock({ $0.add(write) }) {
        case .admitted: break
        case .first: writeQueue.async { self.drain() }
        case .refused(let error):
            refusalQueue.async {
                if let report = self.losses.withLock({ $0.lost(1, error) }) { self.onFailure(report) }
                write.completion?(error)
            }
        }
    }

    /// On the queue of writes: writes until nothing waits.
    private func drain() {
        while let writer = connections.writer {
            let writes = waiting.withLock { $0.take() }
            guard !writes.isEmpty else { break }
            var rest = writes[...]
            while !rest.isEmpty {
                write(rest.prefix(Self.writesPerCommit), with: writer)
                rest = rest.dropFirst(Self.writesPerCommit)
            }
        }
        tidy()
    }

    private func write(_ group: ArraySlice<Write>, with writer: Writer) {
        let failures = writer.write(group, at: now())
        waiting.withLock { $0.written(bytes: group.reduce(0) { $0 + $1.bytes }) }
        let lost = failures.count { $0 != nil }
        let failure = failures.lazy.compactMap(\.self).first
        if let report = losses.withLock({ losses in failure.map { losses.lost(lost, $0) } ?? losses.written() }) {
            onFailure(report)
        }
        for (write, failure) in zip(group, failures) { write.completion?(failure) }
        do throws(StoreError) {
            try writer.checkpointIfNeeded()
        } catch {
            // Nothing is lost by it: the log has it all, and grows.
            if let report = losses.withLock({ $0.lost(0, error) }) { onFailure(report) }
        }
    }

    /// On the queue of writes: removes a portion of what is too much, and comes back for more after those who wait.
    private func tidy() {
        guard let writer = connections.writer, (try? writer.trim(at: now())) == true else { return }
        try? writer.checkpointIfNeeded()
        writeQueue.async { self.tidy() }
    }

    private func read<Value>(
        _ completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ body: @escaping @Sendable (History) throws(StoreError) -> (Value, unreadable: Int)
    ) {
        let isAdmitted = reads.withLock { reads in
            guard reads < Self.waitingReads else { return false }
            reads += 1
            return true
        }
        guard isAdmitted else {
            refusalQueue.async { completion(.failure(.overloaded(limit: Self.waitingReads))) }
            return
        }
        readQueue.async {
            let result: Result<Value, StoreError>
            do throws(StoreError) {
                guard let history = self.connections.history else { throw .closed }
                let (value, unreadable) = try body(history)
                if unreadable > 0 { self.unreadable.withLock { $0 += unreadable } }
                result = .success(value)
            } catch {
                result = .failure(error)
            }
            self.reads.withLock { $0 -= 1 }
            completion(result)
        }
    }
}

/// A part of the history.
public struct ExecutionPage: Sendable {
    /// Oldest first.
    public let records: [ExecutionRecord]
    /// Whether there are older ones that were asked for too: beyond the limit, or beyond what is read at once.
    public let hasOlder: Bool
}
