internal import Glibc
public import RxJSON
internal import UnixSocket

/// A connection to the daemon for programs with async/await; safe to use from any task.
///
/// Requests are sent in the order in which they are made, without waiting for each other's replies. The connection is
/// closed by `close`, or when the client and all its streams are let go.
public final class Client: Sendable {
    private let loop: EventLoop
    private let connection: Connection

    /// Connects to the daemon at `path`; throws `.unreachable`.
    public static func connect(path: String) async throws(ClientError) -> Client {
        let loop: EventLoop
        do {
            loop = try EventLoop()
        } catch {
            throw .unreachable(path: path, errno: error.errno ?? ENAMETOOLONG)
        }
        loop.start(name: "rx-client")
        let result: Result<Connection, ClientError> = await withCheckedContinuation { continuation in
            loop.execute {
                continuation.resume(
                    returning: Result { () throws(ClientError) in try Connection(path: path, loop: loop) })
            }
        }
        do {
            return Client(loop: loop, connection: try result.get())
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
    }

    private init(loop: EventLoop, connection: Connection) {
        self.loop = loop
        self.connection = connection
    }

    deinit {
        loop.execute { [connection] in connection.close() }
        loop.stop()
        // A matter of microseconds: nothing on this loop calls out or waits.
        if !loop.isOnLoop { loop.join() }
    }

    /// Any method: its result, or what it was refused with. `params` is an object or an array.
    public func call(_ method: String, _ params: RawJSON? = nil) async throws(ClientError) -> RawJSON {
        try await ask { connection, completion in
            connection.call(method, params, completion: completion)
        }
    }

    /// Executes an action and waits for its end: `{"execution":…,"elements":[…],"truncated":…}`.
    public func execute(_ request: ExecuteRequest) async throws(ClientError) -> RawJSON {
        try await call("action.execute", request.params(stream: nil))
    }

    /// Executes an action and returns as soon as it is started; its events, none missed, are in the stream.
    public func stream(_ request: ExecuteRequest) async throws(ClientError) -> EventStream {
        try await open { connection, onEvent, completion in
            connection.execute(request, onEvent: onEvent, completion: completion)
        }
    }

    /// Subscribes to actions; the snapshot is in the stream's `reply`.
    public func subscribe(_ request: SubscribeRequest) async throws(ClientError) -> EventStream {
        try await open { connection, onEvent, completion in
            connection.subscribe(request, onEvent: onEvent, completion: completion)
        }
    }

    /// Closes; what is pending fails with `.closed`, and so does whatever is asked afterwards.
    public func close() {
        perform { $0.close() }
    }
}

extension Client {
    /// Runs `body` on the loop, in the order of the calls.
    func perform(_ body: @escaping @Sendable (Connection) -> Void) {
        loop.execute { [connection] in body(connection) }
    }

    /// Sends one request and waits for its reply; a cancelled task stops waiting.
    func ask(
        _ send: @escaping @Sendable (Connection, @escaping (Connection.Reply) -> Void) -> Connection.PendingCall?
    ) async throws(ClientError) -> RawJSON {
        let question = Question()
        let reply: Connection.Reply = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                perform { connection in
                    guard !question.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                    question.call = send(connection) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            perform { connection in
                question.isCancelled = true
                question.call.map(connection.abandon)
            }
        }
        return try reply.get()
    }

    private func open(
        _ send:
            @escaping @Sendable (
                Connection, @escaping (StreamDelivery) -> Void, @escaping (Connection.Reply) -> Void
            ) -> String
    ) async throws(ClientError) -> EventStream {
        let mailbox = Mailbox()
        let name = Question()
        let reply = try await ask { connection, completion in
            name.stream = send(connection, mailbox.receive, completion)
            return nil
        }
        return EventStream(name: name.stream, reply: reply, mailbox: mailbox, client: self)
    }
}

/// What is known of a request while its task waits; on the loop's thread until the reply is there.
// @unchecked Sendable: written on the loop, and read elsewhere only after the reply has come from there.
private final class Question: @unchecked Sendable {
    var call: Connection.PendingCall?
    var isCancelled = false
    var stream = ""
}
