public import RxPlatform
public import RxRecords
public import RxAction
public import RxJSON
internal import Rx

/// Ended executions, durable inputs, keys, and manual switches.
public final class ExecutionStore: Sendable {
    /// How much is kept. The rest is removed as executions end, and when the store is opened; executions in flight
    /// stay.
    public struct Retention: Sendable, Equatable {
        /// The most ended executions, events of actions and reactors without one, and events of streams: each.
        public var count = 10_000
        /// The longest time since the end of an execution.
        public var age = Duration.seconds(30 * 86_400)
        /// The bytes that the executions with their output, and the events, may use in the file; the oldest are removed
        /// beyond it, whatever `count` and `age` allow.
        public var bytes = 512 << 20
        /// The bytes of elements that are kept of an execution, half of them its first and half its last, and as many
        /// of its standard error; 0 for none.
        public var output = 64 << 10
        /// The time for which a key is kept, whether or not the record of its execution is.
        public var keyLifetime = Duration.seconds(3600)

        /// The defaults of the daemon.
        public init() {}
    }

    /// The path of the file.
    public let path: String
    /// How much is kept.
    public let retention: Retention
    /// What was lost since the last daemon.
    public let losses: [StateLoss]
    let writes: WriteQueue<Writer>
    let reads: ReadQueue<History>
    private let recovery: Locked<(found: Recovery, isTaken: Bool)>
    private let check: BackgroundCheck
    private let extent: LogExtent
    private let missing: MissingEvents
    private let numbers: ReservedNumbers
    private let ends: LostEnds

    /// Throws `inUse` if another process has the file at this path. Changes nothing.
    package static func checkFree(_ path: String, on disk: Disk) throws(StoreError) {
        try DatabaseFile.checkFree(path, disk)
    }

    /// Opens the file, or creates it (mode 0600; the directory must exist), and puts in order what an earlier daemon
    /// left: executions that were executing, or queued without being durable, become `interrupted`. The files `-wal`,
    /// `-shm`, and `-lock` beside it belong to it.
    ///
    /// Checks the whole file for damage if the last daemon did not close it; otherwise see `checkInBackground`. Throws,
    /// and leaves the file as it is, if it is damaged, lacks what was stored in it, is of a later version,
    /// another program's, or in use.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - retention: which ended executions stay in the history.
    ///   - recovers: whether to continue without what is damaged or missing; `losses` names it.
    ///   - platform: the outside world.
    ///   - onInterrupted: called before executions become `interrupted`, with their ids: those that have started first,
    ///     at most `Recovery.interruptedListed` of them. If the process is killed before this has returned, the next
    ///     one finds them again.
    ///   - onFailure: called from a queue of the store when writes begin to be lost, and once more, with their number,
    ///     when writing works again.
    public convenience init(
        path: String, retention: Retention = Retention(), recovers: Bool = false, platform: Platform = .system,
        onInterrupted: ([ExecutionID]) -> Void = { _ in }, onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        try self.init(
            path: path, retention: retention, waitingBytes: StoreLimits.waitingBytes, recovers: recovers,
            platform: platform, onInterrupted: onInterrupted, onFailure: onFailure)
    }

    init(
        path: String, retention: Retention, waitingBytes: Int, writesPerCommit: Int = StoreLimits.writesPerCommit,
        recovers: Bool = false, platform: Platform,
        onInterrupted: ([ExecutionID]) -> Void = { _ in }, onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        let file = try DatabaseFile(
            path: path, schema: .executions, disk: platform.disk, queues: platform.queues, recovers: recovers)
        let database = file.database
        let notes = file.notes
        let recovery = try Recoverer(database, keyLifetime: retention.keyLifetime, platform: platform)
            .run(notes, onInterrupted: onInterrupted)
        file.settle()
        (missing, numbers, ends) = (file.missing, file.numbers, file.ends)
        check = BackgroundCheck(
            of: path, .executions, checksPages: !file.isChecked, unreadable: recovery.unreadable, platform: platform)
        database.movesLogAtClose(true)
        file.accept()
        self.path = path
        self.retention = retention
        losses = (file.loss.map { [$0] } ?? []) + (notes.isMissingTorn ? [.events(path: path)] : [])
        self.recovery = Locked((recovery, isTaken: false))
        extent = LogExtent(recovery.log)
        reads = try ReadQueue(
            History(Database(path: path, on: platform.disk, sharing: platform.cores)),
            unreadable: recovery.unreadable, platform: platform)
        writes = try WriteQueue(
            Writer(file, retention: retention, extent, platform: platform), file, limit: waitingBytes,
            writesPerCommit: writesPerCommit, platform: platform, onFailure: onFailure)
    }

