internal import JSONRPC
package import RxJSON
package import RxLoop
package import RxProtocol

/// The way to the daemon: a connection, or the search for the next one. On the loop's thread only.
///
/// Without a connection requests wait, and after a loss streams continue where they stopped. `Client` and `rxctl` share
/// it: whatever reconnects to a daemon does it here.
// @unchecked Sendable: `Client` and its streams carry the reference across threads and touch it on the loop alone.
package final class Link: @unchecked Sendable {
    /// How often a harmless request is sent again after its connection was lost: it may be the one that kills the
    /// daemon.
    static let mostRepetitions = 3

    /// Called when a connection is lost and the search for the next one begins; not for failed attempts.
    package var onLoss: (ClientError) -> Void {
        get { reconnector.onLoss }
        set { reconnector.onLoss = newValue }
    }
    /// Called once when the link has ended for another reason than `close`, after all requests and streams.
    package var onClose: (ClientError) -> Void = { _ in }
    /// While set, incoming bytes stay in the kernel, over this connection and later ones.
    package var isReadingPaused: Bool {
        get { reconnector.isReadingPaused }
        set { reconnector.isReadingPaused = newValue }
    }

    private let loop: EventLoop
    private let policy: Reconnecting?
    private let reconnector: Reconnector
    private let streams: LinkStreams
    private var waiting = WaitingRequests()

    /// Connects at once; throws `.unreachable`.
    ///
    /// - Parameters:
    ///   - path: the daemon's socket, resolved anew for each connection.
    ///   - policy: how to find the daemon again; nil makes the first connection the last one.
    package init(
        path: @escaping () -> String, loop: EventLoop, policy: Reconnecting?
    ) throws(ClientError) {
        self.loop = loop
        self.policy = policy
        streams = LinkStreams(reconnects: policy != nil)
        reconnector = try Reconnector(path: path, loop: loop, policy: policy)
        reconnector.onConnect = { [weak self] in self?.resume(over: $0) }
        reconnector.onClose = { [weak self] in self?.closed($0) }
    }

    /// How many requests wait for a connection.
    var waitingCount: Int { waiting.count }

    /// How many streams are open, or will be again.
    var streamCount: Int { streams.count }

    /// Whether there is no connection at present.
    var isWaiting: Bool {
        switch reconnector.state {
        case .waiting: true
        case .connected, .closed: false
        }
    }

    /// Closes for good; what is pending fails with `.closed`.
    package func close() {
        onClose = { _ in }
        reconnector.close(because: .closed(errno: 0))
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

    /// Sends a request for a method that this release knows.
    @discardableResult
    package func call(
        _ method: Method, _ params: RawJSON? = nil, completion: @escaping (Connection.Reply) -> Void
    ) -> OutgoingRequest {
        call(method.rawValue, params, completion: completion)
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
            case .subscription(let request): (Method.subscribe, request.params(subscription: stream.name), true)
            case .execution(let request): (.actionExecute, request.params(stream: stream.name), request.key != nil)
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
        switch reconnector.state {
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
        if case .failure(let reason) = reply, connection.isClosed, case .connected = reconnector.state, policy != nil,
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
        if case .waiting(_, let reason) = reconnector.state {
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
        if let connection = reconnector.connection {
            connection.unsubscribe(stream.name, completion: completion)
        } else {
            streams.finish(stream)
            completion(.success(.emptyObject))
        }
    }

    /// Stops delivering a stream. With `staying` the execution that it was opened with goes on.
    func letGo(_ stream: FollowedStream, staying: Bool) {
        guard streams.remove(stream), let connection = reconnector.connection else { return }
        if staying, !stream.isSubscription {
            connection.ignore(stream.name)
        } else {
            connection.unsubscribe(stream.name)
        }
    }

    // MARK: Connections

    private func resume(over connection: Connection) {
        streams.reopen(over: connection)
        for request in waiting.takeAll() {
            if case .waiting(let timer) = request.state { timer.cancel() }
            request.state = .made
            submit(request)
        }
    }

    private func closed(_ reason: ClientError) {
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
