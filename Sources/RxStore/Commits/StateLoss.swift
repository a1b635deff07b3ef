/// What a database lacks of what was written to it, found when it was opened.
public enum StateLoss: Sendable, Equatable {
    /// The last `count` transactions are missing. They were not synced when the machine ended, or the operator chose
    /// to continue without them.
    case commits(path: String, count: UInt64)
    /// The machine ended without a clean stop of the daemon, so that transactions that were not synced may be missing.
    case unsynced(path: String)
    /// The file has its last transaction, although that was reported as failed, and could not be taken back.
    case void(path: String)
    /// The mark beside the file was damaged or lost, so that it is unknown whether the last transactions are missing.
    case mark(path: String)
    /// The note of the events that the file lacks was damaged: for its readers, any may be missing.
    case events(path: String)
    /// The file was missing or empty; the database begins anew.
    case file(path: String)
    /// The file was damaged; it was moved to `copy`, and the database begins anew.
    case damaged(path: String, copy: String, message: String)
    /// What follows a revision of a reactor cannot be read, and it continues from there; nil if nothing of it can be
    /// read, and it begins anew.
    case reactor(path: String, name: String, revision: UInt64?)
}

extension StateLoss {
    /// Whether something is known to be missing, or may be because it is not known what was noted. The others are
    /// warnings: the database has everything that is noted.
    var isLoss: Bool {
        switch self {
        case .unsynced, .void, .events: false
        case .commits, .mark, .file, .damaged, .reactor: true
        }
    }
}

extension StateLoss: CustomStringConvertible {
    /// What is lost, as one line.
    public var description: String {
        switch self {
        case .commits(let path, let count):
            "\(path): the last \(count == 1 ? "transaction is" : "\(count) transactions are") lost"
        case .unsynced(let path):
            "\(path): the machine ended without a clean stop: transactions of the last second before that may be "
                + "missing if they were not synced"
        case .void(let path):
            "\(path): the last transaction is in the file, although it was reported as failed, because the disk "
                + "refused to sync and to write: what was repeated after the failure may be there twice"
        case .mark(let path):
            "\(path)-lock: was damaged, emptied, or removed, so that it is unknown whether the last transactions of "
                + "\(path) are lost; it is taken as it is"
        case .events(let path):
            "\(path)-lock: the note of the events that could not be written is damaged, so that it is unknown which "
                + "ones \(path) lacks; readers get a lag for all earlier ones"
        case .file(let path): "\(path): the file was lost with all that it kept; it begins anew"
        case .damaged(let path, let copy, let message):
            "\(path): the file was damaged (\(message)) and is now \(copy); it begins anew"
        case .reactor(let path, let name, let revision?):
            "\(path): reactor \(name): what follows revision \(revision) cannot be read; it continues from there"
        case .reactor(let path, let name, nil):
            "\(path): reactor \(name): nothing of it can be read; it begins anew"
        }
    }
}
