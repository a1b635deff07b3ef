internal import RxPlatform

/// A database that a store has opened for itself: locked, upgraded, and compared with its mark.
///
/// The lock and the mark are in a file beside the database. The lock is not SQLite's, whose locks last for a
/// transaction and would let two daemons take turns. The file stays when the daemon ends: after a deletion, two daemons
/// could hold locks on two files, and a deleted database would pass for a new one.
final class DatabaseFile {
    /// The time to wait for a child of a daemon that was killed: until it runs its program, it has the lock too.
    private static let patience = Duration.milliseconds(250)

    let database: Database
    let counter: CommitCounter
    /// The files that are in use.
    let files: OpenFiles
    /// What was lost since the last daemon; nil if nothing.
    let loss: StateLoss?
    /// Whether the file was checked for damage. It was not if the last daemon closed it; see `BackgroundCheck`.
    let isChecked: Bool
    /// Whether the last transactions of an earlier daemon may be missing, reported as a loss or not: what was not
    /// synced is lost in a power cut.
    let mayHaveLostCommits: Bool
    /// Whether the file of the database has it, and not only its log, that a mark is beside it.
    private let isMarked: Bool
    private let lock: FileLock
    private let copies: UpgradeCopies
    private let marks: CommitMarks
    private let disk: Disk

    /// What the last daemon has left beside the database; until `settle`.
    var notes: LeftNotes {
        LeftNotes(
            hasLost: mayHaveLostCommits, missing: missing.numbers, isMissingTorn: missing.isTorn,
            reserved: numbers.last, ends: ends.ids)
    }

    /// Removes the notes of the last daemon that the database makes needless: their content is in it now.
    func settle() {
        missing.note(nil)
        numbers.note(through: 0)
        ends.remove(ends.ids)
    }

    /// The note of events that are not in the database.
    var missing: MissingEvents { marks.missing }
    /// The note of reserved numbers.
    var numbers: ReservedNumbers { marks.numbers }
    /// The note of executions whose ends are not in the database.
    var ends: LostEnds { marks.ends }

    /// Opens the database, or creates it (mode 0600; the directory must exist). If the last daemon did not close it,
    /// checks the whole file for damage, which takes a second per gigabyte, and several if the file is not in memory.
    ///
    /// Throws, and leaves the file as it is, if it is damaged, has lost what was acknowledged, is of a later version,
    /// another program's, or in use.
    ///
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - schema: its tables.
    ///   - disk: the disk.
    ///   - queues: makes the queue on which the mark goes to the disk; without, the kernel decides when it does.
    ///   - recovers: whether to continue without what is damaged or lost.
    init(
        path: String, schema: Schema, disk: Disk, queues: Queues? = nil, recovers: Bool
    ) throws(StoreError) {
        lock = try Self.lock(path + "-lock", of: path, disk)
        self.disk = disk
        copies = UpgradeCopies(of: path, schema.version, disk)
        do throws(DiskFailure) {
            marks = CommitMarks(try disk.map(path + "-lock", CommitMarks.bytes))
        } catch {
            throw .file(call: error.call, path: path + "-lock", errno: error.errno)
        }
        let start = MarkedStart(
            of: path, marks, isClosed: Self.wasClosed(path, marks, disk), boot: disk.bootID() ?? .unknown,
            recovers: recovers)
        let hasLog = disk.size(path + "-wal") ?? 0 > 0
        var loss = try start.lossOfMark(isMissing: disk.size(path) ?? 0 == 0, hasLog: hasLog)
        let opened: (database: Database, isChecked: Bool, row: CommitRow)
        do throws(StoreError) {
            opened = try Self.open(path, schema, disk, copies, marks, start)
        } catch {
            guard case .damaged(path, let message) = error else { throw error }
            guard recovers else {
                // From now on, the whole file is checked at each start.
                if marks.cleanEnd != nil {
                    marks.noteCleanEnd(size: 0)
                    _ = marks.sync()
                }
                throw error
            }
            let copy = try Self.setAside(path, disk)
            loss = .damaged(path: path, copy: copy, message: message)
            opened = try Self.open(path, schema, disk, copies, marks, start)
        }
        isChecked = opened.isChecked
        if loss == nil { loss = try start.loss(at: opened.row) }
        mayHaveLostCommits = loss != nil || !start.isContinued
        self.loss = loss
        database = opened.database
        counter = try CommitCounter(
            opened.database, marks, queues.map { [marks] in MarkSync(marks, on: $0.serial("rxd.store.marks")) },
            start.mark(at: opened.row.number))
        isMarked = opened.row.isMarked && !hasLog
        files = OpenFiles(of: path, disk)
    }

