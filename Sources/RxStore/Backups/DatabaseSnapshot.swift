internal import Glibc
internal import RxPlatform

/// A database as of one moment, read beside a daemon that goes on writing.
///
/// A read transaction is open from `init` to the end of the object. In WAL mode, it neither waits for writers nor holds
/// them back; what they write stays in the log meanwhile, which grows.
///
/// The copy is made with SQLite's online backup. VACUUM INTO would read the same moment, but it cannot run inside a
/// transaction, so that the two databases could not be read as of one moment; it builds each row and index anew, and
/// does not read free pages, so that the check of the copy would not cover them. The backup takes one step:
/// with the transaction open, steps would not give way to anybody, and without it, each write of the daemon between two
/// steps would make SQLite begin anew.
final class DatabaseSnapshot {
    private let database: Database
    /// Whether the copy is complete without a mark, because the mark states that the database is.
    private let hasMark: Bool

    /// Opens a database at this moment; nil if there is none, or none with tables yet. Throws if it is damaged in a way
    /// that the daemon would refuse, too: then the copy would be what the database should not be.
    init?(path: String, schema: Schema, disk: Disk) throws(StoreError) {
        // First the mark, then the moment: the database has at least what the mark records.
        let mark = try MarkReader.content(of: path, disk)
        let error = disk.checkReadable(path)
        guard error == 0 || error == ENOENT else { throw .file(call: "open", path: path, errno: error) }
        hasMark = mark != .none
        guard error == 0, disk.size(path) != 0 else {
            guard mark == .none, disk.size(path + "-wal") ?? 0 == 0 else { throw .missing(path: path) }
            return nil
        }
        database = try Database(path: path, on: disk, onlyToRead: true)
        try database.execute("BEGIN")
        guard try !Self.isBlank(database) else {
            guard mark == .none else { throw .missing(path: path) }
            return nil
        }
        try schema.recognize(database)
        try Self.compare(database, mark, disk)
    }

    /// Whether the database has no tables and is nobody's: what a daemon leaves that is killed at its first start,
    /// before the tables are committed. The next one begins there.
    private static func isBlank(_ database: Database) throws(StoreError) -> Bool {
        guard try database.integer("SELECT count(*) FROM sqlite_schema") == 0 else { return false }
        return try database.integer("PRAGMA application_id") == 0
    }

    /// Throws if the database lacks what the daemon would miss at its start.
    private static func compare(
        _ database: Database, _ content: CommitMarks.Content, _ disk: Disk
    ) throws(StoreError) {
        switch content {
        case .none: break
        case .damaged: throw .damagedMark(path: database.path)
        case .mark(let mark):
            let number = try CommitRow(database).number
            guard mark.isDamage(at: number, in: disk.bootID() ?? .unknown) else { return }
            throw .rolledBack(path: database.path, missing: max(mark.committed, number) - number)
        }
    }

    /// Copies the database to a file that exists and is empty, checks the copy, and returns when it is on the disk.
    func copy(to path: String, _ disk: Disk) throws(BackupFailure) {
        do throws(StoreError) {
            let copy = try Database(path: path, on: disk)
            // A failure leaves a file that is removed, so it needs no journal, and the disk gets it once, at the end.
            try copy.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            try copy.copyPages(of: database)
        } catch {
            switch error {
            case .damaged, .failed(_, database.path, _, _, _): throw .store(error)
            case _: throw .unwritable(error)
            }
        }
        try check(path, disk)
        let error = disk.sync(path)
        guard error == 0 else { throw .unwritable(.file(call: "fsync", path: path, errno: error)) }
    }

    /// Makes one file of the copy, without a log and a mark, and checks it for damage.
    private func check(_ path: String, _ disk: Disk) throws(BackupFailure) {
        do throws(StoreError) {
            let copy = try Database(path: path, on: disk)
            try copy.execute("PRAGMA journal_mode = DELETE")
            if hasMark, try CommitRow(copy).isMarked { try CommitRow.mark(copy, false) }
            do throws(StoreError) {
                try Schema.check(copy)
            } catch {
                guard case .damaged(_, let message) = error else { throw error }
                try Schema.check(database)
                throw .damaged(path: path, message: message)
            }
        } catch {
            guard case .damaged(path, let message) = error else { throw .store(error) }
            throw .badCopy(path: path, message: message)
        }
    }
}
