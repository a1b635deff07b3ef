internal import JSONRPC
public import RxJSON
internal import RxProtocol
public import RxLoop

/// One connection to the daemon, used on its loop's thread only.
///
/// Every request is answered exactly once, at the latest with `.closed` when the connection ends. Every stream ends
/// exactly once as well.
// @unchecked Sendable: all state belongs to the loop's thread; `Client` carries references across threads and touches
// them on the loop alone.
public final class Connection: @unchecked Sendable {
    /// The result of a request, or the reason why there is none.
    public typealias Reply = Result<RawJSON, ClientError>

    /// A request that waits for its reply; for `abandon`.
    public struct PendingCall: Sendable, Hashable {
        let id: Int
    }

    /// Longest line that the daemon may send, in bytes. A reply of `execute` without a stream holds up to
    /// `Limits.elementsPerReply` elements, so it may be much longer than a request.
    public static let longestLine = 64 << 20
    /// Most bytes that wait for a daemon that does not read, before requests fail with `.congested`.
    public static let mostUnsentBytes = 4 << 20

    private enum State {
        case open
        case closed(ClientError)
    }

    /// Called once when the connection has ended, after every pending reply and stream has been completed.
    public var onClose: ((ClientError) -> Void)?

    private let loop: EventLoop
    private let channel: MessageChannel
    private var state = State.open
    private var lastStream = 0
    private var pending = PendingCalls()
    private var streams: [String: (StreamDelivery) -> Void] = [:]
    /// Whether a request was ever answered with a result, which shows that a daemon serves the socket.
    private(set) var hasAnswered = false

    /// Whether the connection has ended; requests fail at once then.
    public var isClosed: Bool {
        switch state {
        case .open: false
        case .closed: true
        }
    }

    /// Whether no reply and no event is expected.
    var isIdle: Bool { pending.isEmpty && streams.isEmpty }

    /// Connects to the daemon at `path`; throws `.unreachable`.
    public init(path: String, loop: EventLoop) throws(ClientError) {
        self.loop = loop
        channel = try MessageChannel(path: path, loop: loop)
        channel.onMessage = { [weak self] in self?.receive($0) }
        channel.onClose = { [weak self] in self?.close(because: $0) }
    }

    /// Sends a request. `params` is an object or an array; nil sends none.
    @discardableResult
    public func call(
        _ method: String, _ params: RawJSON? = nil, completion: @escaping (Reply) -> Void
    ) -> PendingCall {
        send(method, params, stream: nil, completion)
    }

    /// Executes an action and follows it: the reply names the execution, its events follow, `end` last.
    ///
    /// - Returns: the stream's name, for `unsubscribe`.
    @discardableResult
    public func execute(
        _ request: ExecuteRequest, onEvent: @escaping (StreamDelivery) -> Void, completion: @escaping (Reply) -> Void
    ) -> String {
        open(.actionExecute, { request.params(stream: $0) }, onEvent, completion)
    }

    /// Subscribes: the reply has the snapshot and its cursor, the events after that cursor follow.
    ///
    /// - Returns: the stream's name, for `unsubscribe`.
    @discardableResult
    public func subscribe(
        _ request: SubscribeRequest, onEvent: @escaping (StreamDelivery) -> Void, completion: @escaping (Reply) -> Void
    ) -> String {
        open(.subscribe, { request.params(subscription: $0) }, onEvent, completion)
    }

    /// Ends a stream; its `end` event follows. A stream that `execute` opened withdraws from the execution.
    public func unsubscribe(_ stream: String, completion: @escaping (Reply) -> Void = { _ in }) {
        var writer = JSONWriter()
        writer.object { $0.field("subscription", stream) }
        call(Method.unsubscribe.rawValue, RawJSON(unchecked: writer.bytes), completion: completion)
    }

    /// Completes a request with `.cancelled` and ignores its reply. The daemon carries it out all the same.
    public func abandon(_ call: PendingCall) {
        pending.take(call.id)?.completion(.failure(.cancelled))
    }

    /// Leaves incoming bytes in the kernel until `resumeReading`, so that the daemon notices a slow reader.
    public func pauseReading() { channel.pauseReading() }

