internal import Glibc
internal import JSONRPC
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// A client's way to the daemon: a connection, or the search for the next one. On the loop's thread only.
///
/// Requests that cannot be sent wait here, and streams are opened again where they ended.
// @unchecked Sendable: `Client` and its streams carry the reference across threads and touch it on the loop alone.
final class Link: @unchecked Sendable {
    /// Times that a harmless request is sent again after its connection was lost: it may be the one that ends the daemon.
    static let mostRepetitions = 3
    /// What a waiting request costs beside its bytes, so that the bound on bytes is one on their number too.
    private static let bytesPerRequest = 512

    private enum State {
        case connected(Connection)
        case waiting(Timer, because: ClientError)
        case closed(ClientError)
    }

    private let path: String
    private let loop: EventLoop
    private let policy: Reconnecting?
    private var state: State
    /// Attempts since the daemon has last answered.
    private var failures = 0
    private var waiting: [OutgoingRequest] = []
    private var waitingBytes = 0
    private var streams: [String: FollowedStream] = [:]
    private var lastStream = 0

    /// Connects at once; without a policy the first connection is the last one.
    init(path: String, loop: EventLoop, policy: Reconnecting?) throws(ClientError) {
        self.path = path
        self.loop = loop
        self.policy = policy
        let connection = try Connection(path: path, loop: loop)
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
    func close() {
        fail(.closed(errno: 0))
    }
}

// MARK: Requests

extension Link {
    /// Any method, with `params` as they stand.
    func call(
        _ method: String, _ params: RawJSON?, isRepeatable: Bool, completion: @escaping (Connection.Reply) -> Void
    ) -> OutgoingRequest {
        ask(
            OutgoingRequest(bytes: params?.utf8.count ?? 0, isRepeatable: isRepeatable) { connection, completion in
                connection.call(method, params, completion: completion)
            } completion: {
                completion($0)
            })
    }

    /// Opens a stream whose events go to `mailbox`, from its reply on.
    func open(
        _ origin: FollowedStream.Origin, into mailbox: Mailbox,
        completion: @escaping (FollowedStream, Connection.Reply) -> Void
    ) -> OutgoingRequest {
        lastStream += 1
        let stream = FollowedStream(number: lastStream, origin: origin, mailbox: mailbox)
        let (method, params, isRepeatable) =
            switch origin {
            case .subscription(let request): ("subscribe", request.params(subscription: stream.name), true)
            case .execution(let request): ("action.execute", request.params(stream: stream.name), request.key != nil)
            }
        return ask(
            OutgoingRequest(bytes: params.utf8.count, isRepeatable: isRepeatable, opensStream: true) {
                [weak self] connection, completion in
                connection.open(
                    method, params, name: stream.name, onEvent: { self?.receive($0, for: stream) }, completion)
            } completion: { [weak self] reply in
                if case .success(let result) = reply {
                    stream.opened(result)
                    self?.streams[stream.name] = stream
                }
                completion(stream, reply)
            })
    }

    /// The caller waits no longer. What was sent may be carried out all the same.
    func abandon(_ request: OutgoingRequest) {
        request.isAbandoned = true
        switch request.state {
        case .made, .settled: break
        case .waiting:
            stopWaiting(request)
            request.settle(.failure(.cancelled))
        case .sent(let connection, let call):
            if !request.opensStream { connection.abandon(call) }
        }
    }

    private func ask(_ request: OutgoingRequest) -> OutgoingRequest {
        switch state {
        case .connected(let connection): send(request, over: connection)
        case .waiting(_, let reason): wait(request, because: reason)
        case .closed(let reason): request.settle(.failure(reason))
        }
        return request
    }

    private func send(_ request: OutgoingRequest, over connection: Connection) {
        request.sendings += 1
        let call = request.send(connection) { [weak self] reply in
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
        let cost = request.bytes + Link.bytesPerRequest
        guard let policy, waitingBytes + cost <= Connection.mostUnsentBytes else {
            return request.settle(.failure(.congested(unsentBytes: waitingBytes)))
        }
        waitingBytes += cost
        waiting.append(request)
        let timer = loop.schedule(after: policy.patience) { [weak self] in
            guard let self else { return }
            stopWaiting(request)
            guard case .waiting(_, let reason) = state else { return request.settle(.failure(reason)) }
            request.settle(.failure(reason))
        }
        request.state = .waiting(timer)
    }

    private func stopWaiting(_ request: OutgoingRequest) {
        guard let index = waiting.firstIndex(where: { $0 === request }) else { return }
        waiting.remove(at: index)
        waitingBytes -= request.bytes + Link.bytesPerRequest
    }

    private func takeWaiting() -> [OutgoingRequest] {
        defer { (waiting, waitingBytes) = ([], 0) }
        return waiting
    }
}

// MARK: Streams

extension Link {
    /// Asks for the end of a stream, which comes as its `end` if there is a connection.
    func unsubscribe(_ stream: FollowedStream, completion: @escaping (Connection.Reply) -> Void) {
        guard streams[stream.name] === stream else {
            return completion(.failure(.refused(.noStream(stream.name))))
        }
        stream.isLeaving = true
        if case .connected(let connection) = state {
            connection.unsubscribe(stream.name, completion: completion)
        } else {
            finish(stream)
            completion(.success(.emptyObject))
        }
    }