    /// What an earlier daemon left. Returned once, since whole inputs are large; from then on, it has numbers for the
    /// events of a further host and is empty otherwise.
    public func takeRecovery() -> Recovery {
        let (taken, isFirst) = recovery.withLock { recovery in
            var next = Recovery()
            next.log = recovery.found.log.withoutEvents
            defer { recovery = (next, isTaken: true) }
            return (recovery.found, !recovery.isTaken)
        }
        if !isFirst { reserveNumbers(through: taken.log.reserved) { _ in } }
        return taken
    }

    /// An input was accepted: it is queued, or executing at once if that is the state in the record.
    ///
    /// Accepting an id again changes nothing.
    ///
    /// - Parameters:
    ///   - record: stored with its input if that has at most `ExecutionRecord.inputBytesKept` bytes.
    ///   - durableInput: the whole input, which a later daemon starts if this one does not; kept until `started`. If
    ///     the record is executing, this completion is also that of its start.
    ///   - timeout: the durable input's, stored in whole milliseconds.
    ///   - key: refers to the execution from now on, for the retention's `keyLifetime`.
    ///   - group: the durable input's, if it has one.
    ///   - after: what the durable input waits for, if anything.
    ///   - isListed: whether a later daemon is to know that it was in flight; if not, only the key is stored.
    ///   - rows: values of the stream that requested it, stored together with it or not at all.
    ///   - retry: for an acceptance that is tried again until the file has it; nil for one that fails.
    ///   - completion: called once, on a queue of the store, when the acceptance is on the disk, or with the error.
    public func accepted(
        _ record: ExecutionRecord, durableInput: RawJSON? = nil, timeout: Duration? = nil, key: ExecutionKey? = nil,
        group: String? = nil, after: AwaitedEnds? = nil, isListed: Bool = true, rows: [StreamRow] = [],
        retry: WriteRetry? = nil, completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        let acceptance = Write.Acceptance(
            record: record, durableInput: durableInput, timeout: timeout, key: key, group: group, after: after,
            isListed: isListed,
            rows: rows)
        writes.add(Write(.accepted(acceptance), retry: retry, completion))
    }

    /// A queued input is about to start; from the completion on, it is never started again.
    ///
    /// - Parameters:
    ///   - id: the execution that starts.
    ///   - time: milliseconds since 1970.
    ///   - isDurable: whether it was accepted as durable: then its work waits for the completion, and the start is on
    ///     the disk by then.
    ///   - retry: for a start that is tried again until the file has it; nil for one that fails.
    ///   - completion: called once, from a queue of the store, with the error if the write failed.
    public func started(
        _ id: ExecutionID, at time: Int64, isDurable: Bool = false, retry: WriteRetry? = nil,
        completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        writes.add(Write(.started(id, at: time, isDurable: isDurable), retry: retry, completion))
    }

    /// An execution has ended, or was withdrawn before it started. It need not have been accepted.
    ///
    /// - Parameters:
    ///   - record: the execution with its end.
    ///   - isKept: whether it goes into the history.
    ///   - isKeyed: whether keys refer to it; they keep its end.
    ///   - completion: called once, from a queue of the store, with the error if the write failed.
    public func ended(
        _ record: ExecutionRecord, isKept: Bool = true, isKeyed: Bool = false,
        completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        let write = Write(.ended(record, isKept: isKept, isKeyed: isKeyed), completion)
        if writes.add(write) != nil { lose(write) }
    }

    /// Remembers the executions that end with a write that was refused: no later daemon takes them for interrupted.
    private func lose(_ write: Write) {
        let lost = write.ends
        guard !lost.isEmpty else { return }
        ends.add(lost)
        writes.refused(lost)
    }

    /// Executions have ended, and readers learn of it before the store has answered for their ends: no later daemon
    /// takes them for interrupted, as far as there is room in the note of them. Their events must be noted as missing
    /// before.
    public func note(ends ids: [ExecutionID]) { ends.add(ids) }

    /// The store has answered for ends that were noted: their records are in the history, or lost.
    public func answered(ends ids: [ExecutionID], areLost: Bool) {
        // The next commit removes what there is of those that are lost, and then the note.
        if areLost { writes.refused(ids) } else { ends.remove(ids) }
    }

