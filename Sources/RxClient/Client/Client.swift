internal import Glibc
internal import JSONRPC
public import RxJSON
internal import RxLoop
internal import RxProtocol

/// A connection to the daemon for programs with async/await or Rx; safe to use from any task.
///
/// Requests are sent in the order in which they are made, without waiting for each other's replies. A client that
/// reconnects outlives its daemon:
///
/// - Streams continue where they ended, or report a `gap`. So do those of executions with `onDisconnect: .detach`; an
///   execution that the daemon withdraws with its connection fails with `.closed`.
/// - Calls in flight fail with `.closed`, and may have been carried out. Subscriptions and executions with a `key` are
///   sent again, since that is harmless.
/// - Calls made without a connection wait for the next one, no longer than `Reconnecting.patience`, and then fail as
///   the last attempt did. Four megabytes of them wait at most; more are refused with `.congested`.
///
/// The client is closed by `close`, by giving up, or when it and all its streams are released.
public final class Client: Sendable {
    private let loop: EventLoop
    private let link: Link

    /// Connects to the daemon; throws `.unreachable` if the first attempt fails, so that a wrong path is noticed at
    /// once.
    ///
    /// - Parameters:
    ///   - path: the daemon's Unix socket.
    ///   - reconnecting: how to find the daemon again after a loss; nil: a lost connection closes the client.
    public static func connect(path: String, reconnecting: Reconnecting? = nil) async throws -> Client {
        let loop: EventLoop
        do {
            loop = try EventLoop()
        } catch {
            throw ClientError.unreachable(path: path, errno: error.errno)
        }
        loop.start(name: "rx-client")
        let result: Result<Link, ClientError> = await withCheckedContinuation { continuation in
            loop.execute {
                continuation.resume(
                    returning: Result { () throws(ClientError) in
                        try Link(path: { path }, loop: loop, policy: reconnecting)
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
        // This takes microseconds: nothing on this loop calls out or waits.
        if !loop.isOnLoop { loop.join() }
    }

    /// Calls any method and returns its result; throws `.refused` with the daemon's error.
    ///
    /// - Parameters:
    ///   - method: the name of the method, such as `action.list`.
    ///   - params: an object or an array; nil sends none.
    public func call(_ method: String, _ params: RawJSON? = nil) async throws -> RawJSON {
        try await call(method, params, isRepeatable: false)
    }

    /// Executes an action, waits for its end, and returns `{"execution":…,"elements":[…],"truncated":…}`.
    public func execute(_ request: ExecuteRequest) async throws -> RawJSON {
        try await call(Method.actionExecute.rawValue, request.params(stream: nil), isRepeatable: request.key != nil)
    }

    /// Executes an action and returns as soon as the daemon has accepted it; the stream has all its events.
    public func stream(_ request: ExecuteRequest) async throws -> EventStream {
        try await open(.execution(request), leavesExecution: false)
    }

    /// Subscribes to actions, reactors, or executions; the snapshot is in the stream's `reply`.
    public func subscribe(_ request: SubscribeRequest) async throws -> EventStream {
        var progress = SubscriptionProgress(request)
        while true {
            do throws(ClientError) {
                return try await open(
                    .subscription(progress.next), leavesExecution: false, after: progress.isExpired ? progress : nil)
            } catch {
                guard case .refused(let refusal) = error, refusal.errorCode == .cursorExpired,
                    request.fallback != nil, progress.canFollowExpiry
                else { throw error }
                progress.expired(oldest: refusal.data?.value()["oldest"]?.string)
            }
        }
    }

    /// Closes the connection; pending and later calls fail with `.closed`.
    public func close() {
        perform { $0.close() }
    }
}

extension Client {
    /// Runs `body` on the loop, in the order of the calls.
    func perform(_ body: @escaping @Sendable (Link) -> Void) {
        loop.execute { [link] in body(link) }
    }

    /// - Parameter expired: the progress of a stream whose cursor has expired: it begins with a gap.
    func open(
        _ origin: FollowedStream.Origin, leavesExecution: Bool, after expired: SubscriptionProgress? = nil
    ) async throws(ClientError) -> EventStream {
        let opened = Question()
        let inbox = Inbox()
        let reply = try await ask { link, completion in
            let stream = link.open(origin, deliver: { inbox.receive($0) }) { reply in
                var expired = expired
                if case .success(let result) = reply, let gap = expired?.opened(result, at: .now) {
                    inbox.receive(.reconnected(gap, reply: result))
                }
                completion(reply)
            }
            opened.stream = stream
            return stream.opening
        }
        // Set on the loop before the reply came.
        return EventStream(opened.stream!, inbox, reply: reply, leavesExecution: leavesExecution, client: self)
    }

    private func call(_ method: String, _ params: RawJSON?, isRepeatable: Bool) async throws(ClientError) -> RawJSON {
        try await ask { link, completion in
            link.call(method, params, isRepeatable: isRepeatable, completion: completion)
        }
    }

    /// Makes one request and waits for its reply; a canceled task stops waiting.
    private func ask(
        _ make: @escaping @Sendable (Link, @escaping (Connection.Reply) -> Void) -> OutgoingRequest?
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

/// A request whose task waits for the reply.
// @unchecked Sendable: written on the loop, and read elsewhere only after the reply has come from there.
private final class Question: @unchecked Sendable {
    var request: OutgoingRequest?
    var isCancelled = false
    var stream: FollowedStream?
}