    /// Nobody reads the stream any more. With `staying` an execution it was opened with goes on.
    func letGo(_ stream: FollowedStream, staying: Bool) {
        guard streams.removeValue(forKey: stream.name) != nil, case .connected(let connection) = state else { return }
        if staying, !stream.isSubscription {
            connection.ignore(stream.name)
        } else {
            connection.unsubscribe(stream.name)
        }
    }

    private func receive(_ delivery: StreamDelivery, for stream: FollowedStream) {
        // Not before its opening was answered, which is whoever asked's business, and not after it was let go.
        guard streams[stream.name] === stream else { return }
        switch delivery {
        case .lost(let reason):
            if stream.isLeaving {
                finish(stream)
            } else if policy != nil, stream.progress != nil {
                stream.progress?.lost()
            } else {
                fail(stream, reason)
            }
        case .event(let event):
            stream.progress?.take(event)
            if event.channel == .end {
                // The daemon stops, and what was not withdrawn with it goes on when it is back.
                if event.endReason == .shutdown, policy != nil, stream.progress != nil, !stream.isLeaving {
                    stream.progress?.lost()
                    return
                }
                streams[stream.name] = nil
            }
            stream.mailbox.receive(.event(event))
        }
    }

    private func reopen(_ stream: FollowedStream, over connection: Connection) {
        guard let progress = stream.progress else { return }
        _ = connection.open(
            "subscribe", progress.next.params(subscription: stream.name), name: stream.name,
            onEvent: { [weak self] in self?.receive($0, for: stream) }
        ) { [weak self] reply in
            self?.reopened(stream, over: connection, reply)
        }
    }

    private func reopened(_ stream: FollowedStream, over connection: Connection, _ reply: Connection.Reply) {
        guard streams[stream.name] === stream else { return }
        switch reply {
        case .success(let result):
            stream.reopened(result)
        case .failure(let reason):
            // Lost once more: the next connection will do.
            if connection.isClosed { return }
            guard case .refused(let error) = reason else { return fail(stream, reason) }
            if error.errorCode == .cursorExpired, stream.progress?.isExpired == false {
                stream.progress?.expired()
                reopen(stream, over: connection)
            } else if error.errorCode == .shuttingDown {
                // So it will close this connection.
                return
            } else {
                fail(stream, reason)
            }
        }
    }

    private func fail(_ stream: FollowedStream, _ reason: ClientError) {
        streams[stream.name] = nil
        stream.mailbox.receive(.lost(reason))
    }

    private func finish(_ stream: FollowedStream) {
        streams[stream.name] = nil
        stream.mailbox.finish()
    }
}

// MARK: Connections

extension Link {
    private func watch(_ connection: Connection) {
        connection.onClose = { [weak self, unowned connection] reason in
            self?.lost(connection, reason)
        }
    }

    private func lost(_ connection: Connection, _ reason: ClientError) {
        guard case .connected(let current) = state, current === connection else { return }
        if connection.hasAnswered { failures = 0 }
        // Whoever speaks another protocol will not learn ours.
        if case .protocolViolation = reason { return fail(reason) }
        reconnect(after: reason)
    }

    private func reconnect(after reason: ClientError) {
        guard let policy, failures < policy.attempts ?? .max else { return fail(reason) }
        let timer = loop.schedule(after: policy.delay(after: failures)) { [weak self] in self?.connect() }
        failures += 1
        state = .waiting(timer, because: reason)
    }

    private func connect() {
        let connection: Connection
        do {
            connection = try Connection(path: path, loop: loop)
        } catch {
            return reconnect(after: error)
        }
        state = .connected(connection)
        watch(connection)
        for stream in streams.values.sorted(by: { $0.number < $1.number }) {
            reopen(stream, over: connection)
        }
        for request in takeWaiting() {
            if case .waiting(let timer) = request.state { timer.cancel() }
            request.state = .made
            _ = ask(request)
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
        for request in takeWaiting() { request.settle(.failure(reason)) }
        for stream in streams.values.sorted(by: { $0.number < $1.number }) {
            fail(stream, reason)
        }
    }
}

extension RPCError {
    fileprivate static func noStream(_ name: String) -> RPCError {
        RPCError(.notFound, message: "the stream has ended") { $0.field("subscription", name) }
    }
}
