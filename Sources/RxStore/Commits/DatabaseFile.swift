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
    /// What was lost since the last daemon; nil if nothing.
    let loss: StateLoss?
    private let lock: FileLock
    private let copies: UpgradeCopies

    /// Opens the database, or creates it (mode 0600; the directory must exist), and checks the whole file for damage,
    /// which takes about a second per gigabyte.
    ///
    /// Throws, and leaves the file as it is, if it is damaged, has lost what was acknowledged, is of a later version,
    /// another program's, or in use.
    ///
    /// - Parameters:
    ///   - path: the path of the database.
    ///   - schema: its tables.
    ///   - disk: the disk.
    ///   - recovers: whether to continue without what is damaged or lost.
    init(
        path: String, schema: Schema, disk: Disk, recovers: Bool
    ) throws(StoreError) {
        lock = try Self.lock(path + "-lock", of: path, disk)
        copies = UpgradeCopies(of: path, schema.version, disk)
        let marks: CommitMarks
        do throws(DiskFailure) {
            marks = CommitMarks(try disk.map(path + "-lock", CommitMarks.bytes))
        } catch {
            throw .file(call: error.call, path: path + "-lock", errno: error.errno)
        }
        var found = marks.content
        if found == .damaged {
            guard recovers else { throw .damagedMark(path: path) }
            found = .none
        }
        var loss: StateLoss?
        if found != .none, disk.size(path) ?? 0 == 0 {
            guard recovers else { throw .missing(path: path) }
            loss = .file(path: path)
        }
        let opened: Database
        do throws(StoreError) {
            opened = try Self.open(path, schema, disk, copies)
        } catch {
            guard recovers, case .damaged(path, let message) = error else { throw error }
            let copy = try Self.setAside(path, disk)
            loss = .damaged(path: path, copy: copy, message: message)
            opened = try Self.open(path, schema, disk, copies)
        }
        let number = UInt64(clamping: try opened.integer(CommitCounter.read))
        let boot = disk.bootID() ?? .unknown
        var synced = number
        if loss == nil, case .mark(let mark) = found {
            if mark.committed > number {
                guard recovers || !mark.isDamage(at: number, in: boot) else {
                    throw .rolledBack(path: path, missing: mark.committed - number)
                }
                loss = .commits(path: path, count: mark.committed - number)
            }
            if boot == mark.boot { synced = min(mark.synced, number) }
        }
        self.loss = loss
        database = opened
        counter = try CommitCounter(
            opened, marks, CommitMark(boot: boot, committed: number, synced: synced))
    }

    /// Removes the copies that were made before an upgrade. Call it at a clean stop.
    func close() { copies.remove() }

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

    private static func open(
        _ path: String, _ schema: Schema, _ disk: Disk, _ copies: UpgradeCopies
    ) throws(StoreError) -> Database {
        try Schema.createFile(path, on: disk)
        let database = try Database(path: path, on: disk)
        try schema.prepare(database, copies)
        try Schema.check(database)
        return database
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
