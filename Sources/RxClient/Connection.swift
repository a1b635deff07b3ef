internal import Glibc
internal import JSONRPC
public import RxJSON
internal import RxProtocol
public import RxLoop
public import UnixSocket

/// One connection to the daemon, used on its loop's thread only.
///
/// Every request is answered exactly once, at the latest by `.closed` when the connection goes; so is every stream.
// @unchecked Sendable: all state belongs to the loop's thread; `Client` carries references across threads and touches
// them on the loop alone.
public final class Connection: @unchecked Sendable {
    public typealias Reply = Result<RawJSON, ClientError>

    /// Names one request that waits for its reply.
    public struct PendingCall: Sendable, Hashable {
        let id: Int
    }

    /// Longest line the daemon may send. A reply of `execute` without a stream holds up to `Limits.elementsPerReply`
    /// elements, so it may be much longer than a request; what goes beyond this is no answer to anything.
    public static let longestLine = 64 << 20
    /// Most bytes waiting to be sent to a daemon that does not read, before requests are refused here.
    public static let mostUnsentBytes = 4 << 20
    /// An event wraps an element in this many levels, and a reply less.
    private static let wrapping = 8

    private enum State {
        case open(Socket)
        case closed(ClientError)
    }

    private struct Pending {
        let completion: (Reply) -> Void
        /// The stream that the request opens, if it does.
        let stream: String?
    }

    /// Called once when the connection is gone, after every pending reply and stream was told.
    public var onClose: ((ClientError) -> Void)?

    private let loop: EventLoop
    private let limits = Limits()
    private let reader: MessageReader
    private var state: State
    private var lastID = 0
    private var lastStream = 0
    private var pending: [Int: Pending] = [:]
    private var streams: [String: (StreamDelivery) -> Void] = [:]
    private var unsent = SendBuffer()
    /// Whether a request was ever carried out: the daemon is more than a socket that accepts.
    private(set) var hasAnswered = false

    public var isClosed: Bool {
        switch state {
        case .open: false
        case .closed: true
        }
    }

    /// Connects to the daemon at `path`.
    public init(path: String, loop: EventLoop) throws(ClientError) {
        let socket: Socket
        do {
            socket = try Socket.connect(path: path, loop: loop)
        } catch {
            throw .unreachable(path: path, errno: error.errno ?? ENAMETOOLONG)
        }
        self.loop = loop
        reader = MessageReader(
            limits: JSONLimits(bytes: Connection.longestLine, depth: limits.depth + Connection.wrapping),
            batch: limits.batch)
        state = .open(socket)
        socket.lineLimit = Connection.longestLine
        socket.delegate = self
    }

    /// Sends a request. `params` is an object or an array; nil sends none.
    @discardableResult
    public func call(
        _ method: String, _ params: RawJSON? = nil, completion: @escaping (Reply) -> Void
    ) -> PendingCall {
        send(method, params, stream: nil, completion)
    }

    /// Executes an action and follows it: the reply names the execution, its events follow, `end` last.
    @discardableResult
    public func execute(
        _ request: ExecuteRequest, onEvent: @escaping (StreamDelivery) -> Void, completion: @escaping (Reply) -> Void
    ) -> String {
        open("action.execute", { request.params(stream: $0) }, onEvent, completion)
    }

    /// Subscribes; the reply has the snapshot and its cursor, the events after it follow.
    @discardableResult
    public func subscribe(
        _ request: SubscribeRequest, onEvent: @escaping (StreamDelivery) -> Void, completion: @escaping (Reply) -> Void
    ) -> String {
        open("subscribe", { request.params(subscription: $0) }, onEvent, completion)
    }

    /// Asks for the end of a stream, which comes as its `end` event. Withdraws from an execution it was opened with.
    public func unsubscribe(_ stream: String, completion: @escaping (Reply) -> Void = { _ in }) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("subscription")
        writer.string(stream)
        writer.endObject()
        call("unsubscribe", RawJSON(unchecked: writer.bytes), completion: completion)
    }

    /// Forgets a request: its reply goes nowhere. The daemon carries it out all the same.
    public func abandon(_ call: PendingCall) {
        guard let pending = pending.removeValue(forKey: call.id) else { return }
        pending.completion(.failure(.cancelled))
    }

    /// Leaves bytes in the kernel until `resumeReading`, so that the daemon notices a reader that is behind.
    public func pauseReading() {
        guard case .open(let socket) = state else { return }
        socket.pauseReading()
    }

    public func resumeReading() {
        guard case .open(let socket) = state else { return }
        socket.resumeReading()
    }

    /// Closes; what is pending fails with `.closed`.
    public func close() {
        close(because: .closed(errno: 0))
    }

    private func close(because reason: ClientError) {
        guard case .open(let socket) = state else { return }
        state = .closed(reason)
        socket.delegate = nil
        socket.close()
        let (pending, streams, onClose) = (self.pending, self.streams, self.onClose)
        self.pending = [:]
        self.streams = [:]
        self.onClose = nil
        for id in pending.keys.sorted() {
            pending[id]?.completion(.failure(reason))
        }
        for stream in streams.values {
            stream(.lost(reason))
        }
        onClose?(reason)
    }
}

