internal import RxPlatform

/// Why a backup was not made.
public enum BackupFailure: Error, Sendable, Equatable {
    /// The state directory has no database.
    case nothingStored(path: String)
    /// The directory of the copies is the state directory, or inside it: what destroys one destroys the other.
    case insideState(path: String)
    /// The directory of the copies belongs to another user, who could read and replace them.
    case foreignDirectory(path: String, owner: UInt32, user: UInt32)
    /// Others than the owner may write to the directory of the copies, so that they could replace them.
    case sharedDirectory(path: String, mode: UInt32)
    /// A copy of this name is there already.
    case exists(path: String)
    /// A backup was killed while its copies got their names: they may be of two backups.
    case incomplete(path: String)
    /// The directory has a copy of a file that the state does not have now: perhaps the only one left.
    case onlyCopy(path: String, state: String)
    /// A file that belongs to a database in use is in the directory of the copies. SQLite would take it for a part of
    /// the copy.
    case inUse(path: String)
    /// Another backup writes to this directory.
    case busy(path: String)
    /// The database is undamaged, but the copy of it is not.
    case badCopy(path: String, message: String)
    /// The directory of the copies, or a file in it, cannot be written.
    case unwritable(StoreError)
    /// A database cannot be read, or is not what it should be.
    case store(StoreError)
}

extension BackupFailure: CustomStringConvertible {
    /// What is wrong, where, and what to do about it, as one line.
    public var description: String {
        switch self {
        case .nothingStored(let path): "\(path): no database is stored there; --state names another directory"
        case .insideState(let path): "\(path): is inside the state directory; a backup needs a directory of its own"
        case .foreignDirectory(let path, let owner, let user):
            "\(path): belongs to uid \(owner), who could read and replace the copies; use a directory of uid \(user)"
        case .sharedDirectory(let path, let mode):
            "\(path): others than its owner may write there (mode 0\(String(mode, radix: 8))) and could replace the "
                + "copies; use a directory that only its owner may write, such as a new one"
        case .exists(let path): "\(path): exists already; use another directory, or --force to replace the copies"
        case .incomplete(let path):
            "\(path): left by a backup that did not end, so the copies beside it may be of two backups; use another "
                + "directory, or --force to replace them"
        case .onlyCopy(let path, let state):
            "\(path): the state has no such file now (\(state)), so this may be the only copy left; use another "
                + "directory, or move the copy away"
        case .inUse(let path):
            "\(path): belongs to a database in use, not to a backup; use another directory, or remove the file if it "
                + "is left over"
        case .busy(let path): "\(path): another backup writes to this directory"
        case .badCopy(let path, let message):
            "\(path): the copy is damaged (\(message)), the database is not; use a directory on another disk"
        case .unwritable(.file(let call, let path, let errno)):
            "\(path): \(call): \(SystemErrorName.sentence(of: errno)); use a directory that can be written and has room"
        case .unwritable(let error), .store(let error): "\(error)"
        }
    }
}
