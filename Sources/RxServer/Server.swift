internal import JSONRPC
public import Logging
internal import RxAction
public import RxHost
internal import RxJSON
public import RxProtocol
public import UnixSocket

/// Serves a host to the clients of a listener. All of it but the initialiser and `stop` runs on the loop's thread.
// Unchecked: the mutable fields are reached on the loop's thread alone; `start`, `accept` and `stop` check it.
public final class Server: @unchecked Sendable {
    public let host: Host
    public let limits: Limits
    public let rights: Rights
    /// How long a requester that reads nothing at all may hold back the work it asked for.
    let patience: Duration
    let loop: EventLoop
    let logger: Logger
    let encoder: EventEncoder
    let reader: MessageReader
    let started = Timestamp(milliseconds: WallClock.milliseconds)
    var subscriptions = SubscriptionTable()
    let spares = SpareBuffers()
    private(set) var audit: Audit!
    /// Where the lines of a batch are put together for one subscription.
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: EventBatch.blockBytes, alignment: 64)
    private var batch = EventBatch()
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    private var connectionsByUser: [UInt32: Int] = [:]
    /// What waits for the peers of each user, where anything does.
    private var waitingBytesByUser: [UInt32: Int] = [:]
    private var nextToken: UInt64 = 0
    private var isStopping = false
    private var whenStopped: (() -> Void)?
    private let onReload: (@Sendable (_ dryRun: Bool) -> Result<RegistryChange, ReloadFailure>)?

    /// - Parameters:
    ///   - patience: how long a requester that reads nothing at all may hold back the work it asked for.
    ///   - onReload: reads the configuration again for `server.reload`; without it the method is refused.
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
        encoder = EventEncoder(epoch: host.epoch)
        reader = MessageReader(
            limits: JSONLimits(bytes: limits.lineBytes, depth: limits.depth), batch: limits.batch)
        audit = Audit(of: self)
        // Strongly, since a weakly referenced server would be slow to reach: `stop` breaks the circle.
        host.log.setListener { self.scheduleDelivery() }
    }

    deinit {
        block.deallocate()
    }

    // MARK: Connections

    /// Takes a new client. One connection too many is told so and closed.
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
        // It asks once a turn.
        loop.appendToEndOfTurn(connection)
    }

    /// A token that tells one request from every other.
    func makeToken() -> UInt64 {
        nextToken += 1
        return nextToken
    }

    func reload(dryRun: Bool) -> Result<RegistryChange, ReloadFailure>? { onReload?(dryRun) }

    // MARK: Events

    /// Any thread.
    private func scheduleDelivery() {
        loop.execute { self.deliverEvents() }
    }

    /// Gives the host's events to those who subscribed, in their order.
    ///
    /// Events of one source in a row go to one subscription after another, not one after another to all subscriptions:
    /// with many of them it is to look at each that costs.
    func deliverEvents() {
        // Mostly they are all of one action.
        var last: (action: HostedAction, kinds: EventKinds)?
        let (events, skippedFrom) = host.log.drain { action, execution in
            guard subscriptions.of(execution).isEmpty else { return .all }
            if let last, last.action === action { return last.kinds }
            let kinds = subscriptions.channels(of: action).kinds
            last = (action, kinds)
            return kinds
        }
        var next = 0
        while next < events.count {
            let begin = next
            next += 1
            guard isForSourceAlone(events[begin]) else {
                deliver(events[begin])
                continue
            }
            let source = events[begin].source
            while next < events.count, events[next].source === source, isForSourceAlone(events[next]) { next += 1 }
            deliver(events[begin..<next], of: source, isLast: next == events.count)
        }
        if let skippedFrom { catchUp(from: skippedFrom) }
    }

    /// Whether nobody follows the execution of the event, and it tells of nothing but what its source does.
    private func isForSourceAlone(_ event: HostEvent) -> Bool {
        if let execution = event.execution, !subscriptions.of(execution).isEmpty { return false }
        // States are told to each as it needs them.
        return !event.kind.isEmpty && event.kind != .state
    }

    private func deliver(_ events: ArraySlice<HostEvent>, of source: Hosted, isLast: Bool) {
        let channels = subscriptions.channels(of: source)
        // Held here meanwhile, since to reach it in this object costs something for each subscription.
        var batch = EventBatch()
        swap(&batch, &self.batch)
        for event in events {
            guard let channel = EventEncoder.channel(of: event.change), channels.contains(channel) else { continue }
            if let encoded = encoder.encode(event) { batch.append(encoded) }
        }
        if !batch.isEmpty {
            for subscription in subscriptions.of(source) {
                subscription.connection.send(batch, of: subscription, isLast: isLast)
            }
            for subscription in subscriptions.ofAll(like: source) where subscription.reads(source) {
                subscription.connection.send(batch, of: subscription, isLast: isLast)
            }
        }
        batch.removeAll()
        swap(&batch, &self.batch)
    }

    private func deliver(_ event: HostEvent) {
        let ofSource = subscriptions.of(event.source)
        let ofExecution = event.execution.map { subscriptions.of($0) } ?? []
        let toAll = subscriptions.ofAll(like: event.source)
        if case .state(let revision) = event.change {
            return deliver(revision, event, to: ofSource + toAll.filter { $0.reads(event.source) })
        }
        if !(ofSource.isEmpty && ofExecution.isEmpty && toAll.isEmpty), let encoded = encoder.encode(event) {
            for subscription in ofSource where subscription.carries(encoded) {
                subscription.connection.send(encoded, of: subscription)
            }
            for subscription in ofExecution where subscription.carries(encoded) {
                subscription.connection.send(encoded, of: subscription)
            }
            for subscription in toAll where subscription.carries(encoded) && subscription.reads(event.source) {
                subscription.connection.send(encoded, of: subscription)
            }
        }
        switch event.change {
        case .execution(let record):
            guard let reason = EndReason(record.state) else { return }
            for subscription in ofExecution where event.cursor > subscription.since {
                subscription.connection.session.executionEnded(reason, in: subscription)
            }
        case .removed:
            for subscription in ofSource { subscription.connection.session.drop(event.source, from: subscription) }
        case .added:
            for subscription in toAll { subscription.connection.session.show(event.source, in: subscription) }
        case .changed:
            authorizeAgain(event.source)
        case .element, .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .state, .fault:
            break
        }
    }

    /// Each is told the whole state, or how it differs from the one that it has.
    private func deliver(_ revision: ReactorRevision, _ event: HostEvent, to subscriptions: [Subscription]) {
        // Of many in a row the oldest may be gone: the newest counts.
        guard let content = revision.content else { return }
        let source = ObjectIdentifier(event.source)
        let whole = encoder.encode(event, revision, content, asPatch: false)
        var patch: EncodedEvent?
        for subscription in subscriptions where subscription.carries(whole) {
            let before = subscription.revisions.updateValue(revision.number, forKey: source)
            if subscription.wantsPatches, content.patch != nil, let before, before + 1 == revision.number {
                let encoded = patch ?? encoder.encode(event, revision, content, asPatch: true)
                patch = encoded
                subscription.connection.send(encoded, of: subscription)
            } else {
                subscription.connection.send(whole, of: subscription)
            }
        }
        revision.drop()
    }

    /// The log had no room for all that happened: everyone reads on from what the actions keep.
    private func catchUp(from cursor: UInt64) {
        for connection in connections.values {
            for subscription in connection.session.subscriptions.values where subscription.position == nil {
                subscription.beginReplay(at: host.log.positionAtSkip(subscription.source, before: cursor))
                connection.replay(subscription)
            }
        }
        host.log.goOn()
    }

    /// Ends the subscriptions, and the waiting, of those who may not have them any more.
    private func authorizeAgain(_ source: Hosted) {
        for connection in connections.values {
            connection.session.authorizeWaits(again: source)
            for subscription in connection.session.subscriptions.values where subscription.reads(source) {
                connection.session.authorizeAgain(subscription, source)
            }
        }
        for subscription in subscriptions.ofAll(like: source) {
            subscription.connection.session.show(source, in: subscription)
        }
    }

    // MARK: Bytes of users

    /// A connection has so many bytes more, or fewer, waiting for its peer.
    ///
    /// - Returns: whether its user has too many now.
    func account(_ change: Int, to uid: UInt32) -> Bool {
        let bytes = waitingBytesByUser[uid, default: 0] + change
        waitingBytesByUser[uid] = bytes == 0 ? nil : bytes
        return bytes > limits.bytesPerUid
    }

    // MARK: Stopping

    /// Ends every subscription, answers what can be answered, and closes each connection; then calls `whenStopped` on
    /// the loop. The host is expected to have stopped, so that executions have ended.
    public func stop(whenStopped: @escaping () -> Void) {
        isStopping = true
        self.whenStopped = whenStopped
        deliverEvents()
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

/// Why a configuration was not taken: every fault, a line each.
public struct ReloadFailure: Error, Sendable {
    public let faults: [String]

    public init(faults: [String]) {
        self.faults = faults
    }
}

extension Connection: TurnEnd {
    func turnEnded() { flush() }
}

extension EndReason {
    /// How the stream of an execution ends; nil while it goes on.
    init?(_ state: ExecutionState) {
        switch state {
        case .queued, .executing: return nil
        case .completed: self = .completed
        case .failed, .interrupted: self = .failed
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        }
    }
}
