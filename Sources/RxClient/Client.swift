internal import Glibc
internal import JSONRPC
public import RxJSON
internal import RxLoop

/// A connection to the daemon for programs with async/await or Rx; safe to use from any task.
///
/// Requests are sent in the order in which they are made, without waiting for each other's replies. A client that
/// reconnects outlives its daemon:
///
/// - Streams go on where they ended, and tell of a `gap` if they cannot. So does an execution that was to be left running
///   (`onDisconnect: .detach`); one that the daemon withdraws with its connection fails with `.closed`.
/// - Calls in flight fail with `.closed`, and may have been carried out; an execution with a `key` is asked for again,
///   since the key makes that harmless, and so is a subscription.
/// - Calls made in between wait for the next connection, for as long as `Reconnecting.patience`, and fail as the last
///   attempt did. Four megabytes of them wait at most; further ones are refused with `.congested`.
///
/// The client is closed by `close`, by giving up, or when it and all its streams are let go.
public final class Client: Sendable {
    private let loop: EventLoop
    private let link: Link

    /// Connects to the daemon at `path`; throws `.unreachable`, also if it is to reconnect later: a wrong path is told at once.
    ///
    /// - Parameter reconnecting: what to do when the connection is lost; nil: nothing, the client is closed by that.
    public static func connect(path: String, reconnecting: Reconnecting? = nil) async throws(ClientError) -> Client {
        let loop: EventLoop
        do {
            loop = try EventLoop()
        } catch {
            throw .unreachable(path: path, errno: error.errno)
        }
        loop.start(name: "rx-client")
        let result: Result<Link, ClientError> = await withCheckedContinuation { continuation in
            loop.execute {
                continuation.resume(
                    returning: Result { () throws(ClientError) in
                        try Link(path: path, loop: loop, policy: reconnecting)
                    })
            }
        }
        do {
            return Client(loop: loop, link: try result.get())
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
    }

    private init(loop: EventLoop, link: Link) {
        self.loop = loop
        self.link = link
    }

    deinit {
        loop.execute { [link] in link.close() }
        loop.stop()
        // A matter of microseconds: nothing on this loop calls out or waits.
        if !loop.isOnLoop { loop.join() }
    }

    /// Any method: its result, or what it was refused with. `params` is an object or an array.
    public func call(_ method: String, _ params: RawJSON? = nil) async throws(ClientError) -> RawJSON {
        try await call(method, params, isRepeatable: false)
    }

    /// Executes an action and waits for its end: `{"execution":…,"elements":[…],"truncated":…}`.
    public func execute(_ request: ExecuteRequest) async throws(ClientError) -> RawJSON {
        try await call("action.execute", request.params(stream: nil), isRepeatable: request.key != nil)
    }

    /// Executes an action and returns as soon as it is started; its events, none missed, are in the stream.
    public func stream(_ request: ExecuteRequest) async throws(ClientError) -> EventStream {
        try await open(.execution(request), leavesExecution: false)
    }

    /// Subscribes to actions or executions; the snapshot is in the stream's `reply`.
    public func subscribe(_ request: SubscribeRequest) async throws(ClientError) -> EventStream {
        try await open(.subscription(request), leavesExecution: false)
    }

    /// Closes; what is pending fails with `.closed`, and so does whatever is asked afterwards.
    public func close() {
        perform { $0.close() }
    }
}

extension Client {
    /// Runs `body` on the loop, in the order of the calls.
    func perform(_ body: @escaping @Sendable (Link) -> Void) {
        loop.execute { [link] in body(link) }
    }

    func open(_ origin: FollowedStream.Origin, leavesExecution: Bool) async throws(ClientError) -> EventStream {
        let opened = Question()
        let reply = try await ask { link, completion in
            link.open(origin, into: Mailbox()) { stream, reply in
                opened.stream = stream
                completion(reply)
            }
        }
        // Set before the reply was told.
        return EventStream(opened.stream!, reply: reply, leavesExecution: leavesExecution, client: self)
    }

    private func call(_ method: String, _ params: RawJSON?, isRepeatable: Bool) async throws(ClientError) -> RawJSON {
        try await ask { link, completion in
            link.call(method, params, isRepeatable: isRepeatable, completion: completion)
        }
    }

    /// Makes one request and waits for its reply; a cancelled task stops waiting.
    private func ask(
        _ make: @escaping @Sendable (Link, @escaping (Connection.Reply) -> Void) -> OutgoingRequest
    ) async throws(ClientError) -> RawJSON {
        let question = Question()
        let reply: Connection.Reply = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                perform { link in
                    guard !question.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
                    question.request = make(link) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            perform { link in
                question.isCancelled = true
                question.request.map(link.abandon)
            }
        }
        return try reply.get()
    }
}

/// What is known of a request while its task waits; on the loop's thread until the reply is there.
// @unchecked Sendable: written on the loop, and read elsewhere only after the reply has come from there.
private final class Question: @unchecked Sendable {
    var request: OutgoingRequest?
    var isCancelled = false
    var stream: FollowedStream?
}
