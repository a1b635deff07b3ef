internal import JSONRPC
package import RxJSON
package import RxLoop
internal import RxProtocol

/// The way to the daemon: a connection, or the search for the next one. On the loop's thread only.
///
/// Without a connection requests wait, and after a loss streams continue where they stopped. `Client` and `rxctl` share
/// it: whatever reconnects to a daemon does it here.
// @unchecked Sendable: `Client` and its streams carry the reference across threads and touch it on the loop alone.
package final class Link: @unchecked Sendable {
    /// How often a harmless request is sent again after its connection was lost: it may be the one that kills the daemon.
    static let mostRepetitions = 3

    private enum State {
        case connected(Connection)
        case waiting(Timer, because: ClientError)
        case closed(ClientError)
    }

    /// Called when a connection is lost and the search for the next one begins; not for its failed attempts.
    package var onLoss: (ClientError) -> Void = { _ in }
    /// Called once when the link has ended for another reason than `close`, after all requests and streams.
    package var onClose: (ClientError) -> Void = { _ in }
    /// While set, incoming bytes stay in the kernel, over this connection and later ones.
    package var isReadingPaused = false {
        didSet {
            guard case .connected(let connection) = state else { return }
            if isReadingPaused { connection.pauseReading() } else { connection.resumeReading() }
        }
    }

    private let path: () -> String
    private let loop: EventLoop
    private let policy: Reconnecting?
    private let streams: LinkStreams
    private var state: State
    /// Attempts since the daemon has last answered.
    private var failures = 0
    private var waiting = WaitingRequests()

    /// Connects at once; throws `.unreachable`.
    ///
    /// - Parameters:
    ///   - path: the daemon's socket, resolved anew for each connection.
    ///   - policy: how to find the daemon again; nil makes the first connection the last one.
    package init(
        path: @escaping () -> String, loop: EventLoop, policy: Reconnecting?
    ) throws(ClientError) {
        self.path = path
        self.loop = loop
        self.policy = policy
        streams = LinkStreams(reconnects: policy != nil)
        let connection = try Connection(path: path(), loop: loop)
        state = .connected(connection)
        watch(connection)
    }

    /// How many requests wait for a connection.
    var waitingCount: Int { waiting.count }

    /// How many streams are open, or will be again.
    var streamCount: Int { streams.count }

    /// Whether there is no connection at present.
    var isWaiting: Bool {
        switch state {
        case .waiting: true
        case .connected, .closed: false
        }
    }

    /// Closes for good; what is pending fails with `.closed`.
    package func close() {
        onClose = { _ in }
        fail(.closed(errno: 0))
    }

    // MARK: Requests

    /// Calls any method, with `params` as they stand.
    ///
    /// - Parameter isRepeatable: whether the request is sent again if its connection is lost before the reply.
    @discardableResult
    package func call(
        _ method: String, _ params: RawJSON? = nil, isRepeatable: Bool = false,
        completion: @escaping (Connection.Reply) -> Void
    ) -> OutgoingRequest {
        let request = OutgoingRequest(bytes: params?.utf8.count ?? 0, isRepeatable: isRepeatable) {
            $0.call(method, params, completion: $1)
        } completion: {
            completion($0)
        }
        submit(request)
        return request
    }

    /// Opens a stream. `completion` is called once, with the daemon's reply; the events go to `deliver` afterwards.
    @discardableResult
    package func open(
        _ origin: FollowedStream.Origin, options: FollowedStream.Options = FollowedStream.Options(),
        deliver: @escaping (LinkDelivery) -> Void, completion: @escaping (Connection.Reply) -> Void
    ) -> FollowedStream {
        let stream = FollowedStream(
            number: streams.nextNumber(), origin: origin, options: options, deliver: deliver)
        let (method, params, isHarmless) =
            switch origin {
            case .subscription(let request): ("subscribe", request.params(subscription: stream.name), true)
            case .execution(let request): ("action.execute", request.params(stream: stream.name), request.key != nil)
            }
        let request = OutgoingRequest(
            bytes: params.utf8.count, isRepeatable: isHarmless && options.repeatsOpening, opensStream: true
        ) { [weak self] connection, completion in
            connection.open(
                method, params, name: stream.name,
                onEvent: { [unowned connection] in self?.streams.receive($0, for: stream, over: connection) },
                completion)
        } completion: { [weak self] reply in
            stream.opening = nil
            if case .success(let result) = reply { self?.streams.opened(stream, result) }
            completion(reply)
        }
        stream.opening = request
        submit(request)
        return stream
    }

    /// Completes a request with `.cancelled`. If it was sent, it may be carried out all the same.
    func abandon(_ request: OutgoingRequest) {
        request.isAbandoned = true
        switch request.state {
        case .made, .settled: break
        case .waiting:
            waiting.remove(request)
            request.settle(.failure(.cancelled))
        case .sent(let connection, let call):
            if !request.opensStream { connection.abandon(call) }
        }
    }

    private func submit(_ request: OutgoingRequest) {
        switch state {
        case .connected(let connection): send(request, over: connection)
        case .waiting(_, let reason): wait(request, because: reason)
        case .closed(let reason): request.settle(.failure(reason))
        }
    }

    private func send(_ request: OutgoingRequest, over connection: Connection) {
        request.sendings += 1
        let call = request.send(connection) { [weak self, unowned connection] reply in
            self?.answered(request, over: connection, reply)
        }
        request.state = .sent(connection, call)
    }

    private func answered(_ request: OutgoingRequest, over connection: Connection, _ reply: Connection.Reply) {
        if case .failure(let reason) = reply, connection.isClosed, case .connected = state, policy != nil,
            request.isRepeatable, !request.isAbandoned, request.sendings <= Link.mostRepetitions
        {
            wait(request, because: reason)
        } else {
            request.settle(reply)
        }
    }

    private func wait(_ request: OutgoingRequest, because reason: ClientError) {
        guard let policy, waiting.hasRoom(for: request) else {
            return request.settle(.failure(.congested(unsentBytes: waiting.bytes)))
        }
        waiting.append(request)
        let timer = loop.schedule(after: policy.patience) { [weak self] in self?.giveUp(request, reason) }
        request.state = .waiting(timer)
    }

    /// A request has waited for as long as the policy allows.
    private func giveUp(_ request: OutgoingRequest, _ firstReason: ClientError) {
        waiting.remove(request)
        if case .waiting(_, let reason) = state {
            request.settle(.failure(reason))
        } else {
            request.settle(.failure(firstReason))
        }
    }

    // MARK: Streams

    /// Ends a stream. Its `end` event follows if there is a connection, otherwise `finished`.
    package func unsubscribe(_ stream: FollowedStream, completion: @escaping (Connection.Reply) -> Void = { _ in }) {
        if let opening = stream.opening {
            // The daemon reads requests in order, so it knows the stream by then.
            if case .sent(let connection, _) = opening.state {
                return connection.unsubscribe(stream.name, completion: completion)
            }
            abandon(opening)
            return completion(.success(.emptyObject))
        }
        guard streams.contains(stream) else {
            return completion(.failure(.refused(.noStream(stream.name))))
        }
        stream.isLeaving = true
        if case .connected(let connection) = state {
            connection.unsubscribe(stream.name, completion: completion)
        } else {
            streams.finish(stream)
            completion(.success(.emptyObject))
        }
    }

    /// Stops delivering a stream. With `staying` the execution that it was opened with goes on.
    func letGo(_ stream: FollowedStream, staying: Bool) {
        guard streams.remove(stream), case .connected(let connection) = state else { return }
        if staying, !stream.isSubscription {
            connection.ignore(stream.name)
        } else {
            connection.unsubscribe(stream.name)
        }
    }

    // MARK: Connections

    private func watch(_ connection: Connection) {
        connection.onClose = { [weak self, unowned connection] reason in
            self?.lost(connection, reason)
        }
        if isReadingPaused { connection.pauseReading() }
    }

    private func lost(_ connection: Connection, _ reason: ClientError) {
        guard case .connected(let current) = state, current === connection else { return }
        if connection.hasAnswered { failures = 0 }
        // A peer that speaks another protocol will not learn this one.
        if case .protocolViolation = reason { return fail(reason) }
        if policy != nil, failures == 0 { onLoss(reason) }
        reconnect(after: reason)
    }

    private func reconnect(after reason: ClientError) {
        // The reader of a loss may have closed the link.
        if case .closed = state { return }
        guard let policy, failures < policy.attempts ?? .max else { return fail(reason) }
        let timer = loop.schedule(after: policy.delay(after: failures)) { [weak self] in self?.connect() }
        failures += 1
        state = .waiting(timer, because: reason)
    }

    private func connect() {
        let connection: Connection
        do {
            connection = try Connection(path: path(), loop: loop)
        } catch {
            return reconnect(after: error)
        }
        state = .connected(connection)
        watch(connection)
        streams.reopen(over: connection)
        for request in waiting.takeAll() {
            if case .waiting(let timer) = request.state { timer.cancel() }
            request.state = .made
            submit(request)
        }
    }

    private func fail(_ reason: ClientError) {
        let last = state
        state = .closed(reason)
        switch last {
        case .closed: return
        case .connected(let connection): connection.close()
        case .waiting(let timer, _): timer.cancel()
        }
        for request in waiting.takeAll() { request.settle(.failure(reason)) }
        streams.failAll(reason)
        onClose(reason)
    }
}

extension RPCError {
    fileprivate static func noStream(_ name: String) -> RPCError {
        RPCError(.notFound, message: "the stream has ended") { $0.field("subscription", name) }
    }
}
