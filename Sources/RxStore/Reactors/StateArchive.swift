internal import Glibc
internal import RxJSON

/// What is kept of reactors, for who only reads it: also while a daemon writes, and never changed.
///
/// Not shared: whoever has it uses it from one thread.
public final class StateArchive {
    /// Steps that are read at once, and about as many bytes of them; in between a daemon can cut its log.
    static let stepsPerPage = 1000
    static let bytesPerPage = 4 << 20

    public let path: String
    private let reader: StateReader

    /// Throws `.file` with the error number, if there is no such file, or no right to read it.
    public init(path: String) throws(StoreError) {
        // SQLite would say that it is unable to open the file.
        guard access(path, R_OK) == 0 else { throw .file(call: "open", path: path, errno: errno) }
        let database = try Database(path: path, onlyToRead: true)
        try Schema.reactors.recognize(database)
        self.path = path
        reader = try StateReader(database)
    }

    /// The revisions of which there are states; nil if nothing is kept of a reactor.
    public func revisions(of reactor: String) throws(StoreError) -> ClosedRange<UInt64>? {
        try reader.findEnds(of: reactor).map { $0.oldest...$0.newest }
    }

    /// The state of a revision; nil if it was lost, or is not kept any more.
    public func state(of reactor: String, at revision: UInt64) throws(StoreError) -> KeptState? {
        try reader.state(of: reactor, at: revision)
    }

    /// Gives steps to `body`, oldest first, until it answers false.
    ///
    /// Throws, if a step is missing or cannot be read, that the file is damaged; or, if it has gone meanwhile, `.passed`.
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
                // All that was left may be gone, or there is no more.
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