// MARK: Sending

extension Connection {
    /// Opens a stream under a fresh name. Its handler is in place before the request leaves.
    private func open(
        _ method: String, _ params: (String) -> RawJSON, _ onEvent: @escaping (StreamDelivery) -> Void,
        _ completion: @escaping (Reply) -> Void
    ) -> String {
        lastStream += 1
        let name = "s\(lastStream)"
        open(method, params(name), name: name, onEvent: onEvent, completion)
        return name
    }

    /// Opens a stream under a name that the caller gives, and only the caller: see `Link`.
    @discardableResult
    func open(
        _ method: String, _ params: RawJSON, name: String, onEvent: @escaping (StreamDelivery) -> Void,
        _ completion: @escaping (Reply) -> Void
    ) -> PendingCall {
        streams[name] = onEvent
        return send(method, params, stream: name, completion)
    }

    /// Lets the events of a stream go nowhere, without a word to the daemon.
    func ignore(_ stream: String) {
        streams[stream] = nil
    }

    @discardableResult
    private func send(
        _ method: String, _ params: RawJSON?, stream: String?, _ completion: @escaping (Reply) -> Void
    ) -> PendingCall {
        lastID += 1
        let call = PendingCall(id: lastID)
        pending[call.id] = Pending(completion: completion, stream: stream)
        switch state {
        case .closed(let reason):
            refuse(call, reason)
        case .open(let socket):
            var writer = JSONWriter()
            MessageWriter.request(RequestID(call.id), method, params: params, into: &writer)
            if writer.bytes.count > limits.lineBytes {
                refuse(call, .tooLarge(bytes: writer.bytes.count, limit: limits.lineBytes))
            } else if unsent.count > Connection.mostUnsentBytes {
                refuse(call, .congested(unsentBytes: unsent.count))
            } else {
                writer.bytes.append(UInt8(ascii: "\n"))
                unsent.append(writer.bytes)
                flush(socket)
            }
        }
        return call
    }

    /// Answers from here, not before the caller has returned.
    private func refuse(_ call: PendingCall, _ reason: ClientError) {
        loop.execute { [self] in
            settle(call.id, .failure(reason))
        }
    }

    private func settle(_ id: Int, _ reply: Reply) {
        guard let pending = pending.removeValue(forKey: id) else { return }
        switch reply {
        case .success: hasAnswered = true
        case .failure: if let stream = pending.stream { streams[stream] = nil }
        }
        pending.completion(reply)
    }

    private func flush(_ socket: Socket) {
        unsent.send(to: socket)
        socket.wantsWritable = !unsent.isEmpty
    }
}

// MARK: Receiving

extension Connection: SocketDelegate {
    public func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer) {
        receive(reader.read(line))
    }

    private func receive(_ message: Incoming) {
        switch message {
        case .response(let id, let result):
            guard let id = Int(id.text) else { return }
            settle(id, .success(result.rawJSON))
        case .failure(let id, let error):
            // An error without a request's id is about the connection itself: too many of them, a line it could not
            // read. Which request was lost then, nobody knows.
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
            guard let number = Int(id.text), pending[number] != nil else {
                return close(because: .protocolViolation(fault.message))
            }
            settle(number, .failure(.protocolViolation(fault.message)))
        case .ignored:
            break
        }
    }

    private func deliver(_ event: StreamEvent) {
        guard let handler = streams[event.subscription] else { return }
        if event.channel == .end {
            streams[event.subscription] = nil
        }
        handler(.event(event))
    }

    public func socketLineTooLong(_ socket: Socket) {
        close(because: .protocolViolation("a line of more than \(Connection.longestLine) bytes"))
    }

    public func socketDidEndInput(_ socket: Socket) {
        close(because: .closed(errno: 0))
    }

    public func socketDidBecomeWritable(_ socket: Socket) {
        flush(socket)
    }

    public func socketDidClose(_ socket: Socket, error: SocketError?) {
        close(because: .closed(errno: error?.errno ?? 0))
    }
}

/// What a stream's handler is given: events in order, and nothing after `end` or `lost`.
public enum StreamDelivery: Sendable {
    case event(StreamEvent)
    case lost(ClientError)
}
