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
    /// Attempts since the daemon has last answered.
    private var failures = 0

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
        let timer = loop.schedule(after: policy.delay(after: failures)) { [weak self] in self?.connect() }
        failures += 1
        state = .waiting(timer, because: reason)
    }

    private func connect() {
        let connection: Connection
        do {
            connection = try Connection(path: path(), loop: loop)
        } catch {
            return search(after: error)
        }
        state = .connected(connection)
        watch(connection)
        onConnect(connection)
    }
}
