internal import CSQLite
internal import Glibc
internal import RxPlatform

/// An error of the store.
public enum StoreError: Error, Sendable, Equatable {
    /// A system call on a file failed.
    case file(call: String, path: String, errno: Int32)
    /// Another daemon uses the same state directory.
    case inUse(path: String)
    /// The file is not an SQLite database, or it is damaged. It is left as it is.
    case damaged(path: String, message: String)
    /// Rows of the file cannot be read: other bytes were written over a part of them. They are left as they are.
    case unreadable(path: String, rows: Int)
    /// The file could not be checked for damage. The next start checks it first.
    case unchecked(path: String, message: String)
    /// The mark beside the file is damaged, so that it is unknown whether the file is complete. Both are left as they
    /// are.
    case damagedMark(path: String)
    /// The file is missing or empty, but something was stored in it.
    case missing(path: String)
    /// The last transactions are not in the file any more, although they were committed. It is left as it is.
    case rolledBack(path: String, missing: UInt64)
    /// The file was moved or removed while it was open.
    case moved(path: String)
    /// The file is another program's database. It is left as it is.
    case foreign(path: String)
    /// A later version of this program has written the file. It is left as it is.
    case newer(path: String, found: Int, known: Int)
    /// SQLite failed at `doing`: with its extended code, its message, and the error number behind it or 0.
    case failed(doing: String, path: String, code: Int32, message: String, errno: Int32)
    /// Too much is pending to be written or read.
    case overloaded(limit: Int)
    /// Writing works again, after this many writes were lost.
    case lost(count: Int)
    /// A step or a snapshot does not follow the newest stored revision of its reactor: steps were lost before it, or
    /// nothing is stored yet. A snapshot of a later revision can follow.
    case outOfOrder(reactor: String, revision: UInt64?, newest: UInt64?)
    /// A step was removed while the history was read: the history begins later by now.
    case passed(reactor: String, revision: UInt64, oldest: UInt64)
    case closed
}

extension StoreError: CustomStringConvertible {
    /// What is wrong, where, and what to do about it, as one line.
    public var description: String {
        switch self {
        case .file(let call, let path, let errno):
            "\(path): \(call): \(SystemErrorName.sentence(of: errno))" + Self.advice(0, errno, path)
        case .inUse(let path): "\(path): in use by another process: two daemons cannot have the same state directory"
        case .damaged(let path, let message):
            "\(path): not a database that can be read (\(message)); it is left as it is. To go on, restore a backup, "
                + "or start with --recover, which moves it away and begins without what it kept"
        case .unreadable(let path, let rows):
            "\(path): \(rows == 1 ? "a row" : "\(rows) rows") cannot be read, because other bytes were written over a "
                + "part of it; what it recorded is left out, and the file is left as it is. To have it again, restore "
                + "a backup"
        case .unchecked(let path, let message):
            "\(path): could not be checked for damage (\(message)); the next start checks it first"
        case .damagedMark(let path):
            "\(path)-lock: damaged, so that it is unknown whether \(path) is complete; both are left as they are. "
                + "To go on, start with --recover, which takes the database as it is"
        case .missing(let path):
            "\(path): missing or empty, but something was stored in it. To go on, restore a backup, or start "
                + "with --recover, which begins without what it kept"
        case .rolledBack(let path, let missing):
            "\(path): damaged: the last \(missing == 1 ? "transaction is" : "\(missing) transactions are") missing; it "
                + "is left as it is. To go on, restore a backup, or start with --recover, which accepts the loss"
        case .moved(let path):
            "\(path): was moved or removed while it was in use; restart the daemon to begin a new one"
        case .foreign(let path):
            "\(path): a database of another program; it is left as it is. Give another state directory"
        case .newer(let path, let found, let known):
            "\(path): written by a later version (format \(found), known up to \(known)); it is left as it is. "
                + "It needs that version"
        case .failed(let doing, let path, let code, let message, let errno):
            "\(path): \(doing): \(message) (SQLite \(code)"
                + (errno == 0 ? "" : ", \(SystemErrorName.sentence(of: errno))") + ")" + Self.advice(code, errno, path)
        case .overloaded(let limit): "too many reads or writes wait for the disk: at most \(limit); try again later"
        case .lost(let count): "\(count) writes were lost; writing works again"
        case .outOfOrder(let reactor, let revision, let newest):
            "reactor \(reactor): \(revision.map { "revision \($0)" } ?? "it") "
                + (newest.map { "does not follow revision \($0), the newest one stored" }
                    ?? "needs a snapshot before it")
        case .passed(let reactor, let revision, let oldest):
            "reactor \(reactor): revision \(revision) is no longer kept; the history begins at \(oldest)"
        case .closed: "the store is closed"
        }
    }

    /// The advice in the message; empty if there is none.
    private static func advice(_ code: Int32, _ errno: Int32, _ path: String) -> String {
        switch (code & 0xFF, errno) {
        case (SQLITE_BUSY, _), (SQLITE_LOCKED, _):
            ". Another process works on it; `fuser \(path)` names it. It is left as it is until that one has ended"
        case (SQLITE_FULL, _), (_, ENOSPC), (_, EDQUOT): ". Its file system is full: it needs room there"
        case (SQLITE_READONLY, _), (SQLITE_PERM, _), (_, EACCES), (_, EPERM), (_, EROFS):
            ". It has to belong to the user that the daemon runs as, who must be able to write it"
        case _: ""
        }
    }

    /// The error of a statement that does not fit the tables of the file.
    var asDamagedTables: StoreError {
        guard case .failed(let doing, let path, _, let message, _) = self else { return self }
        return .damaged(path: path, message: "\(doing): \(message)")
    }
}
