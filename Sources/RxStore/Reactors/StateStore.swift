// The states of reactors, in one SQLite file that outlives the daemon.
//
//     HostedReactor -> ReactorLog -> WriteQueue -> ReactorWriter  --> reactors.db
//                        |---------> ReadQueue --> StateReader <--
//
// A stored reactor consists of snapshots of its state and of the steps between them, with their patches. The state of a
// revision is built from the last snapshot before it and the patches after that. The history begins at the oldest
// snapshot.
//
// Rules:
// - The steps of a reactor are stored in their order and without a gap. If one could not be written, none after it is,
//   until a snapshot bridges the loss; the history then has a step `.replaced(.loss)`. A step counts as stored if a
//   snapshot with it is.
// - A crash may lose the last steps, never one before another.
// - Rows are removed, oldest first, beyond the bounds: the revisions and bytes of a reactor, and the bytes of all. The
//   newest state always stays, also that of a reactor that is no longer configured.
//
// Read: ReactorLog, LogProgress, ReactorWriter, KeptLogs and KeptLog (what is there, and what is too much), LogTrimmer,
// LogExtents (what is noted of them between two daemons), StateReader, StateArchive (read-only access).
// The front page is ../RxStore.swift.
public import RxPlatform
public import RxRecords
internal import Rx

/// The mutation logs and snapshots of reactors.
public final class StateStore: Sendable {
    /// The most bytes of all logs together, unless given.
    public static let defaultBytes = 512 << 20

    /// The path of the file.
    public let path: String
    /// What was lost since the last daemon, or may be. The histories of the reactors that have lost something, or may
    /// have by the operator's choice, have a step `.replaced(.loss)`.
    public let losses: [StateLoss]
    let writes: WriteQueue<ReactorWriter>
    let reads: ReadQueue<StateReader>
    /// The logs of all reactors, of earlier daemons and of this one, by name.
    private let logs: Locked<[String: ReactorLog]>
    private let check: BackgroundCheck
    private let keptBefore: [String]
    private let retryDelay: Duration
    private let clock: MonotonicClock

    /// Opens the file, or creates it (mode 0600; the directory must exist). The files `-wal`, `-shm`, and `-lock`
    /// beside it belong to it.
    ///
    /// Checks the whole file for damage if the last daemon did not close it, which takes seconds per gigabyte;
    /// otherwise see `checkInBackground`. Throws, and leaves the file as it is, if it is damaged, lacks what was stored
    /// in it, is of a later version, another program's, in use, or cannot be written to: because another program has
    /// locked it (after a wait of some seconds), or the disk is full.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - mostBytes: the most bytes of all logs together, about; beyond it, the largest log loses its oldest
    ///     revisions. What the newest states need is kept in any case.
    ///   - recovers: whether to continue without what is damaged or missing; `losses` names it.
    ///   - platform: the outside world.
    ///   - onFailure: called from a queue of the store when writes begin to be lost, and once more, with their number,
    ///     when writing works again.
    public convenience init(
        path: String, mostBytes: Int = StateStore.defaultBytes, recovers: Bool = false, platform: Platform = .system,
        onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        try self.init(
            path: path, mostBytes: mostBytes, waitingBytes: StoreLimits.waitingBytes,
            retryDelay: LogProgress.retryDelay, recovers: recovers, platform: platform, onFailure: onFailure)
    }

    init(
        path: String, mostBytes: Int = StateStore.defaultBytes, waitingBytes: Int, retryDelay: Duration,
        recovers: Bool = false, platform: Platform,
        onFailure: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) {
        let file = try DatabaseFile(
            path: path, schema: .reactors, disk: platform.disk, queues: platform.queues, recovers: recovers)
        try Schema.reactors.tryWriting(file.database)
        let writer = try ReactorWriter(file, mostBytes: mostBytes, recovers: recovers)
        let reader = try StateReader(Database(path: path, on: platform.disk, sharing: platform.cores))
        var losses = file.loss.map { [$0] } ?? []
        let hasLost = file.loss?.isLoss ?? false
        if recovers || hasLost {
            losses += try writer.bridgeLosses(
                reader, at: platform.wallClock.milliseconds, ofAll: hasLost, repairs: recovers)
        }
        file.database.movesLogAtClose(true)
        file.accept()
        self.losses = losses
        self.path = path
        self.retryDelay = retryDelay
        clock = platform.monotonicClock
        keptBefore = writer.reactors
        check = BackgroundCheck(of: path, .reactors, checksPages: !file.isChecked, platform: platform)
        logs = Locked([:])
        reads = ReadQueue(reader, unreadable: 0, platform: platform)
        writes = WriteQueue(writer, file, limit: waitingBytes, platform: platform, onFailure: onFailure)
    }

    /// The log of a reactor. There is one for each name; a further call sets its `persistence`.
    public func log(of reactor: String, _ persistence: ReactorPersistence) -> ReactorLog {
        let log = logs.withLock { logs in
            if let log = logs[reactor] { return log }
            let log = ReactorLog(
                of: reactor, isKept: keptBefore.contains(reactor), retryDelay: retryDelay, clock: clock,
                writes: writes, reads: reads)
            logs[reactor] = log
            return log
        }
        log.hold()
        log.persistence = persistence
        return log
    }

    /// Sets the most bytes of all logs together; what is beyond a lower bound is removed soon.
    public func bound(bytes: Int) { writes.tune { $0.bound(bytes) } }

    /// All reactors have begun that are configured: the logs of the others are kept only as far as there is room.
    public func releaseOthers() {
        let configured = logs.withLock { Set($0.keys) }
        writes.tune { $0.release(allBut: configured) }
    }

    /// The names of the reactors that were stored when the file was opened, configured or not, sorted.
    public var reactorsKept: [String] { keptBefore }

    /// The number of steps and snapshots that were lost so far.
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

    /// Writes everything that is pending, then closes the file and returns; later calls fail. Not to be called from a
    /// completion.
    public func close() {
        // The last connection to close moves the log to the file; that should be the writer's.
        check.stop()
        reads.close()
        writes.close(isWhole: check.isWhole)
    }
}
