internal import Glibc
internal import RxLoop

/// The connection to the daemon, or the search for the next one; on the loop's thread only.
final class Reconnector {
    enum State {
        case connected(Connection)
        /// Until the timer fires; the reason is why the last attempt, or the last connection, failed.
        case waiting(Timer, because: ClientError)
        case closed(ClientError)
    }

    /// Called with each connection but the first.
    var onConnect: (Connection) -> Void = { _ in }
    /// Called when a connection is lost and the search for the next one begins; not for failed attempts.
    var onLoss: (ClientError) -> Void = { _ in }
    /// Called once, when there will be no connection any more.
    var onClose: (ClientError) -> Void = { _ in }

    /// While set, incoming bytes stay in the kernel, over this connection and later ones.
    var isReadingPaused = false {
        didSet {
            guard let connection else { return }
            if isReadingPaused { connection.pauseReading() } else { connection.resumeReading() }
        }
    }

    private(set) var state: State
    private let path: () -> String
    private let loop: EventLoop
    private let policy: Reconnecting?
    /// Attempts since the daemon has last answered; those that follow a change of the socket are one.
    private var failures = 0
    /// Notices when the socket is back, while there is no connection.
    private var socketWatch: SocketWatch?
    /// Attempts since the socket has last changed: a socket is bound a moment before it listens.
    private var attemptsSinceChange = Reconnector.mostAfterChange
    /// After a change, attempts follow after 1, 2, 4 ms…, a quarter of a second together.
    private static let mostAfterChange = 8

    /// Connects at once; throws `.unreachable`. Without a policy the first connection is the last one.
    init(path: @escaping () -> String, loop: EventLoop, policy: Reconnecting?) throws(ClientError) {
        self.path = path
        self.loop = loop
        self.policy = policy
        let connection = try Connection(path: path(), loop: loop)
        state = .connected(connection)
        watch(connection)
    }

    /// The present connection, if there is one.
    var connection: Connection? {
        guard case .connected(let connection) = state else { return nil }
        return connection
    }

    /// Ends the connection or the search for good.
    func close(because reason: ClientError) {
        let last = state
        switch last {
        case .closed: return
        case .connected, .waiting: state = .closed(reason)
        }
        switch last {
        case .connected(let connection): connection.close()
        case .waiting(let timer, _): timer.cancel()
        case .closed: break
        }
        endWatch()
        onClose(reason)
    }

    private func watch(_ connection: Connection) {
        connection.onClose = { [weak self, unowned connection] reason in
            self?.lost(connection, reason)
        }
        if isReadingPaused { connection.pauseReading() }
    }

    private func lost(_ connection: Connection, _ reason: ClientError) {
        guard self.connection === connection else { return }
        if connection.hasAnswered { failures = 0 }
        // A peer that speaks another protocol will not learn this one.
        if case .protocolViolation = reason { return close(because: reason) }
        if policy != nil, failures == 0 { onLoss(reason) }
        search(after: reason)
    }

    private func search(after reason: ClientError) {
        // `onLoss` may have closed it.
        if case .closed = state { return }
        guard let policy, failures < policy.attempts ?? .max else { return close(because: reason) }
        if socketWatch == nil {
            let path = path()
            socketWatch = SocketWatch(path: path, loop: loop) { [unowned self] in socketChanged() }
            // It may be back already, before the watch could see it; not if that is where the last attempt has failed.
            if socketWatch != nil, failures == 0, access(path, F_OK) == 0 { attemptsSinceChange = 0 }
        }
        if attemptsSinceChange < Self.mostAfterChange {
            let delay = Duration.milliseconds(1 << attemptsSinceChange)
            attemptsSinceChange += 1
            defer { failures = max(failures, 1) }
            return wait(min(delay, policy.delay(after: failures)), because: reason)
        }
        wait(policy.delay(after: failures), because: reason)
        failures += 1
    }

    private func wait(_ delay: Duration, because reason: ClientError) {
        let timer = loop.schedule(after: delay) { [weak self] in self?.connect() }
        state = .waiting(timer, because: reason)
    }

    private func socketChanged() {
        guard case .waiting(let timer, let reason) = state else { return }
        // A change while attempts follow an earlier one does not make them more frequent.
        let isFirst = attemptsSinceChange >= Self.mostAfterChange
        attemptsSinceChange = isFirst ? 0 : min(attemptsSinceChange, Self.mostAfterChange / 2)
        guard isFirst else { return }
        timer.cancel()
        search(after: reason)
    }

    private func endWatch() {
        socketWatch?.cancel()
        socketWatch = nil
        attemptsSinceChange = Self.mostAfterChange
    }

    private func connect() {
        let connection: Connection
        do {
            connection = try Connection(path: path(), loop: loop)
        } catch {
            return search(after: error)
        }
        endWatch()
        state = .connected(connection)
        watch(connection)
        onConnect(connection)
    }
}
