// States of reactors that outlive the daemon, in one SQLite file.
//
//     HostedReactor -> ReactorLog -> WriteQueue -> ReactorWriter  --> reactors.db
//                        |---------> ReadQueue --> StateReader <--
//
// What is kept of a reactor are snapshots of its state, and the steps between them with their patches: the state of a
// revision is the last snapshot before it and the patches after that. Its history begins at its oldest snapshot.
//
// Rules:
// - The steps of a reactor are kept in their order and without a hole. Where one could not be written, none after it is,
//   until a snapshot bridges what was lost; the history then has a step that says so.
// - What a sudden end takes are the last steps, never one before another.
// - Nothing that was kept goes unless newer steps take its place: a reactor that is no longer configured, or has another
//   name now, leaves its rows as they are, and finds them again when it comes back.
//
// Read: ReactorLog, LogProgress, ReactorWriter, KeptLog, StateReader, StateArchive (for who only reads).
// The front page is ../RxStore.swift.
public import RxRecords
internal import Rx

/// The mutation logs and snapshots of reactors.
public final class StateStore: Sendable {
    public let path: String
    let writes: WriteQueue<ReactorWriter>
    let reads: ReadQueue<StateReader>
    /// Of earlier daemons and of this one.
    private let logs: Locked<[String: ReactorLog]>
    private let keptBefore: [String]
    private let retryDelay: Duration

    /// Opens the file, or makes it (mode 0600; the directory must exist). Its neighbours `-wal`, `-shm` and `-lock` belong
    /// to it.
    ///
    /// All of the file is looked through for damage, which takes about a second per gigabyte. Refused, and left as it is,
    /// is a file that is damaged, of a later version, another program's, in use, or that cannot be written to: because
    /// someone has locked it (for which it waits some seconds), or the disk is full.
    ///
    /// - Parameter onFailure: called from a queue of the store when writes begin to be lost, and once more, with their
    ///   number, when writing works again.
    public convenience init(
        path: String, onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        try self.init(
            path: path, waitingBytes: StoreLimits.waitingBytes, retryDelay: LogProgress.retryDelay,
            onFailure: onFailure)
    }

    init(
        path: String, waitingBytes: Int, retryDelay: Duration, onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        let lock = try StoreLock(path: path)
        try Schema.createFile(path)
        let database = try Database(path: path)
        try Schema.reactors.prepare(database)
        try Schema.check(database)
        try Schema.reactors.tryWriting(database)
        let writer = try ReactorWriter(database)
        database.movesLogAtClose(true)
        self.path = path
        self.retryDelay = retryDelay
        keptBefore = writer.reactors
        logs = Locked([:])
        reads = try ReadQueue(StateReader(Database(path: path)), unreadable: 0)
        writes = WriteQueue(writer, lock, limit: waitingBytes, now: { 0 }, onFailure: onFailure)
    }

    /// What is kept of a reactor, and where its steps go. One for each name; asking again sets what it promises.
    public func log(of reactor: String, _ persistence: ReactorPersistence) -> ReactorLog {
        let log = logs.withLock { logs in
            if let log = logs[reactor] { return log }
            let log = ReactorLog(
                of: reactor, isKept: keptBefore.contains(reactor), retryDelay: retryDelay, writes: writes,
                reads: reads)
            logs[reactor] = log
            return log
        }
        log.persistence = persistence
        return log
    }

    /// Of which reactors there was something in the file when it was opened, configured or not; in order.
    public var reactorsKept: [String] { keptBefore }

    /// Steps and snapshots that were lost so far.
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
