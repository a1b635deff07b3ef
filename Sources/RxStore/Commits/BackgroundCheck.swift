internal import Rx
internal import RxPlatform

/// Checks a database for damage while it is in use: over a connection of its own, on a queue of its own.
///
/// The log of the database grows during the check, because the check reads the state of one moment.
// Unchecked: the connection is used on `queue`, and interrupted from elsewhere, which SQLite permits while it is open.
final class BackgroundCheck: @unchecked Sendable {
    private enum State {
        case idle
        case running(Database?)
        case over
    }

    private let path: String
    private let disk: Disk
    private let queue: WorkQueue
    private let state: Locked<State>
    private let damage = Locked(false)

    /// - Parameter isNeeded: whether the database was not checked when it was opened.
    init(of path: String, isNeeded: Bool, platform: Platform) {
        self.path = path
        disk = platform.disk
        queue = platform.queues.serial("rxd.store.check")
        state = Locked(isNeeded ? .idle : .over)
    }

    /// Whether damage was found so far.
    var hasFoundDamage: Bool { damage.withLock { $0 } }

    /// Starts the check, if one is needed and none was started.
    ///
    /// - Parameter onDamage: called on a queue of the check if the file is damaged or cannot be read.
    func start(onDamage: @escaping @Sendable (StoreError) -> Void) {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .running(nil)
            return true
        }
        guard isFirst else { return }
        queue.async { [self] in
            do throws(StoreError) {
                try run()
            } catch {
                // It may have been stopped, or could not begin: then nothing is known.
                guard error.isDamage else { return }
                damage.withLock { $0 = true }
                onDamage(error)
            }
        }
    }

    /// Ends the check, finished or not, and returns when it has ended. Not to be called from `onDamage`.
    func stop() {
        state.withLock { state in
            if case .running(let database?) = state { database.interrupt() }
            state = .over
        }
        queue.run {}
    }

    private func run() throws(StoreError) {
        let database = try Database(path: path, on: disk, onlyToRead: true)
        let isWanted = state.withLock { state in
            guard case .running = state else { return false }
            state = .running(database)
            return true
        }
        defer { state.withLock { $0 = .over } }
        if isWanted { try Schema.check(database) }
    }
}
