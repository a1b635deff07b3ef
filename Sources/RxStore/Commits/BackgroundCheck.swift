internal import Rx
internal import RxPlatform

/// Checks a database while it is in use, over a connection of its own, on a queue of its own: its pages, unless that
/// was done when it was opened, and whether its rows can be read.
///
/// The log of the database grows during the check, because the check reads the state of one moment.
// Unchecked: the connection is used on `queue`, and interrupted from elsewhere, which SQLite permits while it is open.
final class BackgroundCheck: @unchecked Sendable {
    private enum State {
        case idle
        case running(Database?)
        case ended
        case stopped
    }

    private let path: String
    private let schema: Schema
    private let checksPages: Bool
    private let unreadableBefore: Int
    private let disk: Disk
    private let cores: Cores
    private let queue: WorkQueue
    private let state: Locked<State>
    private let soundness = Locked(true)

    /// - Parameters:
    ///   - path: the path of the database.
    ///   - schema: its tables.
    ///   - checksPages: whether its pages were not checked when it was opened.
    ///   - unreadable: rows of tables without a `RowCheck` that could not be read when it was opened.
    ///   - platform: the outside world.
    init(of path: String, _ schema: Schema, checksPages: Bool, unreadable: Int = 0, platform: Platform) {
        self.path = path
        self.schema = schema
        self.checksPages = checksPages
        unreadableBefore = unreadable
        disk = platform.disk
        cores = platform.cores
        queue = platform.queues.serial("rxd.store.check")
        state = Locked(.idle)
    }

    /// Whether nothing is known that speaks against the file: no damage was found so far, and the check was possible.
    var isWhole: Bool { soundness.withLock { $0 } }

    /// Starts the check, if none was started.
    ///
    /// - Parameter onDamage: called on a queue of the check if the file is damaged or cannot be read, and if some of
    ///   its rows cannot be read; with `.unchecked` if the check was not possible.
    func start(onDamage: @escaping @Sendable (StoreError) -> Void) {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .running(nil)
            return true
        }
        guard isFirst else { return }
        queue.async { [self] in
            if unreadableBefore > 0 { onDamage(.unreadable(path: path, rows: unreadableBefore)) }
            do throws(StoreError) {
                let unreadable = try run()
                if unreadable > 0 { onDamage(.unreadable(path: path, rows: unreadable)) }
            } catch {
                guard error.isDamage || !isStopped else { return }
                soundness.withLock { $0 = false }
                onDamage(error.isDamage ? error : .unchecked(path: path, message: "\(error)"))
            }
        }
    }

    /// Ends the check, finished or not, and returns when it has ended. Not to be called from `onDamage`.
    func stop() {
        state.withLock { state in
            if case .running(let database?) = state { database.interrupt() }
            state = .stopped
        }
        queue.run {}
    }

    private var isStopped: Bool {
        state.withLock { state in
            if case .stopped = state { true } else { false }
        }
    }

    /// Returns the number of rows that cannot be read.
    private func run() throws(StoreError) -> Int {
        let database = try Database(path: path, on: disk, onlyToRead: true, sharing: cores)
        let isWanted = state.withLock { state in
            guard case .running = state else { return false }
            state = .running(database)
            return true
        }
        defer {
            state.withLock { state in
                if case .running = state { state = .ended }
            }
        }
        guard isWanted else { return 0 }
        if checksPages { try Schema.check(database) }
        return try schema.unreadableRows(in: database)
    }
}
