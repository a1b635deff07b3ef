internal import JSONRPC
public import Logging
public import RxHost
internal import RxJSON
internal import RxPlatform
public import RxProtocol
public import RxLoop
public import UnixSocket

/// Serves a host to the clients of a listener. All of it but the initializer and `stop` runs on the loop's thread.
// Unchecked: the mutable fields are reached on the loop's thread alone; `start`, `accept` and `stop` check it.
public final class Server: @unchecked Sendable {
    /// What is served.
    public let host: Host
    /// What a client may use.
    public let limits: Limits
    /// What a client may do.
    public let rights: Rights
    /// How long a requester that reads nothing at all may hold back its own work.
    let patience: Duration
    let loop: EventLoop
    let logger: Logger
    let encoder: EventEncoder
    let reader: MessageReader
    let started: Timestamp
    let spares = SpareBuffers()
    private(set) var audit: Audit!
    private(set) var delivery: Delivery!
    /// Where the lines of a batch are assembled for one subscription.
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: EventBatch.blockBytes, alignment: 64)
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    private var connectionsByUser: [UInt32: Int] = [:]
    /// Bytes that wait for the peers of each user; users without any are absent.
    private var waitingBytesByUser: [UInt32: Int] = [:]
    private var nextToken: UInt64 = 0
    private var isStopping = false
    private var whenStopped: (() -> Void)?
    private let onReload: (@Sendable (_ dryRun: Bool) -> Result<RegistryChange, ReloadFailure>)?

    /// A server without clients; give it sockets with `accept`.
    ///
    /// - Parameters:
    ///   - host: the host that requests are carried out by.
    ///   - loop: the loop that all connections run in.
    ///   - limits: what one client may make the server keep.
    ///   - rights: who may do what.
    ///   - logger: receives the audit records.
    ///   - patience: how long a requester that reads nothing at all may hold back its own work.
    ///   - onReload: reads the configuration again, for `server.reload`; without it the method is refused.
    public init(
        host: Host, loop: EventLoop, limits: Limits = Limits(), rights: Rights, logger: Logger,
        patience: Duration = .seconds(10),
        onReload: (@Sendable (_ dryRun: Bool) -> Result<RegistryChange, ReloadFailure>)? = nil
    ) {
        self.host = host
        self.loop = loop
        self.limits = limits
        self.rights = rights
        self.patience = patience
        self.logger = logger
        self.onReload = onReload
        started = Timestamp(milliseconds: host.time)
        encoder = EventEncoder(epoch: host.epoch, clock: host.platform.wallClock)
        reader = MessageReader(
            limits: JSONLimits(bytes: limits.lineBytes, depth: limits.depth), batch: limits.batch)
        audit = Audit(of: self)
        delivery = Delivery(of: self)
        // A strong reference, since weak ones are slow; `stop` breaks the cycle.
        host.log.setListener { self.loop.execute { self.delivery.begin() } }
    }

    deinit {
        block.deallocate()
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
        let receiver = SocketReceiver(connection)
        connection.receiver = receiver
        socket.delegate = receiver
    }

    @discardableResult
    func accept(_ transport: any Transport, peer: Peer) -> Connection {
        let connection = Connection(server: self, transport: transport, peer: peer)
        connections[ObjectIdentifier(connection)] = connection
        connectionsByUser[peer.uid, default: 0] += 1
        if isStopping {
            connection.refuse(RPCError(.shuttingDown))
        } else if connections.count > limits.connections {
            connection.refuse(.limitReached("connections", limits.connections))
        } else if connectionsByUser[peer.uid, default: 0] > limits.connectionsPerUid {
            connection.refuse(.limitReached("connectionsPerUid", limits.connectionsPerUid))
        }
        return connection
    }

    func forget(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        let left = connectionsByUser[connection.peer.uid, default: 1] - 1
        connectionsByUser[connection.peer.uid] = left > 0 ? left : nil
        finishStoppingIfDone()
    }

    func flushAtEndOfTurn(_ connection: Connection) {
        // A connection calls this at most once in a turn.
        loop.appendToEndOfTurn(connection)
    }

    /// A token that identifies one request of all clients.
    func makeToken() -> UInt64 {
        nextToken += 1
        return nextToken
    }

    func reload(dryRun: Bool) -> Result<RegistryChange, ReloadFailure>? { onReload?(dryRun) }

    // MARK: Bytes of users

    /// Accounts a change in the bytes that wait for a peer to its user.
    ///
    /// - Returns: whether more wait for the user now than may.
    func account(_ change: Int, to uid: UInt32) -> Bool {
        let bytes = waitingBytesByUser[uid, default: 0] + change
        waitingBytesByUser[uid] = bytes == 0 ? nil : bytes
        return bytes > limits.bytesPerUid
    }

    // MARK: Stopping

    /// Ends every subscription, answers what can be answered, and closes each connection; then calls `whenStopped` on
    /// the loop. The host must have stopped, so that executions have ended.
    public func stop(whenStopped: @escaping () -> Void) {
        isStopping = true
        self.whenStopped = whenStopped
        delivery.deliverAll()
        for connection in connections.values {
            connection.finish(.shutdown)
        }
        finishStoppingIfDone()
    }

    private func finishStoppingIfDone() {
        guard isStopping, connections.isEmpty, let whenStopped else { return }
        self.whenStopped = nil
        host.log.setListener {}
        audit.stop()
        whenStopped()
    }
}

/// Why a configuration was refused.
public struct ReloadFailure: Error, Sendable {
    /// Every fault, a line each.
    public let faults: [String]

    /// A configuration with these faults.
    public init(faults: [String]) {
        self.faults = faults
    }
}

extension Connection: TurnEnd {
    func turnEnded() { flush() }
}