    /// A durable input was withdrawn before it started, and goes into the history. Its end is to be logged next; if the
    /// daemon is killed before that, the next start appends it to the log.
    ///
    /// - Parameters:
    ///   - record: the execution with its end.
    ///   - isKeyed: whether keys refer to it; they keep its end.
    ///   - completion: called once, from a queue of the store, when that is on the disk, or with the error.
    public func withdrawn(
        _ record: ExecutionRecord, isKeyed: Bool, completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        writes.add(Write(.withdrawn(record, isKeyed: isKeyed), completion))
    }

    /// A further key refers to an execution from now on, for the retention's `keyLifetime`.
    ///
    /// - Parameters:
    ///   - key: the key of a request that joined the execution.
    ///   - record: the execution; with its end if it has ended.
    ///   - isDurable: whether the key is on the disk by the completion; otherwise it survives a crash of the daemon.
    ///   - completion: called once, from a queue of the store, with the error if the write failed.
    public func keyed(
        _ key: ExecutionKey, _ record: ExecutionRecord, isDurable: Bool,
        completion: @escaping @Sendable (StoreError?) -> Void
    ) {
        writes.add(Write(.keyed(key, record, isDurable: isDurable), completion))
    }

    /// The keys that refer to an execution keep its end.
    public func settled(_ record: ExecutionRecord) { writes.add(Write(.settled(record), nil)) }

    /// Keys of an action are forgotten before their lifetime is over.
    package func forgot(_ keys: [ExecutionKey.Identity], of action: String) {
        writes.add(Write(.forgotten(keys, action: action), nil))
    }

    /// An action was switched off, or on again (nil).
    public func set(
        _ manual: ManualSwitch?, of action: String, completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        writes.add(Write(.switched(action: action, manual), completion))
    }

    /// Values of streams changed. They are written together, in the order of the calls.
    ///
    /// - Parameters:
    ///   - rows: the values.
    ///   - isDurable: whether they are on the disk by the completion, and are tried again until the file has them;
    ///     otherwise they survive a crash of the daemon.
    ///   - completion: called once, from a queue of the store, with the error if the write failed.
    public func store(
        _ rows: [StreamRow], isDurable: Bool, completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        writes.add(Write(.stream(rows, isDurable: isDurable), completion))
    }

    /// Events of names are kept from now on, or no longer. Before the events that are logged next.
    public func note(_ names: [LoggedName]) { writes.add(Write(.named(names), nil)) }

    /// Events happened. They are written in the order of the calls.
    ///
    /// - Parameters:
    ///   - events: in the order of their numbers.
    ///   - lost: the numbers of events before these that could not be written, if that is not stored yet: then the next
    ///     start knows that they are missing.
    ///   - onRefused: called before a refusal returns, and before a later daemon takes the executions that end with
    ///     these events for ended: their events must be noted as missing by then.
    ///   - completion: called once, from a queue of the store and in the order of the calls, when a crash of the daemon
    ///     cannot lose the events any more, or with the error if they are not written.
    /// - Returns: the error if the events are refused because too much waits, or because the store is closed. Then
    ///   `completion` is not called.
    public func log(
        _ events: [LoggedEvent], lost: ClosedRange<UInt64>? = nil, onRefused: () -> Void = {},
        completion: @escaping @Sendable (StoreError?) -> Void
    ) -> StoreError? {
        let write = Write(.logged(Write.LoggedEvents(events: events, lost: lost)), completion)
        let error = writes.add(write, endsRefused: false)
        if error != nil {
            onRefused()
            lose(write)
        }
        return error
    }

    /// Replaces what is kept of the output of an execution in flight. Its end brings all of it.
    public func keep(_ output: StorableOutput, of id: ExecutionID) { writes.add(Write(.output(id, output), nil)) }

    /// Events with these numbers may never be written, and readers receive them all the same; nil when all are written
    /// or `log` has stored that they are missing. A kill does not lose this note, and a full disk does not prevent it.
    public func noteMissing(_ numbers: ClosedRange<UInt64>?) { missing.note(numbers) }

    /// Reserves numbers for events. If the daemon is killed before that is on the disk, no later one uses them either.
    ///
    /// - Parameters:
    ///   - number: the greatest number that may be used.
    ///   - completion: called once, from a queue of the store, when that is on the disk, or with the error.
    public func reserveNumbers(through number: UInt64, completion: @escaping @Sendable (StoreError?) -> Void) {
        numbers.note(through: number)
        writes.add(Write(.reserved(through: number), completion))
    }

