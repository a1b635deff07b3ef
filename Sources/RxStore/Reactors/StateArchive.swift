public import RxPlatform
internal import RxJSON

/// Read-only access to the stored reactors, also while a daemon writes.
///
/// Not thread-safe: its owner uses it from one thread.
public final class StateArchive {
    /// Steps that are read at once, and their approximate bytes. Between two reads a daemon can shorten its log.
    static let stepsPerPage = 1000
    static let bytesPerPage = 4 << 20

    /// The path of the file.
    public let path: String
    private let reader: StateReader

    /// Opens the file. Throws `.file` with the error number if it does not exist or may not be read.
    public init(path: String, on disk: Disk = .system) throws(StoreError) {
        // SQLite would report only that it cannot open the file.
        let error = disk.checkReadable(path)
        guard error == 0 else { throw .file(call: "open", path: path, errno: error) }
        let database = try Database(path: path, on: disk, onlyToRead: true)
        try Schema.reactors.recognize(database)
        self.path = path
        reader = try StateReader(database)
    }

    /// The revisions whose states are stored; nil if the reactor is not.
    public func revisions(of reactor: String) throws(StoreError) -> ClosedRange<UInt64>? {
        try reader.findEnds(of: reactor).map { $0.oldest...$0.newest }
    }

    /// The state of a revision; nil if it was lost or removed.
    public func state(of reactor: String, at revision: UInt64) throws(StoreError) -> KeptState? {
        try reader.state(of: reactor, at: revision)
    }

    /// Calls `body` with the steps, oldest first, until it returns false.
    ///
    /// Throws `.damaged` if a step is missing or cannot be read, and `.passed` if it was removed meanwhile.
    public func forEachStep(
        of reactor: String, in revisions: ClosedRange<UInt64>, _ body: (KeptStep) -> Bool
    ) throws(StoreError) {
        var next = revisions.lowerBound
        while next <= revisions.upperBound {
            let (page, unreadable) = try reader.steps(
                of: reactor, next...revisions.upperBound, limit: Self.stepsPerPage, bytes: Self.bytesPerPage)
            guard unreadable == 0 else { throw missing(next, "cannot be read", reactor) }
            for step in page.steps {
                switch step.change {
                case .reduced where step.revision != next:
                    if let oldest = try self.revisions(of: reactor)?.lowerBound, oldest >= next {
                        throw .passed(reactor: reactor, revision: next, oldest: oldest)
                    }
                    throw missing(next, "is missing", reactor)
                case .reduced, .replaced: break
                }
                guard body(step) else { return }
                next = step.revision + 1
            }
            guard page.hasMore else {
                // The rest may have been removed, or there is no more.
                if next <= revisions.upperBound, let oldest = try self.revisions(of: reactor)?.lowerBound,
                    oldest >= next
                {
                    throw .passed(reactor: reactor, revision: next, oldest: oldest)
                }
                return
            }
        }
    }

    private func missing(_ revision: UInt64, _ what: String, _ reactor: String) -> StoreError {
        .damaged(path: path, message: "reactor \(reactor): revision \(revision) \(what)")
    }
}