    /// The start is complete, and what it found lost is reported: from here on, only later losses are losses.
    ///
    /// The database itself has it from now on that a mark is beside it, so that a start notices if that is lost. That
    /// is in the file of the database, since the log may be lost as well. If a reader or a full disk prevents that, the
    /// next start tries it again.
    func accept() {
        counter.accept()
        // Nor may a power cut leave the row without the mark.
        guard !isMarked, marks.sync() == 0 else { return }
        guard (try? CommitRow.mark(database, true)) != nil, (try? database.checkpoint()) == true else { return }
        counter.synced()
    }

    /// Brings everything to the disk and notes that, and that the file is complete and need not be checked, if that is
    /// so; then removes the copies that were made before an upgrade. Call it at a clean stop, when all other
    /// connections of the daemon are closed.
    ///
    /// - Parameter isWhole: whether no damage is known.
    func close(isWhole: Bool) {
        guard files.moved == nil else { return }
        var size = 0
        if isWhole, (try? database.checkpoint()) == true {
            counter.synced()
            size = disk.size(database.path) ?? 0
        } else {
            guard (try? counter.sync(database)) == true else { return }
        }
        // A power cut leaves any of the pages as they were, and the note of a clean end vouches for all notes.
        guard marks.sync() == 0 else { return }
        marks.noteCleanEnd(size: size)
        guard marks.sync() == 0, size > 0 else { return }
        copies.remove()
    }

    /// Whether the last daemon closed the database, and nothing has changed it since.
    private static func wasClosed(_ path: String, _ marks: CommitMarks, _ disk: Disk) -> Bool {
        guard let size = marks.cleanSize, disk.size(path) == size else { return false }
        // SQLite removes the log when the last connection is closed.
        return disk.size(path + "-wal") ?? 0 == 0
    }

    /// Throws `inUse` if another process has the database at this path. Changes nothing.
    static func checkFree(_ path: String, _ disk: Disk) throws(StoreError) {
        let file = path + "-lock"
        if disk.size(file) != nil { _ = try lock(file, of: path, disk) }
    }

    private static func lock(_ file: String, of path: String, _ disk: Disk) throws(StoreError) -> FileLock {
        do throws(FileLock.Failure) {
            return try disk.lock(file, patience)
        } catch {
            switch error {
            case .taken: throw .inUse(path: path)
            case .system(let call, let errno): throw .file(call: call, path: file, errno: errno)
            }
        }
    }

    /// Changes nothing before the database is known to be ours, whole, and not behind its mark.
    private static func open(
        _ path: String, _ schema: Schema, _ disk: Disk, _ copies: UpgradeCopies, _ marks: CommitMarks,
        _ start: MarkedStart
    ) throws(StoreError) -> (Database, isChecked: Bool, row: CommitRow) {
        try Schema.createFile(path, on: disk)
        var checked = try Optional(check(path, schema, disk, start))
        if let row = checked?.row, start.canTakeBack(row.number) {
            // Closes the connection.
            checked = nil
            // If it fails, the start reports that the transaction is there.
            try? WriteAheadLog.removeLastTransaction(of: path, disk)
            checked = try check(path, schema, disk, start)
        }
        guard let (database, version, row, isChecked) = checked else { preconditionFailure("it was checked") }
        // A note that is left would be taken for one of the next transaction.
        if try start.loss(at: row) != .void(path: path) { marks.void.clear() }
        if let mark = try start.markOfSynced(at: row) { marks.write(mark) }
        let failure = marks.removeCleanEnd()
        guard failure == 0 else { throw .file(call: "msync", path: path + "-lock", errno: failure) }
        try schema.prepare(database, from: version, copies)
        // The first read opens the log, which `OpenFiles` then finds, also if the file had none so far.
        return (database, isChecked, try CommitRow(database))
    }

    /// A database, its version, what it has of its transactions, and whether all of it was checked for damage.
    private static func check(
        _ path: String, _ schema: Schema, _ disk: Disk, _ start: MarkedStart
    ) throws(StoreError) -> (Database, version: Int, row: CommitRow, isChecked: Bool) {
        let database = try Database(path: path, on: disk)
        let version = try schema.version(of: database)
        let row = version == 0 ? CommitRow() : try CommitRow(database)
        _ = try start.loss(at: row)
        let isChecked = version < schema.version || !start.wasClosed
        if isChecked { try Schema.check(database) }
        return (database, version, row, isChecked)
    }

    /// Gives the files of a damaged database other names.
    ///
    /// - Returns: the new name of the database.
    private static func setAside(_ path: String, _ disk: Disk) throws(StoreError) -> String {
        var copy = path + ".damaged"
        var attempt = 1
        while disk.size(copy) != nil {
            attempt += 1
            copy = path + ".damaged-\(attempt)"
        }
        for suffix in ["-wal", "-shm", ""] where disk.size(path + suffix) != nil {
            let error = disk.rename(path + suffix, copy + suffix)
            guard error == 0 else { throw .file(call: "rename", path: path + suffix, errno: error) }
        }
        return copy
    }
}