    /// Takes back `pauseReading`.
    public func resumeReading() { channel.resumeReading() }

    /// Closes the connection; what is pending fails with `.closed`.
    public func close() {
        close(because: .closed(errno: 0))
    }

    private func close(because reason: ClientError) {
        guard case .open = state else { return }
        state = .closed(reason)
        channel.close()
        let (calls, streams, onClose) = (pending.takeAll(), self.streams, self.onClose)
        self.streams = [:]
        self.onClose = nil
        for call in calls { call.completion(.failure(reason)) }
        for stream in streams.values { stream(.lost(reason)) }
        onClose?(reason)
    }

    // MARK: Sending

    /// Opens a stream under a fresh name.
    private func open(
        _ method: Method, _ params: (String) -> RawJSON, _ onEvent: @escaping (StreamDelivery) -> Void,
        _ completion: @escaping (Reply) -> Void
    ) -> String {
        lastStream += 1
        let name = "s\(lastStream)"
        open(method, params(name), name: name, onEvent: onEvent, completion)
        return name
    }

    /// Opens a stream under a name that the caller chooses; a connection is used either with this or with fresh names.
    ///
    /// The handler is in place before the request leaves.
    @discardableResult
    func open(
        _ method: Method, _ params: RawJSON, name: String, onEvent: @escaping (StreamDelivery) -> Void,
        _ completion: @escaping (Reply) -> Void
    ) -> PendingCall {
        streams[name] = onEvent
        return send(method.rawValue, params, stream: name, completion)
    }

    /// Drops the events of a stream from now on, without a request to the daemon.
    func ignore(_ stream: String) {
        streams[stream] = nil
    }

    private func send(
        _ method: String, _ params: RawJSON?, stream: String?, _ completion: @escaping (Reply) -> Void
    ) -> PendingCall {
        let call = pending.add(PendingCalls.Call(completion: completion, stream: stream))
        switch state {
        case .closed(let reason): fail(call, reason)
        case .open:
            do throws(ClientError) {
                try channel.send(RequestID(call.id), method, params)
            } catch {
                fail(call, error)
            }
        }
        return call
    }

    /// Completes a request that was not sent, but not before the caller has returned.
    private func fail(_ call: PendingCall, _ reason: ClientError) {
        loop.execute { [self] in
            settle(call.id, .failure(reason))
        }
    }

    // MARK: Receiving

    private func receive(_ message: Incoming) {
        switch message {
        case .response(let id, let result):
            guard let id = Int(id.text) else { return }
            settle(id, .success(result.rawJSON))
        case .failure(let id, let error):
            // An error without an id is about the connection itself: too many of them, or an unreadable line. It does
            // not identify the request that was lost.
            guard let id, let number = Int(id.text) else { return close(because: .refused(error)) }
            settle(number, .failure(.refused(error)))
        case .request(let request):
            guard request.id == nil, request.method == "event", let params = request.params,
                let event = StreamEvent(params)
            else { return }
            deliver(event)
        case .batch(let messages):
            messages.forEach(receive)
        case .invalid(let id, let fault):
            guard let number = Int(id.text), pending.contains(number) else {
                return close(because: .protocolViolation(fault.message))
            }
            settle(number, .failure(.protocolViolation(fault.message)))
        case .ignored:
            break
        }
    }

    private func settle(_ id: Int, _ reply: Reply) {
        guard let call = pending.take(id) else { return }
        switch reply {
        case .success: hasAnswered = true
        case .failure: if let stream = call.stream { streams[stream] = nil }
        }
        call.completion(reply)
    }

    private func deliver(_ event: StreamEvent) {
        guard let handler = streams[event.subscription] else { return }
        if event.channel == .end {
            streams[event.subscription] = nil
        }
        handler(.event(event))
    }
}

/// What the handler of a stream receives: events in order, and nothing after `end` or `lost`.
public enum StreamDelivery: Sendable {
    /// An event of the stream; one on the channel `end` is the last.
    case event(StreamEvent)
    /// The connection ended before the stream did.
    case lost(ClientError)
}