    /// Ended executions.
    ///
    /// - Parameters:
    ///   - selection: which of them.
    ///   - order: which of the selection the page has: the newest, or the oldest.
    ///   - limit: the most records, at least 1.
    ///   - user: the requesting user, since users are served in turn; nil for the daemon.
    ///   - completion: called from a queue of the store. The page may have fewer records than there are, and none at
    ///     all, because a read goes through a bounded number of rows; it has the position to go on from.
    public func records(
        _ selection: ExecutionSelection = ExecutionSelection(), _ order: ExecutionOrder = .newestFirst, limit: Int,
        for user: UInt32? = nil, completion: @escaping @Sendable (Result<ExecutionPage, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { history throws(StoreError) in
            try history.page(selection, order, limit: limit)
        }
    }

    /// An ended execution; nil if the history does not have it, and an error if its row cannot be read.
    ///
    /// - Parameters:
    ///   - id: the execution.
    ///   - user: the requesting user; nil for the daemon.
    ///   - completion: called from a queue of the store.
    public func record(
        _ id: ExecutionID, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<ExecutionRecord?, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { history throws(StoreError) in (try history.record(id), 0) }
    }

    /// A part of the log: the events, and the elements as far as they are kept.
    ///
    /// - Parameters:
    ///   - query: what the reader wants.
    ///   - user: whose reader it is; nil for one of the daemon.
    ///   - completion: called from a queue of the store.
    public func page(
        _ query: LogQuery, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<LogPage, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { history throws(StoreError) in
            let page = try history.log.page(query)
            return (page, page.unreadable)
        }
    }

    /// Looks up a place in the log.
    ///
    /// - Parameters:
    ///   - lookup: what the reader has to know.
    ///   - user: whose reader it is; nil for one of the daemon.
    ///   - completion: called from a queue of the store, with nil if the log has nothing of it.
    package func place(
        _ lookup: LogLookup, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<LogPlace?, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { history throws(StoreError) in (try history.log.place(lookup), 0) }
    }

    /// Looks at the next portion of the log for the newest events of names. `completion` is called from a queue of the
    /// store.
    package func search(
        _ search: NewestEvents, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<NewestEvents, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { history throws(StoreError) in
            var search = search
            try history.log.search(&search)
            return (search, 0)
        }
    }

    /// The last events of each part of the log that are beyond the retention.
    public var marks: LogMarks { extent.marks }

    /// What is kept of the output of an execution; nil if nothing is.
    ///
    /// - Parameters:
    ///   - id: the execution.
    ///   - user: the requesting user; nil for the daemon.
    ///   - completion: called from a queue of the store.
    public func output(
        of id: ExecutionID, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<KeptOutput?, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { history throws(StoreError) in (try history.output.read(of: id), 0) }
    }

    /// The number of writes that were lost so far.
    public var lostWrites: Int { writes.lost }

    /// The number of reads of a user that have not begun.
    public func waitingReads(of user: UInt32) -> Int { reads.waiting(of: user) }

    /// The number of rows that could not be read. They are skipped and left as they are.
    public var unreadableRows: Int { reads.unreadable }

    /// Checks in the background whether all rows can be read, and the file for damage, unless that was done at the
    /// start. Returns at once; a further call does nothing. If the file is damaged, the next start checks it again, and
    /// refuses it.
    ///
    /// - Parameter onDamage: called from a queue of the store if the file is damaged or cannot be read, and with
    ///   `StoreError.unreadable` if only some of its rows cannot, or `.unchecked` if the check was not possible.
    public func checkInBackground(onDamage: @escaping @Sendable (StoreError) -> Void) {
        check.start(onDamage: onDamage)
    }

    /// Calls `answer` when the thread that writes and the one that reads have made progress, for a watchdog.
    ///
    /// - Parameter answer: called once, on a queue of the store.
    public func probe(_ answer: @escaping @Sendable () -> Void) {
        writes.probe { [reads] in reads.probe(answer) }
    }

    /// Tries everything that is pending before the daemon ends its executions. What has failed so far, or fails now, is
    /// tried again only by `close`, so that it can be revoked until then.
    ///
    /// - Parameter completion: called once, on a queue of the store, when each write so far has been tried.
    public func settleBeforeStop(completion: @escaping @Sendable () -> Void) { writes.settle(completion) }

    /// Writes everything that is pending, then closes the file and returns; later calls fail. Not to be called from a
    /// completion.
    public func close() {
        // The last connection to close moves the log to the file; that should be the writer's.
        check.stop()
        reads.close()
        writes.close(isWhole: check.isWhole) { [missing, numbers, ends] in
            missing.close()
            numbers.close()
            ends.close()
        }
    }
}
