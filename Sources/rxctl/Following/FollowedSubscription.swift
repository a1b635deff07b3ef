internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// A subscription that a command reads until its session ends.
///
/// Until it is open, every failure ends the session, with two exceptions: names that turn out to be those of reactors
/// or of streams are subscribed to as such, and an expired cursor is replaced by the one after which the daemon still
/// has everything, unless `strict`. Afterwards the session's link carries it from connection to connection, and the
/// session ends only when it cannot continue.
final class FollowedSubscription {
    struct Policy {
        /// Whether an expired cursor ends the session.
        var strict = false
        /// The channels to subscribe to if the names turn out to be those of something else; nil keeps those of the
        /// request.
        var channels: ((SubscribeRequest.Target) -> [Channel])?
        /// The file that the cursor is from.
        var cursorFile: String?
    }

    /// Called with the daemon's reply whenever the subscription is opened, before its events. The reconnection is nil
    /// if the subscription begins where it was meant to.
    var onOpen: (RawJSON, Reconnection?) -> Void = { _, _ in }
    var onEvent: (StreamEvent) -> Void = { _ in }

    /// The position up to which events have come.
    private(set) var cursor: String?

    private let session: DaemonSession
    private let request: SubscribeRequest
    private let policy: Policy
    /// The error to report if the names belong to nothing.
    private var unknown: ClientError?

    init(_ session: DaemonSession, _ request: SubscribeRequest, _ policy: Policy = Policy()) {
        self.session = session
        self.request = request
        self.policy = policy
        if case .cursor(let cursor) = request.from { self.cursor = cursor }
    }

    func start() { open(request) }

    /// - Parameter expired: where the subscription was to begin, if the daemon could not go back that far.
    private func open(_ request: SubscribeRequest, insteadOf expired: SubscribeRequest.Start? = nil) {
        var options = FollowedStream.Options()
        // With --wait, a daemon that ends before it has answered was not found yet.
        options.repeatsOpening = session.options.wait != nil
        options.reportsGaps = !policy.strict
        options.waitsForRoom = true
        session.link.open(
            .subscription(request), options: options,
            deliver: { [self] in receive($0) },
            completion: { [self] reply in
                switch reply {
                case .success(let reply): opened(reply, insteadOf: expired)
                case .failure(let error): refused(request, insteadOf: expired, error)
                }
            })
    }

    private func opened(_ reply: RawJSON, insteadOf expired: SubscribeRequest.Start?) {
        let value = reply.value()
        let asked = cursor
        cursor = value["cursor"]?.string ?? cursor
        let gap = expired.map { _ in
            Reconnection(
                time: .now, after: asked, isResumed: false, cursor: value["cursor"]?.string,
                snapshot: value["snapshot"].map { RawJSON($0) })
        }
        onOpen(reply, gap)
    }

    private func refused(
        _ request: SubscribeRequest, insteadOf expired: SubscribeRequest.Start?, _ error: ClientError
    ) {
        guard case .refused(let refusal) = error else { return session.finish(Ending(error)) }
        var next = request
        switch (refusal.named, request.target) {
        case (.notFound, .action(let names)) where refusal.data?.value()["action"] != nil && names != ["*"]:
            // Names are unique across all kinds.
            unknown = error
            next.target = .reactor(names)
            next.channels = policy.channels?(next.target) ?? request.channels
            open(next, insteadOf: expired)
        case (.notFound, .reactor(let names)) where refusal.data?.value()["reactor"] != nil && unknown != nil:
            next.target = .stream(names)
            next.channels = policy.channels?(next.target) ?? request.channels
            open(next, insteadOf: expired)
        case (.notFound, .stream) where refusal.data?.value()["stream"] != nil:
            session.finish(Ending(unknown ?? error))
        case (.cursorExpired, _) where !policy.strict && request.from != .start:
            // The next answer may be the same, for a later one. Then nothing that is there may be left out.
            let oldest = refusal.data?.value()["oldest"]?.string
            next.from = expired == nil ? oldest.map { .cursor($0) } ?? request.fallback ?? .start : .start
            open(next, insteadOf: expired ?? request.from)
        case _:
            session.finish(ending(error))
        }
    }

    /// The end with an error, which names the file whose cursor the daemon refuses.
    private func ending(_ error: ClientError) -> Ending {
        let ending = Ending(error)
        guard let file = policy.cursorFile, let cursor, case .refused(let refusal) = error,
            refusal.named == .invalidParams, let fault = refusal.data?.value()["errors"]?[0],
            fault["path"]?.string == "/from", let reason = fault["message"]?.string
        else { return ending }
        return Ending(
            outcome: ending.outcome,
            message: .text(
                "\(file): its cursor, \(cursor), \(reason): an older copy of the daemon's state may have been put "
                    + "back; remove \(file) to begin anew, with --from start at the oldest event that is kept"),
            facts: ["name": .string(ErrorCode.invalidParams.name), "path": .string(file)])
    }

    private func receive(_ delivery: LinkDelivery) {
        switch delivery {
        case .event(let event):
            cursor = event.cursor ?? cursor
            onEvent(event)
        case .reconnected(let reconnection, let reply):
            cursor = reconnection.cursor ?? cursor
            onOpen(reply, reconnection)
        case .failed(let error):
            session.finish(ending(error))
        case .finished:
            session.finish()
        }
    }
}
