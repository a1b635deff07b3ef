internal import JSONRPC
public import Logging
public import RxHost
public import RxLoop
public import RxProtocol
public import UnixSocket

/// Serves a host to the clients of a listener. All of it but the initializer and `stop` runs on the loop's thread.
// Unchecked: the mutable fields are reached on the loop's thread alone; `start`, `accept` and `stop` check it.
public final class Server: @unchecked Sendable {
    /// The host that requests are carried out by.
    public var host: Host { context.host }
    /// The most that one client may make the server keep.
    public var limits: Limits { context.limits }
    /// Decides what a client may do.
    public var rights: Rights { context.rights }
    let context: ServerContext
    let sessions = SessionTable()
    let delivery: Delivery
    private var isStopping = false

    /// A server without clients; give it sockets with `accept`.
    ///
    /// - Parameters:
    ///   - host: the host that requests are carried out by.
    ///   - loop: the loop that all connections run in.
    ///   - limits: what one client may make the server keep.
    ///   - rights: who may do what.
    ///   - logger: receives the audit records.
    ///   - patience: how long a requester that reads nothing at all may hold back its own work.
    ///   - reloads: read the configuration again, for `server.reload`; without it the method is refused.
    ///   - directories: what `server.status` reports of where the daemon's files are.
    public init(
        host: Host, loop: EventLoop, limits: Limits = Limits(), rights: Rights, logger: Logger,
        patience: Duration = .seconds(10),
        reloads: ReloadQueue? = nil, directories: DaemonDirectories = DaemonDirectories()
    ) {
        context = ServerContext(
            host: host, loop: loop, limits: limits, rights: rights, logger: logger, patience: patience,
            reloads: reloads, directories: directories)
        delivery = Delivery(to: sessions, of: context)
        // A strong reference, since weak ones are slow; `stop` breaks the cycle.
        host.log.setListener { loop.execute { self.delivery.begin() } }
    }

    // MARK: Connections

    /// Accepts a new client. A connection beyond the limit gets an error and is closed.
    public func accept(_ socket: Socket) {
        let credentials = socket.peer
        let peer = Peer(
            uid: credentials?.uid ?? UInt32.max, gid: credentials?.gid ?? UInt32.max, pid: credentials?.pid ?? 0,
            groups: credentials?.groups ?? [])
        socket.lineLimit = limits.lineBytes
        let connection = accept(socket, peer: peer)
        socket.share = connection.session.client.account.share
        let receiver = SocketReceiver(connection)
        connection.receiver = receiver
        socket.delegate = receiver
    }

    @discardableResult
    func accept(_ transport: any Transport, peer: Peer) -> Connection {
        let client = Client(peer, of: context)
        let output = ConnectionOutput(transport, to: client, sessions.subscriptions, of: context)
        let session = Session(client, output, in: sessions, of: context)
        sessions.insert(session)
        let connection = Connection(session)
        if isStopping {
            connection.refuse(RPCError(.shuttingDown))
        } else if sessions.served >= limits.connections - (rights.isMaster(peer) ? 0 : limits.connectionsReserved) {
            connection.refuse(.limitReached("connections", limits.connections))
        } else if client.account.connections > limits.connectionsPerUid {
            connection.refuse(.limitReached("connectionsPerUid", limits.connectionsPerUid))
        } else {
            sessions.serve(session)
        }
        return connection
    }

    // MARK: Stopping

    /// Ends every subscription, answers what can be answered, and closes each connection; then calls `whenStopped` on
    /// the loop. The host must have stopped, so that executions have ended.
    ///
    /// - Parameters:
    ///   - atOnce: whether the loop stops next, so that nothing that is posted is carried out any more.
    ///   - whenStopped: called on the loop once all connections are closed.
    public func stop(atOnce: Bool = false, whenStopped: @escaping () -> Void) {
        isStopping = true
        delivery.deliverAll()
        sessions.whenEmpty = { [self] in
            sessions.whenEmpty = nil
            host.log.setListener {}
            context.audit.stop()
            whenStopped()
        }
        for session in sessions.all {
            guard !atOnce else {
                session.finish(.shutdown)
                continue
            }
            // Behind the answers that are posted to the user's share, which may take more than this turn.
            context.loop.execute(in: session.client.account.share) { [session = LoopConfined(session)] in
                session.value.finish(.shutdown)
            }
        }
        if sessions.isEmpty { sessions.whenEmpty?() }
    }

    /// Returns when no thread works for a client any more. To be called once the loop has stopped.
    public func join() { context.workers.stop() }

    /// The threads for long requests, for a watchdog.
    var workers: RequestWorkers { context.workers }
}
